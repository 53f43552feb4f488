//! The reader's diff beside the book's: what each of them changed in the chapter before, file by file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use program::print;
use results::error::MeasureError;
use results::language::Language;
use similar::{ChangeTag, TextDiff};

use super::files::{below, read, without_marks};
use super::laid_out::LaidOut;
use super::layout::Source;

/// How many lines that did not change are shown around those that did.
const CONTEXT: usize = 3;

/// Sources by their paths under `src`.
type Sources = BTreeMap<String, String>;

/// Both solutions, and what they began with.
pub struct Diffs {
    before: Sources,
    own: Sources,
    book: Sources,
}

impl Diffs {
    /// Reads all three.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn of(source: &Source<'_>, exercise: &LaidOut) -> Result<Diffs, MeasureError> {
        let (mut before, mut own, mut book) =
            (sources(&source.from())?, sources(exercise.folder())?, sources(&source.to())?);
        if source.is_itself() {
            before.extend(sources(&source.stubs())?);
        }
        // The names of the crates are not part of the diff.
        for (sources, name) in [
            (&mut before, source.before.folder.as_str()),
            (&mut own, &source.name()),
            (&mut book, &source.chapter.folder),
        ] {
            if let Some(text) = sources.get_mut("lib.rs") {
                *text = text.replace(&format!("{name:?}"), "\"\"");
            }
            sources.remove("main.rs");
        }
        Ok(Diffs { before, own, book })
    }

    /// The paths of the files in which the reader or the book changed a line.
    fn changed(&self) -> impl Iterator<Item = &str> {
        let paths: BTreeSet<&String> = self.before.keys().chain(self.own.keys()).chain(self.book.keys()).collect();
        let is_changed = |path: &&String| {
            let before = self.before.get(*path);
            before != self.own.get(*path) || before != self.book.get(*path)
        };
        paths.into_iter().filter(is_changed).map(String::as_str)
    }

    /// One line for each file: how many lines each of the two added and removed.
    ///
    /// # Errors
    /// When it can't be printed.
    pub fn summary(&self, language: Language) -> Result<(), MeasureError> {
        for path in self.changed() {
            let [own, book] = [&self.own, &self.book].map(|sources| counts(&self.diff(path, sources)));
            print(format_args!(
                "{}",
                language.pick(
                    format!("  src/{path}: yours {own}, the book's {book}\n"),
                    format!("  src/{path}：你的 {own}，书上的 {book}\n")
                )
            ))?;
        }
        Ok(())
    }

    /// Both diffs of each file, one below the other.
    ///
    /// # Errors
    /// When it can't be printed.
    pub fn print(&self, language: Language) -> Result<(), MeasureError> {
        for path in self.changed() {
            if self.own.get(path) == self.book.get(path) {
                print(format_args!(
                    "{}",
                    language.pick(
                        format!("==== src/{path}: the same as the book's\n\n"),
                        format!("==== src/{path}：和书上一样\n\n")
                    )
                ))?;
                continue;
            }
            let titles = language.pick(["yours", "the book's"], ["你的", "书上的"]);
            for (title, sources) in titles.into_iter().zip([&self.own, &self.book]) {
                let diff = self.diff(path, sources);
                print(format_args!("==== src/{path} {title} ({})\n{}\n", counts(&diff), unified(&diff)))?;
            }
        }
        Ok(())
    }

    fn diff<'a>(&'a self, path: &str, sources: &'a Sources) -> TextDiff<'a, 'a, str> {
        let text = |sources: &'a Sources| sources.get(path).map_or("", String::as_str);
        TextDiff::from_lines(text(&self.before), text(sources))
    }
}

/// `+12 -3`
fn counts(diff: &TextDiff<'_, '_, str>) -> String {
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    format!("+{} -{}", count(ChangeTag::Insert), count(ChangeTag::Delete))
}

fn unified(diff: &TextDiff<'_, '_, str>) -> String {
    diff.unified_diff().context_radius(CONTEXT).to_string()
}

fn sources(folder: &Path) -> Result<Sources, MeasureError> {
    let folder = folder.join("src");
    let mut found = Sources::new();
    for name in below(&folder)?.into_iter().filter(|name| name.ends_with(".rs")) {
        let text = without_marks(&read(&folder.join(&name))?);
        found.insert(name, text);
    }
    Ok(found)
}
