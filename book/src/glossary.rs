//! The glossary is in one place, `book/glossary.toml`, with both languages side by side; the pages' tables and
//! the check that both languages use the same terms are based on it.

use crate::project::Project;
use serde::Deserialize;
use std::fs;

/// One term.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// Its group in the glossary.
    pub group: String,
    /// The English term, in the singular.
    pub en: String,
    /// Its one Chinese rendering.
    pub zh: String,
    /// What it means, in English.
    pub means: String,
    /// What it means, in Chinese.
    pub zh_means: String,
    /// Other renderings that are common elsewhere and must not be used here.
    #[serde(default)]
    pub avoid: Vec<String>,
    /// Other English forms that count as the term, besides its plural.
    #[serde(default)]
    pub also: Vec<String>,
    /// An everyday word that is not always used as the term: only `avoid` is checked.
    #[serde(default)]
    pub loose: bool,
    /// Loose, but not a word that every reader knows: its first use has to explain it.
    #[serde(default)]
    pub technical: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    term: Vec<Term>,
}

/// The terms, in the file's order; empty when there is no glossary.
pub fn terms(project: &Project) -> Result<Vec<Term>, String> {
    match fs::read_to_string(project.path("book/glossary.toml")) {
        Ok(text) => toml::from_str::<File>(&text).map(|file| file.term).map_err(|e| format!("book/glossary.toml: {e}")),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(vec![]),
        Err(e) => Err(format!("book/glossary.toml: {e}")),
    }
}
