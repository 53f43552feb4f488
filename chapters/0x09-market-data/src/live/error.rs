//! Why a run ended early. It determines the exit code.

use market::EngineError;
use program::{Failure, Unprinted};

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// Arguments that contradict each other.
    #[error("{0}")]
    Usage(String),
    /// The log or the disk can't be trusted or written.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// No folder for the log.
    #[error("could not create a folder for the log: {0}; name one with --data-dir")]
    Folder(std::io::Error),
    /// The output can't be printed.
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

impl Failure for LiveError {
    fn exit_code(&self) -> u8 {
        match self {
            LiveError::Usage(_) | LiveError::Engine(EngineError::Refused(_)) => 2,
            LiveError::Engine(_) | LiveError::Folder(_) => 3,
            LiveError::Unprinted(error) => error.exit_code(),
        }
    }

    fn is_closed_pipe(&self) -> bool {
        matches!(self, LiveError::Unprinted(error) if error.is_closed_pipe())
    }
}
