//! The result of the last check. It is stored in the exercise's folder, for hints, for the book's diff, and for
//! laying out a later exercise.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use results::error::MeasureError;

use super::files;

/// The file's name. It is not a source, so nothing else reads it.
const FILE: &str = "last-check.txt";

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Whether all tests were asked for.
    pub whole: bool,
    /// The tests that failed, each with its file; a whole file if it does not compile.
    pub failed: Vec<String>,
}

impl Outcome {
    /// Whether the exercise is done.
    pub fn is_done(&self) -> bool {
        self.whole && self.failed.is_empty()
    }

    /// The result of the last check of the exercise in `folder`, if there was one.
    pub fn last(folder: &Path) -> Option<Outcome> {
        let text = fs::read_to_string(folder.join(FILE)).ok()?;
        let (first, failed) = text.split_once('\n')?;
        Some(Outcome { whole: first == "all tests", failed: failed.lines().map(str::to_owned).collect() })
    }

    /// Stores it. A run of only some tests changes nothing about an exercise that is done.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn save(&self, folder: &Path) -> Result<(), MeasureError> {
        let was_done = Outcome::last(folder).is_some_and(|last| last.is_done());
        if was_done && self.failed.is_empty() {
            return Ok(());
        }
        let first = if self.whole { "all tests" } else { "some tests" };
        let lines = std::iter::once(first).chain(self.failed.iter().map(String::as_str));
        files::write(&folder.join(FILE), &lines.map(|line| format!("{line}\n")).collect::<String>())
    }

    /// Removes it: an exercise that is laid out anew is not checked yet.
    ///
    /// # Errors
    /// When it can't be removed.
    pub fn forget(folder: &Path) -> Result<(), MeasureError> {
        let path = folder.join(FILE);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(MeasureError::disk("remove", &path, &error)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use results::chapters;
    use results::language::Language;

    use super::super::lay_out;
    use super::super::layout::Source;
    use super::super::plan::Plan;
    use super::*;

    #[test]
    fn what_was_found_is_remembered() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Outcome::last(folder.path()), None);
        let failed = Outcome { whole: true, failed: vec!["lesson::a".into(), "contract".into()] };
        failed.save(folder.path()).expect("written");
        assert_eq!(Outcome::last(folder.path()), Some(failed));
        let done = Outcome { whole: true, failed: Vec::new() };
        done.save(folder.path()).expect("written");
        Outcome { whole: false, failed: Vec::new() }.save(folder.path()).expect("written");
        assert_eq!(Outcome::last(folder.path()), Some(done));
    }

    #[test]
    fn an_exercise_that_is_laid_out_again_is_not_done() {
        let (root, base) = (chapters::repository(), tempfile::tempdir().expect("a folder"));
        let catalogue = chapters::catalogue().expect("the manifests are sound");
        let (before, chapter) = catalogue.steps().next().expect("two chapters");
        let source = Source { root: &root, chapter, before };
        let plan = Plan::of(&source.chapters(), chapter).expect("a sound plan");
        let folder = base.path().join("exercise");
        let lay_out = |force| lay_out(&source, &plan, &folder, force, Language::English).expect("laid out");
        lay_out(false);
        Outcome { whole: true, failed: Vec::new() }.save(&folder).expect("written");
        lay_out(true);
        assert_eq!(Outcome::last(&folder), None);
    }
}
