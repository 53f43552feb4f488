//! The errors of the history.

use std::path::{Path, PathBuf};

use market::EngineError;
use program::{Failure, Unprinted};

/// Why a history can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The folder of derived data can't be used as it is.
    #[error(
        "{}: {reason}; it was derived from the log and can be made again: start with --rebuild; the log is not touched",
        path.display()
    )]
    Unusable {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Another process has it.
    #[error("{}: {holder} follows the log into it: wait until that has ended, end it, or start the venue with --no-history", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
        /// The process that has it.
        holder: String,
    },
    /// The disk.
    #[error("{}: could not {what}: {source}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The log can't be followed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The thread that follows the log has ended.
    #[error("{0}")]
    Ended(String),
    /// What was asked for can't be answered.
    #[error("{0}")]
    Asked(String),
    /// The output can't be printed.
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

impl HistoryError {
    /// What the disk said.
    pub fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> HistoryError + use<> {
        let path = path.to_path_buf();
        move |source| HistoryError::Io { what, path, source }
    }

    /// An error of the store.
    pub fn store(path: &Path, error: &fjall::Error) -> HistoryError {
        HistoryError::Unusable { path: path.to_path_buf(), reason: format!("the store can't be read: {error}") }
    }

    /// A row that can't be decoded.
    pub fn damaged(path: &Path, table: &str) -> HistoryError {
        HistoryError::Unusable { path: path.to_path_buf(), reason: format!("a row of {table} can't be read") }
    }
}

impl From<HistoryError> for EngineError {
    /// The venue does not start without the history that it was asked for.
    fn from(error: HistoryError) -> EngineError {
        match error {
            HistoryError::Engine(error) => error,
            HistoryError::Unusable { ref path, .. } => {
                let reason = error.to_string();
                let reason = reason.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&reason).to_owned();
                EngineError::Unsound { path: path.clone(), reason }
            }
            HistoryError::Io { what, path, source } => EngineError::Io { what, path, source },
            error => EngineError::Refused(error.to_string()),
        }
    }
}

impl Failure for HistoryError {
    fn exit_code(&self) -> u8 {
        match self {
            HistoryError::Asked(_) | HistoryError::Engine(EngineError::Refused(_)) => 2,
            HistoryError::Unprinted(error) => error.exit_code(),
            _ => 3,
        }
    }

    fn is_closed_pipe(&self) -> bool {
        matches!(self, HistoryError::Unprinted(error) if error.is_closed_pipe())
    }
}

#[cfg(test)]
mod tests {
    use keeping::once::shard_count;
    use market::Options;

    use super::*;

    #[test]
    fn a_folder_without_a_log_was_named_wrongly() {
        let folder = tempfile::tempdir().expect("a folder");
        let refused = shard_count(&Options::new(folder.path()), "follow").expect_err("there is no log");
        assert_eq!(HistoryError::from(refused).exit_code(), 2);
    }
}
