//! The parts of an exercise beside the chapter before it and the chapter's tests: its steps, what is laid out as a
//! stub, and the hints. They are in a chapter's `exercise.toml`, and the stubs are in the folder `exercise` beside
//! it.

use std::path::Path;

use catalogue::Chapter;
use results::error::MeasureError;
use results::language::Language;
use serde::Deserialize;

use super::files;

/// A chapter's `exercise.toml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plan {
    /// The files and folders of tests that are laid out, if others test what is not written here; without any, all.
    pub tests: Vec<String>,
    /// Files and folders of the chapter itself that are not part of the lesson; they are laid out unchanged.
    pub copies: Vec<String>,
    /// Lines of the chapter before that are different in the laid-out folder.
    pub edits: Vec<Edit>,
    /// What is written first, second and so on. Without steps there is only one: the lesson.
    pub steps: Vec<Step>,
    /// Tests that take minutes. They run last.
    pub long: Vec<String>,
    /// The most common mistakes.
    pub hints: Vec<Hint>,
}

/// A line, or several, that differ.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The file, relative to the chapter's folder.
    pub file: String,
    /// The text in the chapter before, where it occurs once.
    pub find: String,
    /// The text that replaces it.
    pub put: String,
}

/// A step of the exercise, and the tests that show that it is done.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What is written in it, in English.
    pub en: String,
    /// In Chinese.
    pub zh: String,
    /// Its tests, as [`Tests`] reads them.
    pub tests: Vec<String>,
}

/// Two hints about one mistake.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hint {
    /// The tests that detect the mistake; without any, the hint is for a reader who does not know where to
    /// begin.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Where to look, and then what to look for, in English.
    pub en: [String; 2],
    /// In Chinese.
    pub zh: [String; 2],
}

impl Hint {
    /// Both, in a language.
    pub fn words(&self, language: Language) -> &[String; 2] {
        language.pick(&self.en, &self.zh)
    }
}

/// Some tests: those of a file under `tests`, or the unit tests, which are called `lib`; after `::` a part of their
/// names. `lesson`, `lib::slab`, `memory::an_account_takes_64_bytes`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tests {
    /// The file under `tests` without its extension, or [`UNIT_TESTS`].
    pub file: String,
    /// A part that the test's name must contain.
    pub part: Option<String>,
    /// Parts of which it must contain none: earlier steps have run those tests.
    pub without: Vec<String>,
}

/// The name for the tests beside the code.
pub const UNIT_TESTS: &str = "lib";

impl Tests {
    /// Reads `file` or `file::part`.
    pub fn named(text: &str) -> Tests {
        let (file, part) = match text.split_once("::") {
            Some((file, part)) => (file, Some(part.into())),
            None => (text, None),
        };
        Tests { file: file.into(), part, without: Vec::new() }
    }

    /// Whether a test, named with its file, is among these.
    pub fn hold(&self, test: &str) -> bool {
        let of = Tests::named(test);
        self.file == of.file && self.part.as_ref().is_none_or(|part| of.part.is_some_and(|name| name.contains(part)))
    }

    /// The text that it was parsed from.
    pub fn text(&self) -> String {
        let Tests { file, part, .. } = self;
        part.as_ref().map_or(file.clone(), |part| format!("{file}::{part}"))
    }
}

/// A part of a check: tests that are built and run together.
#[derive(Debug, Clone)]
pub struct Stage {
    /// Its title, in English and in Chinese.
    pub title: [String; 2],
    /// The tests, in the order in which they run.
    pub tests: Vec<Tests>,
}

impl Plan {
    /// Whether a chapter has a plan.
    pub fn is_there(chapters: &Path, chapter: &Chapter) -> bool {
        chapters.join(&chapter.folder).join("exercise.toml").is_file()
    }

    /// Reads a chapter's plan. A chapter without one has no stubs and no hints.
    ///
    /// # Errors
    /// When the file can't be read, or is invalid.
    pub fn of(chapters: &Path, chapter: &Chapter) -> Result<Plan, MeasureError> {
        let path = chapters.join(&chapter.folder).join("exercise.toml");
        if !Plan::is_there(chapters, chapter) {
            return Ok(Plan::default());
        }
        let wrong = |error: toml::de::Error| {
            MeasureError::Unusable(format!("{}: {}", path.display(), error.to_string().trim_end()))
        };
        toml::from_str(&files::read(&path)?).map_err(wrong)
    }

    /// The check's stages for an exercise with these test files: first the steps, then what no step covers of every
    /// file, then what takes long.
    pub fn stages(&self, lesson_test: Option<&str>, files: &[String]) -> Vec<Stage> {
        let mut stages: Vec<Stage> = self.steps.iter().map(Step::stage).collect();
        if let (true, Some(lesson)) = (stages.is_empty(), lesson_test) {
            let title = ["the lesson", "这一课"].map(String::from);
            stages.push(Stage { title, tests: vec![Tests::named(lesson)] });
        }
        let named = |file: &String| stages.iter().flat_map(|stage| &stage.tests).any(|tests| tests.text() == *file);
        let rest = |file: &String| {
            let run = stages.iter().flat_map(|stage| &stage.tests).filter(|tests| tests.file == *file);
            Tests { without: run.filter_map(|tests| tests.part.clone()).collect(), ..Tests::named(file) }
        };
        let left = |long: bool| {
            let files = files.iter().filter(|file| self.long.contains(file) == long && !named(file));
            files.map(rest).collect::<Vec<_>>()
        };
        let rest = [
            (["everything else", "其余的测试"], left(false)),
            (["what can take minutes", "可能要跑几分钟的测试"], left(true)),
        ];
        let rest = rest.map(|(title, tests)| Stage { title: title.map(String::from), tests });
        stages.extend(rest.into_iter().filter(|stage| !stage.tests.is_empty()));
        stages
    }
}

impl Step {
    fn stage(&self) -> Stage {
        Stage {
            title: [self.en.clone(), self.zh.clone()],
            tests: self.tests.iter().map(|tests| Tests::named(tests)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_first_and_long_tests_last() {
        let step = Step { en: "a".into(), zh: "甲".into(), tests: vec!["ring".into(), "lib::wait".into()] };
        let plan = Plan { steps: vec![step], long: vec!["loom".into()], ..Plan::default() };
        let files = ["lib", "contract", "loom", "ring"].map(String::from);
        let texts = |stage: &Stage| stage.tests.iter().map(Tests::text).collect::<Vec<_>>().join(" ");
        let stages: Vec<String> = plan.stages(Some("lesson"), &files).iter().map(texts).collect();
        assert_eq!(stages, ["ring lib::wait", "lib contract", "loom"]);
        let rest = &plan.stages(Some("lesson"), &files)[1].tests;
        assert_eq!((&rest[0].without, &rest[1].without), (&vec!["wait".to_owned()], &Vec::new()), "no test runs twice");
        let plain: Vec<String> = Plan::default().stages(Some("lesson"), &files).iter().map(texts).collect();
        assert_eq!(plain, ["lesson", "lib contract loom ring"]);
    }

    #[test]
    fn tests_hold_what_they_name() {
        assert!(Tests::named("lib::slab").hold("lib::slab::tests::a_freed_slot_is_used_again"));
        assert!(Tests::named("lesson").hold("lesson::a_lone_command"));
        assert!(!Tests::named("lesson::lone").hold("contract::lone"));
        assert!(!Tests::named("lesson::lone").hold("lesson::a_thousand"));
    }
}
