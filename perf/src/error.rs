//! The tool's own errors, and the exit codes that scripts rely on: 2 when the input or an argument
//! is unusable, 3 when a disk cannot be trusted or written. Code 1 is a verdict, not an error.

use std::io;
use std::path::Path;

/// What can go wrong in this crate. Each message says what happened, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum PerfError {
    /// A file or an argument cannot be used as it is.
    #[error("{0}")]
    Unusable(String),
    /// A disk could not be read, written or synced.
    #[error("{0}")]
    Disk(String),
}

impl PerfError {
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

/// The exit code for any error: the first [`PerfError`] in its chain decides; an I/O error without
/// one means the disk (3), everything else unusable input (2).
pub fn exit_code(error: &anyhow::Error) -> u8 {
    for cause in error.chain() {
        if let Some(error) = cause.downcast_ref::<PerfError>() {
            return error.exit_code();
        }
        if cause.is::<io::Error>() {
            return 3;
        }
    }
    2
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn the_first_known_cause_decides_the_exit_code() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let disk = Err::<(), _>(PerfError::disk("write", Path::new("x.json"), &full));
        let disk = disk.context("while saving").expect_err("an error");
        assert_eq!(exit_code(&disk), 3);
        assert_eq!(exit_code(&PerfError::Unusable("bad".into()).into()), 2);
        assert_eq!(exit_code(&anyhow::Error::from(full)), 3);
        assert_eq!(exit_code(&anyhow::anyhow!("anything else")), 2);
    }
}
