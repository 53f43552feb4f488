//! Records as files: readable JSON, written all at once, and read with errors that say what is wrong and what to do.

use std::fs;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::MeasureError;

/// `value` as readable JSON, with a newline at its end.
///
/// # Errors
/// [`MeasureError::Unusable`] when it holds what JSON can't represent.
pub fn text<T: Serialize>(value: &T) -> Result<String, MeasureError> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|error| MeasureError::Unusable(format!("the record can't be written as JSON: {error}")))?;
    Ok(text + "\n")
}

/// Writes `value` as readable JSON, creating the folder, through a neighbour file and a rename: a reader finds the
/// old file or the new one, and a failure leaves nothing beside it.
///
/// # Errors
/// [`MeasureError::Disk`] when it cannot be written.
pub fn save<T: Serialize>(value: &T, path: &Path) -> Result<(), MeasureError> {
    let text = text(value)?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| MeasureError::disk("create the folder", folder, &error))?;
    }
    let unfinished = path.with_extension("json.new");
    let written = fs::write(&unfinished, text)
        .map_err(|error| MeasureError::disk("write", &unfinished, &error))
        .and_then(|()| fs::rename(&unfinished, path).map_err(|error| MeasureError::disk("write", path, &error)));
    if written.is_err() {
        // Removing it may fail too; the first error is the one to report.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// What a subcommand writes to `output/<verb>.json`.
pub trait Record: Serialize + DeserializeOwned {
    /// The subcommand.
    const VERB: &'static str;

    /// Finds an impossible figure.
    ///
    /// # Errors
    /// The first such figure.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Reads a record and checks it.
    ///
    /// # Errors
    /// [`MeasureError::Unusable`] when the file is missing, is not such a record, or holds figures that cannot be;
    /// the message names the file, what is wrong, and what to do.
    fn load(path: &Path) -> Result<Self, MeasureError> {
        let (name, verb) = (path.display(), Self::VERB);
        let again = format!("cargo run --release -- {verb}");
        let unusable = MeasureError::Unusable;
        let text = fs::read_to_string(path).map_err(|error| {
            unusable(format!(
                "cannot read the record {name}: {error}; give the path of a {verb}.json, or write one: {again}"
            ))
        })?;
        Self::parse(&text, &name.to_string())
    }

    /// Reads a record from the text of the file `name`, and checks it.
    ///
    /// # Errors
    /// As [`Record::load`].
    fn parse(text: &str, name: &str) -> Result<Self, MeasureError> {
        let verb = Self::VERB;
        let again = format!("cargo run --release -- {verb}");
        let unusable = MeasureError::Unusable;
        let record: Self = serde_json::from_str(text).map_err(|error| {
            unusable(format!("{name} is not a record of `{verb}`: {error}; write it again: {again}"))
        })?;
        record.check().map_err(|problem| {
            unusable(format!("{name} holds an impossible figure: {problem}; write it again: {again}"))
        })?;
        Ok(record)
    }

    /// Checks the record and writes it, all at once: a reader finds the old file or the new one.
    ///
    /// # Errors
    /// [`MeasureError::Unusable`] when a figure is impossible, [`MeasureError::Disk`] when it cannot be
    /// written.
    fn save(&self, path: &Path) -> Result<(), MeasureError> {
        self.check().map_err(|problem| {
            let name = path.display();
            MeasureError::Unusable(format!("{name} was not written: {problem}; the measurement failed, run it again"))
        })?;
        save(self, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        // A folder is in the way, so the last step fails.
        fs::create_dir(&path).unwrap();
        assert!(matches!(save(&1, &path), Err(MeasureError::Disk(_))));
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["a.json"]);
    }
}
