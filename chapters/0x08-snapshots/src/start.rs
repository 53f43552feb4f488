//! Where an engine begins: with the newest snapshot that can be used, or with the first command.
//!
//! A snapshot is used when each of its blocks has the right checksum and the log has, at the place that the snapshot
//! names, exactly the frame that it ends with. A snapshot that fails this is reported, and the one before it is tried.
//! So the engine only ever loads a state that the log leads to; a lost snapshot costs only time.

use std::path::Path;

use keeping::ledger_parts::{self, Part};
use keeping::{Exchange as _, fit};
use market::log::ShardOf;
use market::log_chain::{Segment, segments};
use market::log_reader::Place;
use market::snapshot::{SnapshotHeader, list};
use market::snapshot_file::SnapshotError;
use market::{Disk, EngineError, LogId, Options, Recovery, Sequence};

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
    // ANCHOR: find
    /// Loads the newest snapshot of the shard that can be used.
    ///
    /// # Errors
    /// When the disk can't be read, and when the log's beginning is gone and no snapshot can replace it.
    pub fn find(options: &Options, shard: ShardOf) -> Result<Start, EngineError> {
        Start::find_before(options, shard, Sequence(u64::MAX))
    }

    /// Loads the newest snapshot that can be used and at which `limit` or an earlier command is the next.
    ///
    /// # Errors
    /// As [`find`](Start::find).
    pub fn find_before(options: &Options, shard: ShardOf, limit: Sequence) -> Result<Start, EngineError> {
        let (disk, folder) = (&*options.disk, &options.data_dir);
        let io = |source| EngineError::Io { what: "look for snapshots", path: folder.clone(), source };
        let segments = segments(disk, folder, shard).map_err(io)?;
        let mut snapshots = list(disk, folder, shard).map_err(io)?;
        snapshots.retain(|(next, _)| *next <= limit);
        if let ([], [(_, path), ..]) = (&segments[..], &snapshots[..]) {
            return Err(fit::without_log(path));
        }
        let has_beginning = segments.first().is_none_or(|segment| segment.first == Sequence::FIRST);
        let mut passed_over = Vec::new();
        // With all of the log a replay can write the ledger again, and otherwise nothing can.
        for with_ledger in if has_beginning { &[true][..] } else { &[true, false] } {
            for (_, path) in &snapshots {
                match load(disk, shard, &segments, path, *with_ledger) {
                    Ok((exchange, header)) => {
                        let (place, log) = (Some(header.place), Some(header.log));
                        let origin = Origin { place, log, ledger_entries: header.ledger_entries, passed_over };
                        return Ok(Start { exchange, origin });
                    }
                    Err(error) if *with_ledger => passed_over.push(format!("passed over a snapshot: {error}")),
                    Err(_) => {}
                }
            }
        }
        match segments.first() {
            Some(Segment { first, path }) if !has_beginning => {
                Err(fit::without_beginning(path.clone(), *first, &passed_over))
            }
            _ => Ok(Start { origin: Origin { passed_over, ..Origin::default() }, ..Start::default() }),
        }
    }
    // ANCHOR_END: find

    /// A start with the log's first command, where the log still has it.
    ///
    /// # Errors
    /// When the disk can't be read.
    pub fn without_snapshot(options: &Options, shard: ShardOf) -> Result<Option<Start>, EngineError> {
        let io = |source| EngineError::Io { what: "look for the log", path: options.data_dir.clone(), source };
        let segments = segments(&*options.disk, &options.data_dir, shard).map_err(io)?;
        Ok(segments.first().is_some_and(|segment| segment.first == Sequence::FIRST).then(Start::default))
    }
}

/// Loads a snapshot of this shard that fits the log; if that is asked for, only when the ledger is as far.
fn load(
    disk: &dyn Disk,
    shard: ShardOf,
    segments: &[Segment],
    path: &Path,
    with_ledger: bool,
) -> Result<(Exchange, SnapshotHeader), SnapshotError> {
    let mut snapshot = fit::open(disk, shard, segments, path)?;
    let (entries, on_disk) = (snapshot.header.ledger_entries, snapshot.header.ledger_on_disk);
    let folder = path.parent().unwrap_or(path);
    let io = |source| SnapshotError::Io { path: path.to_path_buf(), source };
    if with_ledger && !ledger_parts::reach(shard, folder, entries, on_disk).map_err(io)? {
        return Err(snapshot.unusable(&format!("the ledger does not have all {entries} entries before it")));
    }
    let exchange = Exchange::load(&mut snapshot)?;
    Ok((exchange, snapshot.header))
}
