//! Where a feed that was lapped finds what it missed: in the snapshot and the log after it.
//!
//! The log holds commands, so a separate exchange applies them again, as 0x08's shadow does. It reads no further than
//! the watermark: everything published to watchers is acknowledged or about to be.

use market::log::ShardOf;
use market::{EngineError, Event, Options, Sequence, Stamp};

use ch08::shadow::Shadow;

use crate::tap::{Opened, Tapped};

/// A record of what happened before.
pub trait Past: Send {
    /// Starts from the latest available state.
    ///
    /// # Errors
    /// If it can't be read.
    fn begin(&mut self) -> Result<Opened, EngineError>;

    /// Passes on the events of the next commands, in order and one whole command at a time. Returns how many more
    /// commands are known to be durable.
    ///
    /// # Errors
    /// If it can't be read.
    fn follow(&mut self, heard: &mut dyn FnMut(Stamp, &[Event])) -> Result<u64, EngineError>;

    /// It will not be needed for a while.
    fn end(&mut self);
}

/// What a feed follows of a shard: the tap's other end, and what happened before.
pub type Source = (Tapped, Box<dyn Past>);

/// The log of one shard, written by any chapter's engine.
pub struct LogPast {
    options: Options,
    shard: ShardOf,
    shadow: Option<Shadow>,
}

impl LogPast {
    /// The log of this shard in the data directory of `options`.
    pub fn new(options: &Options, shard: ShardOf) -> LogPast {
        LogPast { options: options.clone(), shard, shadow: None }
    }
}

impl Past for LogPast {
    fn begin(&mut self) -> Result<Opened, EngineError> {
        let shadow = Shadow::begin(&self.options, self.shard)?;
        let opened = Opened { next: shadow.next(), state: shadow.state() };
        self.shadow = Some(shadow);
        Ok(opened)
    }

    fn follow(&mut self, heard: &mut dyn FnMut(Stamp, &[Event])) -> Result<u64, EngineError> {
        let Some(shadow) = &mut self.shadow else { return Ok(0) };
        shadow.follow(Sequence(u64::MAX), |stamp, _, events| heard(stamp, events))
    }

    fn end(&mut self) {
        self.shadow = None;
    }
}

/// The taps of an engine's shards, in their order, each with its log.
pub fn with_logs(options: &Options, taps: &[Tapped]) -> Vec<Source> {
    let shards = (0..options.shards).map(|shard| ShardOf { shard, shards: options.shards });
    let past = |shard| Box::new(LogPast::new(options, shard)) as Box<dyn Past>;
    taps.iter().cloned().zip(shards.map(past)).collect()
}
