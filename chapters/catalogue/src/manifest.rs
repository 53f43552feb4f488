//! One chapter's manifest, read and checked as far as that is possible without the others.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

use serde::Deserialize;

use crate::chapter::{Chapter, Kind, Number, Step, Title};
use crate::error::CatalogueError;

/// A manifest, as far as it is about a chapter.
#[derive(Deserialize)]
struct Manifest {
    package: Package,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Metadata {
    chapter: Option<Entry>,
}

/// `[package.metadata.chapter]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    number: Number,
    part: u8,
    kind: Kind,
    after: Option<Number>,
    title: Title,
    #[serde(default)]
    measures: bool,
    #[serde(default)]
    batches: bool,
    #[serde(default)]
    shards: bool,
    verb: Option<String>,
    lesson: String,
    lesson_test: Option<String>,
    adds: Option<BTreeSet<String>>,
    changes: Option<BTreeSet<String>>,
    removes: Option<BTreeSet<String>>,
    budget: Option<usize>,
}

/// Reads the chapter in `folder`.
///
/// # Errors
/// [`CatalogueError`] with the manifest's path and what is wrong there.
pub fn read(folder: &Path) -> Result<Chapter, CatalogueError> {
    let path = folder.join("Cargo.toml");
    let wrong = |reason: String| CatalogueError::Manifest { path: path.clone(), reason };
    let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
    let manifest: Manifest = toml::from_str(&text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
    let Package { name: package, metadata } = manifest.package;
    let entry = metadata.and_then(|metadata| metadata.chapter);
    let entry = entry.ok_or_else(|| wrong("it has no `[package.metadata.chapter]`".into()))?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(reason) = fault(&entry, &name, folder) {
        return Err(wrong(reason));
    }
    let step = Step {
        adds: entry.adds.unwrap_or_default(),
        changes: entry.changes.unwrap_or_default(),
        removes: entry.removes.unwrap_or_default(),
        budget: entry.budget.unwrap_or_default(),
    };
    Ok(Chapter {
        number: entry.number,
        folder: name,
        package,
        part: entry.part,
        kind: entry.kind,
        after: entry.after,
        title: entry.title,
        measures: entry.measures,
        batches: entry.batches,
        shards: entry.shards,
        verb: entry.verb,
        lesson: entry.lesson,
        lesson_test: entry.lesson_test,
        step,
    })
}

/// The error for a path that can't be read.
pub fn unreadable(path: &Path, error: io::Error) -> CatalogueError {
    CatalogueError::Unreadable { path: path.to_path_buf(), error }
}

/// What is wrong with a well-formed entry in the folder of this name.
fn fault(entry: &Entry, name: &str, folder: &Path) -> Option<String> {
    let number = entry.number;
    let files = [("lesson", Some(&entry.lesson)), ("lesson_test", entry.lesson_test.as_ref())];
    let missing = files.into_iter().find(|(_, file)| file.is_some_and(|file| !folder.join(file).is_file()));
    let has_step = entry.adds.is_some() || entry.changes.is_some() || entry.removes.is_some();
    if !name.starts_with(&format!("{number}-")) {
        Some(format!("`number` is {number}, but the folder's name does not begin with `{number}-`"))
    } else if !(1..=2).contains(&entry.part) {
        Some(format!("`part` is {}; there are part 1 and part 2", entry.part))
    } else if entry.title.en.trim().is_empty() || entry.title.zh.trim().is_empty() {
        Some("`title` is empty; write one in both languages".into())
    } else if let Some((key, file)) = missing {
        Some(format!("`{key}` names {}, which does not exist", file.map_or("", String::as_str)))
    } else if entry.after.is_some_and(|after| after >= number) {
        Some(format!("`after` is a chapter that does not come before {number}"))
    } else if entry.kind == Kind::Engine && entry.budget.is_none() {
        Some("an engine has no `budget`; 0 means that no line under src may change".into())
    } else if entry.kind != Kind::Engine && (has_step || entry.budget.is_some()) {
        Some("it has lists of changed files or a `budget`, which only an engine has; take them out".into())
    } else {
        None
    }
}
