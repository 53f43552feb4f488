//! The files that are read and written here.

use crate::problem::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of the theme that only a book online needs.
pub(super) fn theme(name: &str) -> PathBuf {
    Path::new("book/theme/online").join(name)
}

pub(super) fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|e| Failure::disk(path, e))
}

pub(super) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(|e| Failure::disk(path, e))
}
