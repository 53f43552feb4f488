//! The shadow: it replays the log behind the engine, and writes the state that it reaches into snapshots.
//!
//! It begins as an engine does, with the last snapshot, and reads the log and nothing else. So matching never waits
//! for it, and each snapshot is a recovery that was tried. Invariants: it writes nothing but snapshots, and it reads
//! no further than the watermark, so nothing in a snapshot can be lost. Cost: the state a second time in memory, and
//! the work of matching a second time on some core.

use std::path::Path;

use market::log::ShardOf;
use market::state::ExchangeState;
use market::{Command, Disk, EngineError, Event, Options, Sequence, Stamp};

use crate::exchange::Exchange;
use crate::reshard::reshard;

/// The state of one shard at the command up to which its log was read.
pub struct Shadow {}

impl Shadow {
    /// Begins with the newest snapshot of the shard that can be used, or with nothing.
    ///
    /// # Errors
    /// When there is no log to follow, or it can't be read.
    pub fn begin(_options: &Options, _shard: ShardOf) -> Result<Shadow, EngineError> {
        todo!("step 2: the shadow; `market::watermark` says how far it may read")
    }

    /// Begins with the newest snapshot at which `limit` or an earlier command is the next.
    ///
    /// # Errors
    /// As [`begin`](Shadow::begin).
    pub fn begin_before(_options: &Options, _shard: ShardOf, _limit: Sequence) -> Result<Shadow, EngineError> {
        todo!("step 2: the shadow; step 3: `keeping::companions::Carried` goes with it")
    }

    /// Replays the next commands that are on disk, as far as command `until` or a little further, and returns how
    /// many are left up to the watermark. `heard` gets each command and its events.
    ///
    /// # Errors
    /// When the log can't be read, or is not what it was.
    pub fn follow(
        &mut self,
        _until: Sequence,
        _heard: impl FnMut(Stamp, &Command, &[Event]),
    ) -> Result<u64, EngineError> {
        todo!("step 2: the shadow; `market::log_chain::read_chain` reads from a place on")
    }

    /// The state of all markets after the last command that was replayed.
    pub fn state(&self) -> ExchangeState {
        todo!("step 2: the shadow")
    }

    /// The next command that it will replay.
    pub fn next(&self) -> Sequence {
        todo!("step 2: the shadow")
    }

    /// The next command after the last snapshot.
    pub fn kept(&self) -> Sequence {
        todo!("step 2: the shadow")
    }
}

impl keeping::Shadow for Shadow {
    type Exchange = Exchange;

    fn begin(options: &Options, shard: ShardOf) -> Result<Shadow, EngineError> {
        Shadow::begin(options, shard)
    }

    fn follow(&mut self, until: Sequence) -> Result<u64, EngineError> {
        self.follow(until, |_, _, _| ())
    }

    fn write(&mut self) -> Result<Option<u64>, EngineError> {
        todo!("step 2: the shadow; `market::snapshot_file` writes, and `keeping::trim::keep` clears up after it")
    }

    fn digest(&self) -> u64 {
        todo!("step 2: the shadow")
    }

    fn next(&self) -> Sequence {
        self.next()
    }

    fn passed_over(&self) -> &[String] {
        todo!("step 2: the shadow")
    }

    fn reshard(disk: &dyn Disk, data_dir: &Path, shards: u16) -> Result<String, EngineError> {
        reshard(disk, data_dir, shards)
    }
}
