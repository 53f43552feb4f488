//! How a folder of what is derived is removed.

use std::path::Path;

use crate::error::HistoryError;

/// Removes a folder. It gets another name first, so that one that is half removed is not taken for a whole one.
///
/// # Errors
/// What the disk reports.
pub fn remove(path: &Path) -> Result<(), HistoryError> {
    let gone = path.with_extension("gone");
    remove_if_there(&gone)?;
    if path.exists() {
        std::fs::rename(path, &gone).map_err(HistoryError::io("set aside", path))?;
    }
    remove_if_there(&gone)
}

fn remove_if_there(path: &Path) -> Result<(), HistoryError> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(HistoryError::io("remove", path)(error)),
        _ => Ok(()),
    }
}
