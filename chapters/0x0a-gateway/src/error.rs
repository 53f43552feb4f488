//! Why the venue did not start, or ended early. The exit code follows from it.

use std::net::SocketAddr;

use market::EngineError;
use program::{Failure, Unprinted};

use crate::client::ClientError;
use crate::names::NamesError;
use crate::tls::TlsError;

/// Why the venue did not start, or ended early.
#[derive(Debug, thiserror::Error)]
pub enum VenueError {
    /// Arguments that do not fit together.
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
    #[error("could not make a folder for the log: {0}; name one with --data-dir")]
    Folder(std::io::Error),
    /// The address is not to be had.
    #[error("could not listen on {address}: {source}; name another with --listen, or end what listens there")]
    Listen {
        /// Where it was to listen.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The bot could not go on.
    #[error("the bot could not go on: {0}")]
    Bot(ClientError),
    /// The system gives no threads or no sockets.
    #[error("could not start: {0}")]
    System(std::io::Error),
    /// Nobody takes what is printed.
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
