//! Why a machine does not take part in replication, or ends. It determines the exit code.

use std::path::PathBuf;

use gateway::error::VenueError;
use market::{EngineError, LogError, Sequence};
use program::{Failure, Unprinted};

use crate::digest::STRETCH;
use crate::durable::{BEHIND_MAX, Durable};
use crate::message::MESSAGE_MAX;

/// Why a machine does not take part in replication, or ends.
#[derive(Debug, thiserror::Error)]
pub enum ReplicaError {
    /// Arguments that contradict each other.
    #[error("{0}")]
    Usage(String),
    /// None of the servers answers.
    #[error(
        "none of the servers {servers} can be used: {reason}; start them (`-- cluster` starts three on this machine), or name \
         others with --replicas"
    )]
    Servers {
        /// Their addresses.
        servers: String,
        /// What the client said.
        reason: String,
    },
    /// The servers can be reached, but TLS fails.
    #[error("the servers {servers} can be reached, but TLS fails: {reason}")]
    Handshake {
        /// Their addresses.
        servers: String,
        /// Which side refuses which certificate, and what to name instead.
        reason: String,
    },
    /// The servers take no message that is as long as ours may be.
    #[error(
        "the servers {servers} take messages of at most {found} bytes, and a frame of the log may take {MESSAGE_MAX}: set \
         `max_payload: 8MB` in the file of each server, and start them again"
    )]
    Payload {
        /// Their addresses.
        servers: String,
        /// How long a message may be there, in bytes.
        found: usize,
    },
    /// A file that TLS needs can't be used.
    #[error(
        "{path}: {what}; --replicas-ca names certificates in PEM, --replicas-certificate a chain of them, --replicas-key the \
         private key of its first"
    )]
    Certificate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// `nats-server` can't be started, or has ended.
    #[error("{0}")]
    Cluster(String),
    /// A stream is set up so that it could lose what it has acknowledged.
    #[error(
        "stream {stream} could lose what it has acknowledged: {}; change that with NATS's own tools, or name another stream with \
         --stream, which is then created with the right settings", problems.join("; ")
    )]
    Settings {
        /// The stream.
        stream: String,
        /// Each setting, with what it should be.
        problems: Vec<String>,
    },
    /// The stream does not answer as it should.
    #[error("stream {stream}: could not {what}: {reason}; check that a majority of its servers runs, and start again")]
    Stream {
        /// The stream.
        stream: String,
        /// What was tried.
        what: &'static str,
        /// What the client said.
        reason: String,
    },
    /// A message that can't be the next one of this log.
    #[error(
        "stream {stream}: message {place} is not believed: {reason}; none of it was copied, and this machine's log is whole up to \
         command {whole}: keep it, and start a primary on it with another name for --stream, which copies it to a new stream"
    )]
    NotBelieved {
        /// The stream.
        stream: String,
        /// The message.
        place: u64,
        /// What is wrong with it.
        reason: String,
        /// The last command of this machine's log.
        whole: Sequence,
    },
    /// The stream ends before a message that it had.
    #[error(
        "stream {stream}: it ends with message {found}, but it had message {known} before: it has lost what it acknowledged; this \
         machine's log is whole up to command {whole}: keep it, and start a primary on it with another name for --stream, which \
         copies it to a new stream"
    )]
    Shorter {
        /// The stream.
        stream: String,
        /// Its last message.
        found: u64,
        /// The last that this machine has seen.
        known: u64,
        /// The last command of this machine's log.
        whole: Sequence,
    },
    /// The stream begins after what this machine has of it.
    #[error(
        "stream {stream}: it was trimmed and begins with message {first}, and this machine's log is {}: on another \
         machine, copy the data directory with `-- backup`, put the copy in the place of this machine's, and start it again",
        known_to_have(*known)
    )]
    Trimmed {
        /// The stream.
        stream: String,
        /// Its first message.
        first: u64,
        /// The last that this machine's log is known to have.
        known: u64,
    },
    /// This machine computed something else than the primary, from the same log.
    #[error(
        "stream {stream}: commands {} to {last} led to something else here than on the primary (digest {own:08x} here, {told:08x} \
         there): this machine does not take over; check that both run the same version and that the \
         memory of both is sound, and start this one with an empty data directory", last - STRETCH + 1
    )]
    Differs {
        /// The stream.
        stream: String,
        /// The last command of the stretch.
        last: u64,
        /// This machine's digest of it.
        own: u32,
        /// The primary's.
        told: u32,
    },
    /// Another primary has begun an epoch.
    #[error(
        "stream {stream}: {by} has replaced this machine; {}: start this machine with `-- standby`, and it follows the new primary",
        acknowledged(*durable)
    )]
    Replaced {
        /// The stream.
        stream: String,
        /// The other primary.
        by: String,
        /// When a frame counted as durable here; none before this machine served.
        durable: Option<Durable>,
    },
    /// The log in the data directory is not the one that the stream holds.
    #[error(
        "{folder}: the log of shard {shard} here is log {here:016x}, and stream {stream} holds log {there:016x}; two logs are never \
         merged: name the data directory or the stream that belongs to the other"
    )]
    OtherLog {
        /// The data directory.
        folder: String,
        /// The shard.
        shard: u16,
        /// The identity of the log here.
        here: u64,
        /// The stream.
        stream: String,
        /// The identity of the log there.
        there: u64,
    },
    /// Another primary is alive.
    #[error(
        "{name} is the primary of {stream} and is alive: start this machine with `-- standby`, or replace the other with \
         `-- takeover`"
    )]
    Alive {
        /// The primary's name.
        name: String,
        /// The streams.
        stream: String,
    },
    /// A standby did not take over.
    #[error("{0}")]
    Takeover(String),
    /// No stream was trimmed, or not all were.
    #[error("{0}")]
    Trim(String),
    /// The log or the disk can't be trusted or written.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The venue's own.
    #[error(transparent)]
    Venue(#[from] VenueError),
    /// The output can't be printed.
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

/// What a machine that was replaced may have acknowledged that the stream does not have.
fn acknowledged(durable: Option<Durable>) -> String {
    match durable {
        None => "it has acknowledged nothing since it was started".into(),
        Some(Durable::Both | Durable::Majority) => "nothing that the stream does not have was acknowledged here".into(),
        Some(Durable::Local) => format!(
            "with --durable local, up to {BEHIND_MAX} frames were acknowledged here that the stream does not have, and a standby \
             cuts them off and keeps them in a file beside its log"
        ),
    }
}

fn known_to_have(known: u64) -> String {
    match known {
        0 => "not known to have any of those before".into(),
        known => format!("known to have those up to message {known} only"),
    }
}

impl From<LogError> for ReplicaError {
    fn from(error: LogError) -> ReplicaError {
        EngineError::from(error).into()
    }
}

impl Failure for ReplicaError {
    fn exit_code(&self) -> u8 {
        match self {
            ReplicaError::Usage(_)
            | ReplicaError::Certificate { .. }
            | ReplicaError::Engine(EngineError::Refused(_)) => 2,
            ReplicaError::Venue(error) => error.exit_code(),
            ReplicaError::Unprinted(error) => error.exit_code(),
            _ => 3,
        }
    }

    fn is_closed_pipe(&self) -> bool {
        match self {
            ReplicaError::Venue(error) => error.is_closed_pipe(),
            ReplicaError::Unprinted(error) => error.is_closed_pipe(),
            _ => false,
        }
    }
}
