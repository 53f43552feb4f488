//! Why the venue did not start, or ended early. It determines the exit code.

use std::net::SocketAddr;

use market::EngineError;
use program::{Failure, Unprinted};

use crate::names::NamesError;
use crate::tls::TlsError;
use load::client::ClientError;

/// Why the venue did not start, or ended early.
#[derive(Debug, thiserror::Error)]
pub enum VenueError {
    /// Arguments that contradict each other.
    #[error("{0}")]
    Usage(String),
    /// The log or the disk can't be trusted or written.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The file of names can't be used.
    #[error(transparent)]
    Names(#[from] NamesError),
    /// The certificate or its key can't be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// No folder for the log.
    #[error("could not create a folder for the log: {0}; name one with --data-dir")]
    Folder(std::io::Error),
    /// The address can't be used.
    #[error(
        "could not listen on {address}: {source}; choose another with {flag}, or stop the program that listens there"
    )]
    Listen {
        /// The flag that names it.
        flag: &'static str,
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
    /// The bot could not go on.
    #[error("the bot could not go on: {0}")]
    Bot(ClientError),
    /// The system can't create threads or sockets.
    #[error("could not start: {0}")]
    System(std::io::Error),
    /// The output can't be printed.
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

impl Failure for VenueError {
    fn exit_code(&self) -> u8 {
        match self {
            VenueError::Usage(_)
            | VenueError::Tls(_)
            | VenueError::Engine(EngineError::Refused(_))
            | VenueError::Listen { .. } => 2,
            VenueError::Engine(_)
            | VenueError::Names(_)
            | VenueError::Folder(_)
            | VenueError::Bot(_)
            | VenueError::System(_) => 3,
            VenueError::Unprinted(error) => error.exit_code(),
        }
    }

    fn is_closed_pipe(&self) -> bool {
        matches!(self, VenueError::Unprinted(error) if error.is_closed_pipe())
    }
}
