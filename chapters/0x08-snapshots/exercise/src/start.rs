//! Where an engine begins: with the newest snapshot that can be used, or with the first command.
//!
//! A snapshot is used when each of its blocks has the right checksum and the log has, at the place that the snapshot
//! names, exactly the frame that it ends with. A snapshot that fails this is reported, and the one before it is tried.
//! So the engine only ever loads a state that the log leads to; a lost snapshot costs only time.

use keeping::ledger_parts::Part;
use market::log::ShardOf;
use market::log_reader::Place;
use market::{EngineError, LogId, Options, Recovery, Sequence};

use crate::exchange::Exchange;

/// What an engine begins with.
#[derive(Default)]
pub struct Start {
    /// All markets at that point.
    pub exchange: Exchange,
    /// Which point it is.
    pub origin: Origin,
}

/// The point from which the log is replayed.
#[derive(Default)]
pub struct Origin {
    /// Where the log goes on; without it, at its beginning.
    pub place: Option<Place>,
    /// The log's identity, if there is a place in it.
    pub log: Option<LogId>,
    /// How many entries the ledger had.
    pub ledger_entries: u64,
    /// Which snapshots were passed over, and why.
    pub passed_over: Vec<String>,
}

impl Origin {
    /// The part of a shard's ledger that begins here.
    pub fn ledger_part(&self, shard: ShardOf) -> Part {
        Part { shard, first: self.next(), entry: self.ledger_entries }
    }

    /// The next command.
    pub fn next(&self) -> Sequence {
        self.place.map_or(Sequence::FIRST, |place| place.next.sequence)
    }

    /// Adds to the recovery which part of the log was replayed, and what an operator should know about the start.
    pub fn tell(&self, recovery: &mut Recovery) {
        let before = self.next().0 - Sequence::FIRST.0;
        recovery.replayed = recovery.commands.saturating_sub(before);
        let Recovery { commands, replayed, remarks, .. } = recovery;
        remarks.extend(self.passed_over.iter().cloned());
        if before > 0 {
            remarks.push(format!(
                "began with the snapshot after command {before} and replayed {replayed} commands after it"
            ));
        } else if !self.passed_over.is_empty() {
            remarks.push(format!("no snapshot could be used, so all {commands} commands were replayed"));
        }
    }
}

impl Start {
    /// Loads the newest snapshot of the shard that can be used.
    ///
    /// # Errors
    /// When the disk can't be read, and when the log's beginning is gone and no snapshot can replace it.
    pub fn find(_options: &Options, _shard: ShardOf) -> Result<Start, EngineError> {
        // Step 2 begins with a snapshot: `market::snapshot` lists them, and `keeping::fit` opens one that fits the log.
        Ok(Start::default())
    }

    /// Loads the newest snapshot that can be used and at which `limit` or an earlier command is the next.
    ///
    /// # Errors
    /// As [`find`](Start::find).
    pub fn find_before(_options: &Options, _shard: ShardOf, _limit: Sequence) -> Result<Start, EngineError> {
        todo!("step 2: as `find`, with fewer snapshots to choose from")
    }

    /// A start with the log's first command, where the log still has it.
    ///
    /// # Errors
    /// When the disk can't be read.
    pub fn without_snapshot(_options: &Options, _shard: ShardOf) -> Result<Option<Start>, EngineError> {
        todo!("step 3: for companions that a snapshot does not hold")
    }
}
