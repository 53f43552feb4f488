//! What each change between two chapters is for, said once in both languages: `book/diffs/<after>.toml`.

use crate::project::{Project, sorted};
use catalogue::{Chapter, Number};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "book/diffs";

/// What a changed file's change is for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sentence {
    /// In English.
    pub en: String,
    /// In Chinese.
    pub zh: String,
}

/// Where the sentences of the diff that leads to a chapter stand.
pub fn file(after: Number) -> PathBuf {
    Path::new(FOLDER).join(format!("{after}.toml"))
}

/// The sentences of the diff that leads to `after`, by the file that changed.
pub fn of(project: &Project, after: &Chapter) -> Result<BTreeMap<String, Sentence>, String> {
    let file = file(after.number);
    // No file is a file without sentences: what is missing is then told by name.
    if project.path(&file).exists() { read(project, &file) } else { Ok(BTreeMap::new()) }
}

/// The files with sentences, relative to the root.
pub fn files(project: &Project) -> Vec<PathBuf> {
    let entries = fs::read_dir(project.path(FOLDER)).into_iter().flatten().flatten();
    let names = entries.map(|entry| Path::new(FOLDER).join(entry.file_name()));
    sorted(names.filter(|file| file.extension().is_some_and(|e| e == "toml")))
}

/// The sentences of one file, by the file that changed.
pub fn read(project: &Project, file: &Path) -> Result<BTreeMap<String, Sentence>, String> {
    let told = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
    let text = fs::read_to_string(project.path(file)).map_err(|e| told(&e))?;
    toml::from_str(&text).map_err(|e| told(&e))
}
