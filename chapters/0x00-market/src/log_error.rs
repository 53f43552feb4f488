//! Why a log can't be trusted, and what to do about it.

use std::path::PathBuf;

use crate::ids::Sequence;
use crate::record::VERSION;
use crate::shard::ShardOf;
use crate::watermark;

/// Why a log can't be trusted, written or read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The disk reported an error.
    #[error(
        "{path}: could not {what} the log: {source}; nothing that was not synced has been acknowledged: fix the \
             disk and start again, the log will be replayed"
    )]
    Io {
        /// What was tried.
        what: &'static str,
        /// The log.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A write or sync failed before, so what is on disk is unknown.
    #[error(
        "{path}: the log stopped after an earlier error and accepts no more commands: start the engine again, it \
             will replay what is on disk"
    )]
    Stopped {
        /// The log.
        path: PathBuf,
    },
    /// A log without even a header.
    #[error(
        "{path}: the log is empty (0 bytes), and an engine never leaves it like that: restore it from a copy, or \
             delete it and {}, if that is there, to start with no history",
        watermark::path_of(path).display()
    )]
    Empty {
        /// The log.
        path: PathBuf,
    },
    /// Not a log at all.
    #[error("{path}: this is not a log of Ninety-Nine Cents: {reason}; name another data directory")]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong with its header.
        reason: &'static str,
    },
    /// A log of another version.
    #[error(
        "{path}: the log has version {found}, but this program reads versions 1 and {VERSION}: use the program \
             that wrote it"
    )]
    UnknownVersion {
        /// The log.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A log whose beginning is elsewhere.
    #[error(
        "{path}: the log begins with command {first}, and what comes before it is not here: restore the whole log \
             from a copy, or start an engine that can load a snapshot, if there is one"
    )]
    Beginning {
        /// The log.
        path: PathBuf,
        /// Its first command.
        first: Sequence,
    },
    /// Segments that do not form one log.
    #[error(
        "{path}: the segments of the log do not follow each other: {reason}; nothing was loaded: restore the segments \
             from a copy"
    )]
    Chain {
        /// The segment where that shows.
        path: PathBuf,
        /// What is missing, doubled, or of another log.
        reason: String,
    },
    /// A place in the log that another file names, but that does not exist.
    #[error("{path}: the log has no command {sequence} at byte {offset}: {reason}")]
    NoPlace {
        /// The segment.
        path: PathBuf,
        /// The command that should come just before it.
        sequence: Sequence,
        /// Where its frame should end, in bytes from the start of the file.
        offset: u64,
        /// What is there instead.
        reason: String,
    },
    /// A log that ends before a command that was on disk.
    #[error(
        "{path}: the log ends with command {found}, but command {durable} was on disk once: acknowledged commands \
             are gone, or this is an older copy, so nothing was loaded: restore the newest copy; or, to continue \
             without them, start with `--accept-loss {found}`"
    )]
    Short {
        /// The log.
        path: PathBuf,
        /// Its last command; 0 if it has none.
        found: Sequence,
        /// The last command that was durable.
        durable: Sequence,
    },
    /// The same of a log in segments, for which a loss can't be accepted.
    #[error(
        "{path}: the log ends with command {found}, but command {durable} was on disk once: acknowledged commands \
             are gone, or this is an older copy, so nothing was loaded: restore the newest copy of all segments; a log \
             in segments can't continue without them"
    )]
    ShortSegments {
        /// The last segment.
        path: PathBuf,
        /// Its last command.
        found: Sequence,
        /// The last command that was durable.
        durable: Sequence,
    },
    /// A data directory with another number of shards.
    #[error(
        "{path}: the folder has the logs of {found} shards, not of {asked}: open it with `--shards {found}`, or \
             rewrite it with 0x07's `--reshard {asked}`"
    )]
    OtherShards {
        /// The data directory.
        path: PathBuf,
        /// How many shards it has.
        found: u16,
        /// How many the engine expected.
        asked: u16,
    },
    /// A log of another shard or of another number of shards.
    #[error("{path}: the log is of shard {} of {}, but shard {} of {} was asked for: open it with the number of \
             shards it was written with, or change that with `--reshard`",
            found.shard, found.shards, asked.shard, asked.shards)]
    OtherShard {
        /// The log.
        path: PathBuf,
        /// What its header says.
        found: ShardOf,
        /// What the engine expected.
        asked: ShardOf,
    },
    /// One shard's log is missing, but another's exists.
    #[error(
        "{path}: the log of this shard is missing, but there are logs of other shards; acknowledged commands may \
             be lost without it, so nothing was loaded: restore the log from a copy, or start in an empty folder"
    )]
    Missing {
        /// Where the log should be.
        path: PathBuf,
    },
    /// No log is there, but the watermark of one is.
    #[error(
        "{path}: the log is missing, but {} says that command {last} was on disk once, so nothing was loaded and \
             nothing was changed: put the log back, or restore a backup into another folder; or, to start with no \
             history, move this folder away",
        watermark::path_of(path).display()
    )]
    Gone {
        /// Where the log should be.
        path: PathBuf,
        /// The last command that was durable.
        last: Sequence,
    },
    /// Damage in the middle: acknowledged commands follow it.
    #[error(
        "{path}: the log is damaged at byte {offset}, where the frame of command {sequence} should be: {reason}; \
             acknowledged commands may be lost, so nothing was loaded: restore the log from a copy"
    )]
    Corrupt {
        /// The log.
        path: PathBuf,
        /// Where the damaged frame starts, in bytes from the start of the file.
        offset: u64,
        /// The first command that can't be read.
        sequence: Sequence,
        /// What is wrong.
        reason: String,
    },
}

impl LogError {
    /// A log that ends with command `found`, before `durable`, and whose last file begins with command `first`.
    pub(crate) fn short(path: PathBuf, first: Sequence, found: Sequence, durable: Sequence) -> LogError {
        match first {
            Sequence::FIRST => LogError::Short { path, found, durable },
            _ => LogError::ShortSegments { path, found, durable },
        }
    }
}
