//! What every chapter's engine can do, and what it needs to open.
//!
//! The program of a chapter, the contract's tests and the fault tests use an engine only through
//! this.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::companion::Companions;
use crate::schedule::Schedule;
use crate::state::ExchangeState;
use crate::{Clock, Command, Disk, Event, LogError, RealDisk, Sequence, Stamp};

/// An engine: it takes commands, makes them durable, applies them and acknowledges them.
pub trait Engine: Sized {
    /// Opens the data directory of `options`, replays its log, and starts. `receivers` is called once
    /// for each shard, from 0 on. Commands that are replayed are not acknowledged again.
    ///
    /// # Errors
    /// When the log can't be trusted or the disk can't be written.
    fn open(options: &Options, receivers: &mut Receivers<'_>) -> Result<(Self, Recovery), EngineError>;

    /// Submits a command and returns the number under which it will be acknowledged. Engines that work
    /// in batches acknowledge it later.
    ///
    /// # Errors
    /// When the engine has stopped. The command may or may not be in the log, as after a crash, but it
    /// was not acknowledged.
    fn submit(&mut self, command: Command) -> Result<Ticket, EngineError>;

    /// Does what is due. Call it at least every millisecond while no command arrives.
    ///
    /// # Errors
    /// When the engine has stopped.
    fn poll(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    /// Returns when every command submitted so far has been acknowledged.
    ///
    /// # Errors
    /// When the engine has stopped.
    fn flush(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    /// Flushes, ends the engine and returns the state that it held.
    ///
    /// # Errors
    /// When the engine has stopped.
    fn close(self) -> Result<Closed, EngineError>;
}

/// Receives the acknowledgements, in the order of the sequence.
///
/// An acknowledgement is a promise: the command is on disk, and these are its events.
pub trait Acknowledge: Send {
    /// The command of this number, in a frame of this time, is durable and led to `events`, of which there is at
    /// least one.
    fn acknowledge(&mut self, stamp: Stamp, events: &[Event]);

    /// Called while the log is read: this command led to `events` when it was logged, under this number and in a
    /// frame of this time. It was acknowledged then, unless the program died first. Whether the log can be trusted is
    /// known only when all of it was read: then [`recovered`](Acknowledge::recovered) is called.
    fn replayed(&mut self, _stamp: Stamp, _events: &[Event]) {}

    /// The log was read and all of it is trusted: `next` is the number of the next command. Called before the
    /// first acknowledgement. A receiver that needs the shard's state calls `state`; the others pay nothing for
    /// it.
    fn recovered(&mut self, _next: Sequence, _state: &dyn Fn() -> ExchangeState) {}
}

/// Makes the receiver of a shard's acknowledgements. A receiver works on the thread that acknowledges, so
/// each shard has its own.
pub type Receivers<'a> = dyn FnMut(u16) -> Box<dyn Acknowledge> + 'a;

/// The number under which a command is acknowledged. Sequences are counted by shard.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ticket {
    /// The shard that holds the command's market.
    pub shard: u16,
    /// The command's place in the log of that shard.
    pub sequence: Sequence,
}

/// How to open an engine. An engine ignores options that it has no use for.
#[derive(Clone)]
pub struct Options {
    /// The folder of the log and the ledger; it is created if it does not exist.
    pub data_dir: PathBuf,
    /// The disk that holds the log.
    pub disk: Arc<dyn Disk>,
    /// The most commands in a batch, 1 to [`FRAME_COMMANDS_MAX`](crate::log::FRAME_COMMANDS_MAX).
    pub batch_max: usize,
    /// How long the first command of a batch waits for others.
    pub batch_interval: Duration,
    /// How many commands to reserve log space for.
    pub reserve_commands: usize,
    /// How many commands a segment of the log takes before the next is begun; `None` keeps the log in one
    /// piece.
    pub segment_commands: Option<u64>,
    /// How many commands lie between two snapshots of a shard; `None` makes no snapshots.
    pub snapshot_every: Option<u64>,
    /// Whether segments that the kept snapshots no longer need are removed.
    pub trim_log: bool,
    /// The folder that they are moved to; `None` removes them.
    pub archive: Option<PathBuf>,
    /// Whether each busy thread gets its own core, where the system permits it.
    pub pin_threads: bool,
    /// How many shards, 1 to 256.
    pub shards: u16,
    /// The clock that gives frames their times.
    pub clock: Clock,
    /// A log that ends with one of these commands is accepted, although more was on disk once; whichever shard's.
    pub accept_loss: Vec<Sequence>,
    /// What runs the roles of an engine that has several; `None` means the system's threads.
    pub schedule: Option<Arc<dyn Schedule>>,
    /// What a shadow maintains beside the markets, if anything.
    pub companions: Option<Companions>,
}

impl Options {
    /// The usual options for the data directory `data_dir`.
    pub fn new(data_dir: impl Into<PathBuf>) -> Options {
        Options {
            data_dir: data_dir.into(),
            disk: Arc::new(RealDisk),
            batch_max: 1_024,
            batch_interval: Duration::from_millis(1),
            reserve_commands: 0,
            segment_commands: None,
            snapshot_every: None,
            trim_log: false,
            archive: None,
            pin_threads: false,
            shards: 1,
            clock: Clock::system(),
            accept_loss: Vec::new(),
            schedule: None,
            companions: None,
        }
    }
}

/// What was found in the log on opening.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recovery {
    /// How many commands the log holds: replayed, or in the snapshot that opening started from.
    pub commands: u64,
    /// How many of them were replayed; the others are in a snapshot.
    pub replayed: u64,
    /// How many bytes of a torn last frame were cut off. They had not been acknowledged.
    pub torn_bytes: u64,
    /// What the person who runs the engine should know, a line each: where the cut-off bytes are, a log that was
    /// converted, a clock that is behind.
    pub remarks: Vec<String>,
}

impl Recovery {
    /// Adds the findings for another shard's log.
    pub fn merge(&mut self, other: Recovery) {
        self.commands += other.commands;
        self.replayed += other.replayed;
        self.torn_bytes += other.torn_bytes;
        self.remarks.extend(other.remarks);
    }
}

/// What an engine held when it was closed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Closed {
    /// Every market, its book and its accounts.
    pub state: ExchangeState,
    /// Where the time went, when the engine was measured.
    pub stages: Option<StageTimes>,
    /// The chapter's remarks on the run, a line each: where threads ran, how busy they were.
    pub remarks: Vec<String>,
}

