//! Resharding logs whose beginning is gone: the state that the lost part led to is dealt out in snapshots, and
//! the commands after it in logs.
//!
//! Each shard's oldest snapshot stands at a place of its own. So all of them are replayed to one moment, that of the
//! latest of these places: what was logged up to it is in the new snapshots, and what was logged later in the new
//! logs. A market is in one shard, so its commands keep their order. Cost: the state once, and once more for the
//! shard that is read back.

use std::path::Path;

use market::log::ShardOf;
use market::log_chain::segments;
use market::log_merge::LogMerge;
use market::log_reader::Place;
use market::log_set::SetWriter;
use market::snapshot::{MARKETS, SnapshotHeader, list};
use market::snapshot_file::{SnapshotReader, SnapshotWriter};
use market::{Disk, EngineError, Sequence, Stamp, UnixMs};

use crate::companions::word;
use crate::engine::Exchange;
use crate::fit;
use crate::ledger_parts::{self, Part};

/// The state of a set of logs at one moment, dealt out to another number of shards.
pub struct Dealt<E> {
    exchanges: Vec<E>,
    moment: UnixMs,
    /// Where the old shards' ledgers stand at that moment, and how many entries are known to be on disk.
    ledgers: Vec<(Part, u64)>,
}

// ANCHOR: deal
/// Writes a set of `before` logs anew for `shards` shards, and returns how many of its commands are in the new
/// logs. At least one of the old ones has lost its beginning. The new ones have no names yet.
///
/// # Errors
/// When a snapshot or a log can't be trusted, or the disk can't be read or written.
pub fn deal<'disk, E: Exchange>(
    disk: &'disk dyn Disk,
    folder: &Path,
    before: u16,
    shards: u16,
) -> Result<(SetWriter<'disk>, u64), EngineError> {
    let (mut dealt, places) = Dealt::<E>::oldest(disk, folder, before, shards)?;
    let mut logs = LogMerge::open(disk, folder, &places)?;
    dealt.replay(&mut logs)?;
    dealt.check_ledgers(folder)?;
    let mut new = SetWriter::create_at(disk, folder, &dealt.beginnings())?;
    dealt.write_snapshots(disk, folder, &mut new)?;
    while let Some((_, stamp, command)) = logs.next_command()? {
        new.push(stamp.time, &command)?;
    }
    let commands = new.finish()?;
    dealt.end_ledgers(folder).map_err(io("end the ledger", folder))?;
    Ok((new, commands))
}
// ANCHOR_END: deal

/// Refuses a snapshot that holds more than markets: a layer's section can't be dealt out without that layer.
fn refuse_companions(folder: &Path, header: Option<&SnapshotHeader>) -> Result<(), EngineError> {
    let foreign = header.into_iter().flat_map(|header| &header.sections).find(|(name, _)| *name != MARKETS);
    foreign.map_or(Ok(()), |(name, _)| {
        let (folder, name) = (folder.display(), word(name));
        Err(EngineError::Refused(format!(
            "{folder}: the snapshots hold a section {name}, and a log without its beginning can't be resharded \
             without losing that section: bring the archived segments back first; nothing was changed"
        )))
    })
}

impl<E: Exchange> Dealt<E> {
    /// Loads the oldest snapshot of each shard whose log has no beginning; returns where the logs go on.
    fn oldest(
        disk: &dyn Disk,
        folder: &Path,
        before: u16,
        shards: u16,
    ) -> Result<(Dealt<E>, Vec<Option<Place>>), EngineError> {
        let (mut exchanges, mut places, mut ledgers) = (Vec::new(), Vec::new(), Vec::new());
        exchanges.resize_with(shards.into(), E::default);
        for shard in (0..before).map(|shard| ShardOf { shard, shards: before }) {
            let (exchange, header) = oldest::<E>(disk, folder, shard)?.unzip();
            refuse_companions(folder, header.as_ref())?;
            exchange.into_iter().for_each(|exchange| exchange.deal(&mut exchanges));
            let place = header.as_ref().map(|header| header.place);
            let first = place.map_or(Sequence::FIRST, |place| place.next.sequence);
            let (entry, on_disk) = header.map_or((0, 0), |header| (header.ledger_entries, header.ledger_on_disk));
            ledgers.push((Part { shard, first, entry }, on_disk));
            places.push(place);
        }
        let moment = places.iter().flatten().map(|place| place.next.time).max().unwrap_or_default();
        Ok((Dealt { exchanges, moment, ledgers }, places))
    }

    /// Replays everything up to the moment.
    fn replay(&mut self, logs: &mut LogMerge<'_>) -> Result<(), EngineError> {
        let mut events = Vec::new();
        while let Some((shard, stamp, command)) = logs.next_until(self.moment)? {
            let to = ShardOf::market(command.market(), self.exchanges.len() as u16).shard;
            events.clear();
            self.exchanges[usize::from(to)].apply(&command, &mut events);
            let (ledger, _) = &mut self.ledgers[usize::from(shard)];
            ledger.first = stamp.sequence.plus(1);
            ledger.entry += events.iter().filter(|event| event.moves_value()).count() as u64;
        }
        Ok(())
    }

