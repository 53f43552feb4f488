//! What can go wrong with measuring and with results, and the exit codes that scripts rely on: 2 when the input or an argument
//! is unusable, 3 when a disk cannot be trusted or written. Code 1 is a verdict, not an error.

use std::io;
use std::path::Path;

/// What went wrong. Each message says what happened, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// A file or an argument cannot be used as it is.
    #[error("{0}")]
    Unusable(String),
    /// A disk could not be read, written or synced.
    #[error("{0}")]
    Disk(String),
}

impl MeasureError {
    /// The disk error of `action` ("write", "sync" …) on `path`.
    pub fn disk(action: &str, path: &Path, error: &io::Error) -> Self {
        Self::Disk(format!(
            "cannot {action} {}: {error}; check the disk's free space and the folder's permissions",
            path.display()
        ))
    }

    /// The exit code that this error ends the program with.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Unusable(_) => 2,
            Self::Disk(_) => 3,
        }
    }
}