/// A rate counts as held when at least this share of what was offered was acknowledged in time.
pub const HELD_SHARE: f64 = 0.95;

/// The stages of the pipeline, in its order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Encoding commands and handing them to the operating system.
    LogAppend,
    /// Waiting for the disk.
    LogSync,
    /// Looking up the market and the account, and locking what an order needs.
    BalanceCheck,
    /// Finding who trades with whom.
    Matching,
    /// Moving money and shares.
    Settlement,
    /// Writing the ledger.
    Ledger,
}

impl Stage {
    /// All stages in the pipeline's order.
    pub const ALL: [Stage; 6] =
        [Stage::LogAppend, Stage::LogSync, Stage::BalanceCheck, Stage::Matching, Stage::Settlement, Stage::Ledger];

    /// The stage's name in files for machines.
    pub const fn key(self) -> &'static str {
        match self {
            Stage::LogAppend => "log_append",
            Stage::LogSync => "log_sync",
            Stage::BalanceCheck => "balance_check",
            Stage::Matching => "matching",
            Stage::Settlement => "settlement",
            Stage::Ledger => "ledger",
        }
    }
}

/// How long a run spent in each stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StageTimes {
    times: [Duration; Stage::ALL.len()],
}

impl StageTimes {
    /// Adds `time` to `stage`.
    pub fn add(&mut self, stage: Stage, time: Duration) {
        self.times[stage as usize] += time;
    }

    /// Adds what another thread measured.
    pub fn merge(&mut self, other: &StageTimes) {
        for stage in Stage::ALL {
            self.add(stage, other.of(stage));
        }
    }

    /// The time spent in `stage`.
    pub fn of(&self, stage: Stage) -> Duration {
        self.times[stage as usize]
    }

    /// The time spent in all stages.
    pub fn total(&self) -> Duration {
        self.times.iter().sum()
    }
}

/// Why an engine stopped or did not start.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The log can't be trusted or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A file other than the log could not be written.
    #[error("{path}: could not {what}: {source}; the log is whole, so fix the disk and start again")]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another program has the data directory.
    #[error(
        "{path}: the data directory is in use by {holder}, and two engines on one log would ruin it: end that \
             program first, or name another data directory"
    )]
    Locked {
        /// The data directory.
        path: PathBuf,
        /// The program that has it.
        holder: String,
    },
    /// Logs that contradict their names or each other.
    #[error("{path}: {reason}")]
    Unsound {
        /// The log, or the data directory.
        path: PathBuf,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// A thread of the engine has ended.
    #[error("the {role} thread stopped: {reason}; everything acknowledged is in the log, so start again")]
    ThreadStopped {
        /// The thread's role.
        role: &'static str,
        /// The reason that it gave.
        reason: String,
    },
    /// An option that this data directory does not allow.
    #[error("{0}")]
    Refused(String),
}
