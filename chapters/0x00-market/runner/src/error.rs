//! Why a run ended early.

use std::path::PathBuf;

use market::EngineError;
use market::csv::CsvError;
use program::{Failure, Unprinted};

/// Why a run ended early. The exit code follows from it.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Arguments that do not fit together. Exit code 2.
    #[error("{0}")]
    Usage(String),
    /// An input file that can't be used. Exit code 2.
    #[error(transparent)]
    Input(#[from] CsvError),
    /// The log or the disk can't be trusted or written. Exit code 3.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The program could not write its own output. Exit code 3.
    #[error("{path}: could not {what}: {source}; fix that and start again")]
    Output {
        /// What was tried.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Standard output is closed. Exit code 3, or a quiet end.
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

impl Failure for RunError {
    fn exit_code(&self) -> u8 {
        match self {
            RunError::Usage(_) | RunError::Input(_) | RunError::Engine(EngineError::Refused(_)) => 2,
            RunError::Engine(_) | RunError::Output { .. } => 3,
            RunError::Unprinted(error) => error.exit_code(),
        }
    }

    fn is_closed_pipe(&self) -> bool {
        matches!(self, RunError::Unprinted(error) if error.is_closed_pipe())
    }
}