    /// Refuses ledgers that end before the moment: what is missing can't be derived from the new logs.
    fn check_ledgers(&self, folder: &Path) -> Result<(), EngineError> {
        for &(Part { shard, entry, .. }, on_disk) in &self.ledgers {
            if !ledger_parts::reach(shard, folder, entry, on_disk).map_err(io("look for the ledger", folder))? {
                let reason = format!(
                    "the first {entry} entries of this ledger are not all here, and the new logs could not reproduce \
                     them: open the logs with `--shards {}` once, which writes them again; if that is not possible, \
                     reshard after two more snapshots; nothing was changed",
                    shard.shards
                );
                return Err(EngineError::Unsound { path: folder.join(Part::whole(shard).file_name()), reason });
            }
        }
        Ok(())
    }

    /// Ends the ledgers of the old shards at the moment, for good. An engine that opens the old logs after all writes on.
    fn end_ledgers(&self, folder: &Path) -> std::io::Result<()> {
        self.ledgers.iter().try_for_each(|(part, _)| {
            part.ends(folder)?;
            ledger_parts::sync(part.shard, folder).map(drop)
        })
    }

    /// With which command and after which time each new log goes on. It is not known how many commands led to a
    /// market, so all that were before are divided evenly: the sum stays what it was. None begins with the first.
    fn beginnings(&self) -> Vec<Stamp> {
        let before: u64 = self.ledgers.iter().map(|(part, _)| part.first.0 - Sequence::FIRST.0).sum();
        let shards = self.exchanges.len() as u64;
        let share = |shard| (before / shards + u64::from(shard < before % shards)).max(1);
        (0..shards).map(|shard| Stamp { sequence: Sequence::FIRST.plus(share(shard)), time: self.moment }).collect()
    }

    /// Writes a snapshot of each new shard, at the beginning of its log, and reads it back.
    fn write_snapshots(&mut self, disk: &dyn Disk, folder: &Path, new: &mut SetWriter<'_>) -> Result<(), EngineError> {
        for (exchange, log) in self.exchanges.drain(..).zip(new.headers()) {
            let (shard, place) = (log.shard, Place::behind(&log));
            let (ledger_entries, ledger_on_disk) = (0, 0);
            let header =
                SnapshotHeader { shard, log: log.id, place, ledger_entries, ledger_on_disk, sections: Vec::new() };
            let mut snapshot = SnapshotWriter::create(disk, folder, header)?;
            let path = snapshot.draft().to_path_buf();
            new.goes_with(path.clone());
            exchange.save(&mut snapshot)?;
            snapshot.finish_unnamed()?;
            let read = SnapshotReader::open(disk, &path).and_then(|mut snapshot| E::load(&mut snapshot));
            let reason = match read {
                Ok(read) if read.digest() == exchange.digest() => continue,
                Ok(_) => "it does not hold what was written".into(),
                Err(error) => error.to_string(),
            };
            let reason =
                format!("a new snapshot does not read back: {reason}; nothing was changed: fix the disk and try again");
            return Err(EngineError::Unsound { path, reason });
        }
        Ok(())
    }
}

/// The oldest snapshot of a shard and what it holds, or nothing where its log has its beginning.
fn oldest<E: Exchange>(
    disk: &dyn Disk,
    folder: &Path,
    shard: ShardOf,
) -> Result<Option<(E, SnapshotHeader)>, EngineError> {
    let segments = segments(disk, folder, shard).map_err(io("look for the log", folder))?;
    let Some(first) = segments.first().filter(|segment| segment.first > Sequence::FIRST) else { return Ok(None) };
    let snapshots = list(disk, folder, shard).map_err(io("look for snapshots", folder))?;
    let Some((_, path)) = snapshots.last() else {
        let reason = format!(
            "the log begins with command {}, and there is no snapshot of what came before it: restore one, or the whole \
             log, from a copy; nothing was changed",
            first.first
        );
        return Err(EngineError::Unsound { path: first.path.clone(), reason });
    };
    let loaded = fit::open(disk, shard, &segments, path).and_then(|mut snapshot| {
        let exchange = E::load(&mut snapshot)?;
        Ok((exchange, snapshot.header))
    });
    loaded.map(Some).map_err(|error| {
        let reason = format!(
            "resharding needs this snapshot for what came before command {}, and it can't be used: {error}; restore it \
             from a copy, or move it away so that the next one is used; nothing was changed",
            first.first
        );
        EngineError::Unsound { path: path.clone(), reason }
    })
}

fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> EngineError + use<> {
    let path = path.to_path_buf();
    move |source| EngineError::Io { what, path, source }
}
