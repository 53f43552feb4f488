//! Errors of measuring and of results.

use std::io;
use std::path::Path;

use program::{Failure, Unprinted};

/// What went wrong. Each message says what happened, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// A file or an argument cannot be used as it is.
    #[error("{0}")]
    Unusable(String),
    /// A disk could not be read, written or synced.
    #[error("{0}")]
    Disk(String),
    /// The output could not be printed.
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

impl MeasureError {
    /// The disk error of `action` ("write", "sync" …) on `path`.
    pub fn disk(action: &str, path: &Path, error: &io::Error) -> Self {
        Self::Disk(format!(
            "cannot {action} {}: {error}; check the disk's free space and the folder's permissions",
            path.display()
        ))
    }
}

impl Failure for MeasureError {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Unusable(_) => 2,
            Self::Disk(_) => 3,
            Self::Unprinted(unprinted) => unprinted.exit_code(),
        }
    }

    fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Unprinted(unprinted) if unprinted.is_closed_pipe())
    }
}
