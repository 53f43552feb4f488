//! `{{yours}}`: the place where a reader drops a record of their own, for the book to show it beside the reference.
//!
//! Everything else is done by `book/theme/compare.js`, on every page that shows a figure. Without it the place says
//! how to build the book with one's own numbers in it.

use crate::html::escape;
use crate::project::Project;
use crate::sources::Sources;
use crate::words::Words;
use results::language::Language;
use serde_json::json;
use std::path::{Path, PathBuf};

/// The words of the place.
const WORDS: &str = "book/yours/words.toml";

/// `{{yours}}`.
///
/// # Errors
/// When the words can't be read, or lack one that the page needs without its script.
pub fn place(s: &Sources, lang: Language) -> Result<String, String> {
    let words = Words::read(&s.project, Path::new(WORDS), lang)?;
    let data = json!({ "ui": words.groups.get("ui"), "refused": words.groups.get("refused") });
    Ok(format!(
        "<section class=\"yours-place\" aria-label=\"{}\" data-own-words=\"{}\"><p>{}</p></section>\n\n",
        escape(words.get("ui", "label")?),
        escape(&data.to_string()),
        escape(words.get("page", "still")?)
    ))
}

/// The Chinese of the words, each with its file. A book without the place has none.
///
/// # Errors
/// When the words can't be read.
pub fn chinese(project: &Project) -> Result<Vec<(PathBuf, String)>, String> {
    if !project.path(WORDS).exists() {
        return Ok(Vec::new());
    }
    let words = Words::read(project, Path::new(WORDS), Language::Chinese)?;
    Ok(words.all().map(|text| (PathBuf::from(WORDS), text.to_owned())).collect())
}
