//! What each change between two chapters is for, in both languages: `book/diffs/<after>.toml`. The file's
//! order is the best order for reading the changes.

use crate::project::{Project, sorted};
use catalogue::{Chapter, Number};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "book/diffs";

/// The sentences about the versions of the ladder's record, by the commit that was measured.
pub const VERSIONS: &str = "book/history-of-figures.toml";

/// What a changed file's change is for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sentence {
    /// In English.
    pub en: String,
    /// In Chinese.
    pub zh: String,
}

/// The sentences of a diff by the file that changed, in the order in which they should be read.
#[derive(Debug, Clone, Default)]
pub struct Sentences(pub Vec<(String, Sentence)>);

impl Sentences {
    /// The sentence for this file's change.
    pub fn get(&self, path: &str) -> Option<&Sentence> {
        self.0.iter().find(|(told, _)| told == path).map(|(_, sentence)| sentence)
    }

    /// The place of a file in the reading order; a file without a sentence comes last.
    pub fn place(&self, path: &str) -> usize {
        self.0.iter().position(|(told, _)| told == path).unwrap_or(self.0.len())
    }
}

/// The file of the sentences for the diff that leads to a chapter.
pub fn file(after: Number) -> PathBuf {
    Path::new(FOLDER).join(format!("{after}.toml"))
}

/// The sentences of the diff that leads to `after`, by the file that changed.
pub fn of(project: &Project, after: &Chapter) -> Result<Sentences, String> {
    let file = file(after.number);
    // A missing file counts as one without sentences: the missing ones are then reported by name.
    if project.path(&file).exists() { read(project, &file) } else { Ok(Sentences::default()) }
}

/// The files with sentences of diffs, relative to the root.
pub fn files(project: &Project) -> Vec<PathBuf> {
    let entries = fs::read_dir(project.path(FOLDER)).into_iter().flatten().flatten();
    let names = entries.map(|entry| Path::new(FOLDER).join(entry.file_name()));
    sorted(names.filter(|file| file.extension().is_some_and(|e| e == "toml")))
}

/// All files with sentences in both languages, relative to the root: for checks of their words.
pub fn all_files(project: &Project) -> Vec<PathBuf> {
    let versions = Some(PathBuf::from(VERSIONS)).filter(|file| project.path(file).exists());
    files(project).into_iter().chain(versions).collect()
}

/// The sentences of one file, by the file that changed.
pub fn read(project: &Project, file: &Path) -> Result<Sentences, String> {
    let told = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
    let text = fs::read_to_string(project.path(file)).map_err(|e| told(&e))?;
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| told(&e))?;
    let sentence = |(path, value): (String, toml::Value)| {
        let sentence = value.try_into().map_err(|e| format!("{}: `{path}`: {e}", file.display()))?;
        Ok((path, sentence))
    };
    table.into_iter().map(sentence).collect::<Result<_, String>>().map(Sentences)
}
