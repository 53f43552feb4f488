//! The list of chapters, for programs that run them.

use std::path::{Path, PathBuf};

use catalogue::{Catalogue, CatalogueError, Chapter};

use crate::error::MeasureError;

impl From<CatalogueError> for MeasureError {
    fn from(error: CatalogueError) -> Self {
        MeasureError::Unusable(error.to_string())
    }
}

/// The repository: the one that contains the current folder, or the one that this program was built
/// from.
pub fn repository() -> PathBuf {
    let built_from = Path::new(env!("CARGO_MANIFEST_DIR"));
    let here = std::env::current_dir().unwrap_or_default();
    let found = program::repository::find(&here).or_else(|| program::repository::find(built_from));
    found.unwrap_or_else(|| built_from.to_path_buf())
}

/// The repository's catalogue.
///
/// # Errors
/// [`MeasureError::Unusable`] when a manifest can't be read or is invalid.
pub fn catalogue() -> Result<Catalogue, MeasureError> {
    Ok(Catalogue::read(&repository().join("chapters"))?)
}

/// The engines of these names, in this order: `0x03`, `0x03-group-commit` or `ch03`. All of them for no name.
///
/// # Errors
/// [`MeasureError::Unusable`] for a name that no chapter has, or one without an engine.
pub fn select(catalogue: &Catalogue, names: &[String]) -> Result<Vec<Chapter>, MeasureError> {
    match names {
        [] => Ok(catalogue.engines().cloned().collect()),
        names => names.iter().map(|name| Ok(catalogue.find_engine(name)?.clone())).collect(),
    }
}

/// The engine of this name, which must have batches; without a name, the last one with batches and without
/// shards.
///
/// # Errors
/// [`MeasureError::Unusable`] for a name that no chapter has, or one that has no batches.
pub fn with_batches<'a>(catalogue: &'a Catalogue, name: Option<&str>) -> Result<&'a Chapter, MeasureError> {
    let last_alone = || catalogue.engines().rfind(|chapter| chapter.batches && !chapter.shards);
    let name = name.or_else(|| last_alone().map(|chapter| chapter.folder.as_str()));
    with(catalogue, name, "batches", |chapter| chapter.batches)
}

/// The engine of this name, which has to have `what`; without a name the first that has it.
///
/// # Errors
/// [`MeasureError::Unusable`] for a name that no chapter has, or one that has no `what`.
pub fn with<'a>(
    catalogue: &'a Catalogue,
    name: Option<&str>,
    what: &str,
    has: impl Fn(&Chapter) -> bool,
) -> Result<&'a Chapter, MeasureError> {
    let having = || catalogue.engines().filter(|chapter| has(chapter));
    let chapter = name.map(|name| catalogue.find_engine(name)).transpose()?.or_else(|| having().next());
    chapter.filter(|chapter| has(chapter)).ok_or_else(|| {
        let known: Vec<&str> = having().map(|chapter| chapter.folder.as_str()).collect();
        let name = chapter.map_or("no chapter", |chapter| &chapter.folder);
        MeasureError::Unusable(format!("{name} has no {what}; these have: {}", known.join(", ")))
    })
}
