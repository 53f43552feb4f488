//! The shadow: it replays the log behind the engine, and writes the state that it reaches into snapshots.
//!
//! It begins as an engine does, with the last snapshot, and reads the log and nothing else. So matching never waits
//! for it, and each snapshot is a recovery that was tried. Invariants: it writes nothing but snapshots, and it reads
//! no further than the watermark, so nothing in a snapshot can be lost. Cost: the state a second time in memory, and
//! the work of matching a second time on some core.

use std::path::Path;

use keeping::companions::Carried;
use keeping::ledger_parts::Part;
use keeping::once::read_mark;
use keeping::trim::keep;
use keeping::{Exchange as _, ledger_parts};
use market::log::ShardOf;
use market::log_chain::{identity, read_chain, segments};
use market::snapshot::SnapshotHeader;
use market::snapshot_file::SnapshotWriter;
use market::state::ExchangeState;
use market::{Command, Disk, EngineError, Event, LogId, Options, Sequence, Stamp};

use crate::exchange::Exchange;
use crate::metrics::Unmeasured;
use crate::reshard::reshard;
use crate::start::{Origin, Start};

/// How many commands are replayed before `follow` returns, so that its caller can do other work.
const STEP_COMMANDS: u64 = 65_536;

/// The state of one shard at the command up to which its log was read.
pub struct Shadow {
    options: Options,
    shard: ShardOf,
    log: LogId,
    exchange: Exchange,
    carried: Carried,
    origin: Origin,
    /// The next command after the last snapshot.
    kept: Sequence,
}

impl Shadow {
    /// Begins with the newest snapshot of the shard that can be used, or with nothing.
    ///
    /// # Errors
    /// When there is no log to follow, or it can't be read.
    pub fn begin(options: &Options, shard: ShardOf) -> Result<Shadow, EngineError> {
        Shadow::begin_before(options, shard, Sequence(u64::MAX))
    }

    /// Begins with the newest snapshot at which `limit` or an earlier command is the next.
    ///
    /// # Errors
    /// As [`begin`](Shadow::begin).
    pub fn begin_before(options: &Options, shard: ShardOf, limit: Sequence) -> Result<Shadow, EngineError> {
        let log = log_identity(&*options.disk, &options.data_dir, shard)?;
        let mut start = Start::find_before(options, shard, limit)?;
        let mut carried = Carried::new(options, shard);
        if start.origin.place.is_some() && !carried.load(options, shard, start.origin.next())? {
            // The whole log has what the snapshot lacks, if it is there.
            start = Start::without_snapshot(options, shard)?.unwrap_or(start);
        }
        let Start { exchange, origin } = start;
        let kept = origin.next();
        Ok(Shadow { options: options.clone(), shard, log, exchange, carried, origin, kept })
    }

    // ANCHOR: follow
    /// Replays the next commands that are on disk, as far as command `until` or a little further, and returns how
    /// many are left up to the watermark. `heard` gets each command and its events.
    ///
    /// # Errors
    /// When the log can't be read, or is not what it was.
    pub fn follow(
        &mut self,
        until: Sequence,
        heard: impl FnMut(Stamp, &Command, &[Event]),
    ) -> Result<u64, EngineError> {
        let path = self.options.data_dir.join(self.shard.file_name());
        let Some(mark) = read_mark(&*self.options.disk, &path, self.log) else { return Ok(0) };
        let next = self.origin.next();
        let step = Sequence(next.0 + STEP_COMMANDS - 1).min(until).min(mark.last);
        if step >= next {
            self.replay(step, heard)?;
        }
        Ok(mark.last.plus(1).0.saturating_sub(self.origin.next().0))
    }

    /// Replays the log up to the frame of command `until`, which is on disk.
    fn replay(&mut self, until: Sequence, mut each: impl FnMut(Stamp, &Command, &[Event])) -> Result<(), EngineError> {
        let disk = &*self.options.disk;
        let segments = segments(disk, &self.options.data_dir, self.shard).map_err(|source| self.io(source))?;
        let (exchange, carried) = (&mut self.exchange, &mut self.carried);
        let (mut events, mut entries) = (Vec::new(), self.origin.ledger_entries);
        let place = self.origin.place.as_ref();
        let end = read_chain::<EngineError>(disk, self.shard, &segments, place, Some(until), |stamp, command| {
            events.clear();
            exchange.apply(&command, &mut events, &mut Unmeasured);
            entries += events.iter().filter(|event| event.moves_value()).count() as u64;
            carried.observe(stamp, &command, &events);
            each(stamp, &command, &events);
            Ok(())
        })?;
        if end.header.id != self.log || end.place.next.sequence <= until {
            let reason = format!("command {until} was on disk, but the log no longer has it, or is another log");
            return Err(EngineError::Unsound { path: end.path, reason });
        }
        (self.origin.place, self.origin.ledger_entries) = (Some(end.place), entries);
        Ok(())
    }
    // ANCHOR_END: follow

    /// The state of all markets after the last command that was replayed.
    pub fn state(&self) -> ExchangeState {
        self.exchange.state()
    }

    /// The next command that it will replay.
    pub fn next(&self) -> Sequence {
        self.origin.next()
    }

    /// The next command after the last snapshot.
    pub fn kept(&self) -> Sequence {
        self.kept
    }

    /// The part of the ledger that goes on where this began.
    pub fn ledger_part(&self) -> Part {
        self.origin.ledger_part(self.shard)
    }

    fn io(&self, source: std::io::Error) -> EngineError {
        EngineError::Io { what: "look for the log", path: self.options.data_dir.clone(), source }
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

    // ANCHOR: write
    fn write(&mut self) -> Result<Option<u64>, EngineError> {
        let Some(place) = self.origin.place.filter(|place| place.next.sequence > self.kept) else { return Ok(None) };
        let (disk, folder) = (&*self.options.disk, &self.options.data_dir);
        let (shard, log, ledger_entries) = (self.shard, self.log, self.origin.ledger_entries);
        let ledger_on_disk = ledger_parts::sync(shard, folder).map_err(|source| self.io(source))?;
        let header = SnapshotHeader { shard, log, place, ledger_entries, ledger_on_disk, sections: Vec::new() };
        let mut snapshot = SnapshotWriter::create(disk, folder, header)?;
        self.exchange.save(&mut snapshot)?;
        self.carried.save(&mut snapshot, folder.clone())?;
        let bytes = snapshot.finish()?;
        self.kept = place.next.sequence;
        keep(&self.options, shard, self.kept)?;
        Ok(Some(bytes))
    }
    // ANCHOR_END: write

    fn digest(&self) -> u64 {
        self.exchange.digest()
    }

    fn next(&self) -> Sequence {
        self.next()
    }

    fn passed_over(&self) -> &[String] {
        &self.origin.passed_over
    }

    fn reshard(disk: &dyn Disk, data_dir: &Path, shards: u16) -> Result<String, EngineError> {
        reshard(disk, data_dir, shards)
    }
}

/// The identity of a shard's log.
fn log_identity(disk: &dyn Disk, folder: &Path, shard: ShardOf) -> Result<LogId, EngineError> {
    match identity(disk, folder, shard)? {
        LogId::NONE => {
            let reason = "the log is of version 1: start an engine once, which rewrites it".into();
            Err(EngineError::Unsound { path: folder.join(shard.file_name()), reason })
        }
        id => Ok(id),
    }
}
