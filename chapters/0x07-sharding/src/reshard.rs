//! Resharding: rewriting the logs of a data directory for another number of shards.
//!
//! The order of the commands of a market is kept, and no other order means anything. It is safe to
//! cut short anywhere: the new logs are complete and read back before the first old one goes, shard 0's log
//! is named last and removed first, and a directory with two complete sets opens only after this was run again.

use std::io::ErrorKind;
use std::path::Path;

use market::data_dir::{DataDir, shard_counts};
use market::log::ShardOf;
use market::log_set::{Histories, SetWriter, State, is_draft, read_set};
use market::{Disk, EngineError, LogError, watermark};

use crate::ledger;

/// Rewrites the logs in `data_dir` for `shards` shards, and says what was done.
///
/// # Errors
/// When there is no log, when a log can't be trusted, or the disk can't be written.
pub fn reshard(disk: &dyn Disk, data_dir: &Path, shards: u16) -> Result<String, EngineError> {
    let look = || shard_counts(disk, data_dir).map_err(|source| io("look for", data_dir, source));
    if look()?.is_empty() {
        return Err(EngineError::Refused(format!("{}: no log to reshard; a run makes one", data_dir.display())));
    }
    let _held = DataDir::open(disk, data_dir)?;
    let counts = look()?;
    let others: Vec<u16> = counts.iter().copied().filter(|&count| count != shards).collect();
    let mut commands = 0;
    for &before in &others {
        if counts.contains(&shards) {
            // A resharding was cut short behind its rewriting. Or somebody put these logs there.
            let new = Histories::read(disk, data_dir, shards, State::Complete)?;
            new.must_be(&Histories::read(disk, data_dir, before, State::Complete)?, data_dir)?;
        } else {
            commands = rewrite(disk, data_dir, before, shards)?;
            break;
        }
    }
    remove_others(disk, data_dir, shards)?;
    let data_dir = data_dir.display();
    Ok(match others.first() {
        Some(before) => format!("{data_dir}: {before} shards are now {shards}; {commands} commands were rewritten"),
        None => format!("{data_dir} has {shards} shards already"),
    })
}

// ANCHOR: rewrite
/// Writes the new set of logs beside the old one, reads it back, and names it, shard 0 last.
fn rewrite(disk: &dyn Disk, data_dir: &Path, before: u16, shards: u16) -> Result<u64, EngineError> {
    let mut new = SetWriter::create(disk, data_dir, shards)?;
    read_set(disk, data_dir, before, State::Complete, |time, command| new.push(time, command))?;
    new.finish()
}
// ANCHOR_END: rewrite

/// Removes all logs but the complete set, the first of each set first, and the ledgers made from them.
fn remove_others(disk: &dyn Disk, data_dir: &Path, shards: u16) -> Result<(), EngineError> {
    let names = disk.list(data_dir).map_err(|source| io("look for", data_dir, source))?;
    let mut logs: Vec<ShardOf> = names.iter().filter_map(|name| ShardOf::of_file_name(name)).collect();
    for shard in (0..shards).map(|shard| ShardOf { shard, shards }) {
        if !logs.contains(&shard) {
            return Err(LogError::Missing { path: data_dir.join(shard.file_name()) }.into());
        }
    }
    logs.retain(|log| log.shards != shards);
    logs.sort_unstable_by_key(|log| log.shard);
    for log in logs {
        let path = data_dir.join(ledger::file_name(log));
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != ErrorKind::NotFound => {
                return Err(EngineError::Io { what: "remove the ledger", path, source });
            }
            _ => {}
        }
        let path = data_dir.join(log.file_name());
        watermark::remove(disk, &path).map_err(|source| io("remove the watermark of", &path, source))?;
        disk.remove(&path).map_err(|source| io("remove", &path, source))?;
    }
    for path in names.iter().filter(|name| is_draft(name)).map(|name| data_dir.join(name)) {
        disk.remove(&path).map_err(|source| io("remove", &path, source))?;
    }
    Ok(())
}

fn io(what: &'static str, path: &Path, source: std::io::Error) -> EngineError {
    LogError::Io { what, path: path.to_path_buf(), source }.into()
}
