//! Resharding: rewriting the logs of a data directory for another number of shards.
//!
//! The order of the commands of a market is kept, and no other order means anything. It is safe to
//! cut short anywhere: the new logs are complete before the first old one goes, shard 0's log is made
//! last and removed first, and a directory with two complete sets opens only after this was run again.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use market::log::{ShardOf, encode_log};
use market::log_reader::{LogReader, shard_counts};
use market::{Command, Disk, EngineError, LogError};

use crate::ledger;

/// Rewrites the logs in `data_dir` for `shards` shards, and says what was done.
///
/// # Errors
/// When there is no log, when a log can't be trusted, or the disk can't be written.
pub fn reshard(disk: &dyn Disk, data_dir: &Path, shards: u16) -> Result<String, EngineError> {
    let counts = shard_counts(disk, data_dir).map_err(|source| io("look for", data_dir, source))?;
    let before = counts.iter().copied().find(|&count| count != shards);
    let commands = match before {
        Some(before) if !counts.contains(&shards) => rewrite(disk, data_dir, before, shards)?,
        // A resharding was cut short behind its rewriting, or there is nothing to rewrite.
        _ if counts.contains(&shards) => 0,
        _ => return Err(EngineError::Refused(format!("{}: no log to reshard; a run makes one", data_dir.display()))),
    };
    remove_others(disk, data_dir, shards)?;
    let data_dir = data_dir.display();
    Ok(match before {
        Some(before) => format!("{data_dir}: {before} shards are now {shards}; {commands} commands were rewritten"),
        None => format!("{data_dir} has {shards} shards already"),
    })
}

// ANCHOR: rewrite
/// Writes the new set of logs beside the old one, shard 0 last.
fn rewrite(disk: &dyn Disk, data_dir: &Path, before: u16, shards: u16) -> Result<usize, EngineError> {
    let mut dealt: BTreeMap<u16, Vec<Command>> = (0..shards).map(|shard| (shard, Vec::new())).collect();
    for shard in 0..before {
        let path = data_dir.join(ShardOf { shard, shards: before }.file_name());
        let opened = disk.open(&path).map_err(|source| io("open", &path, source))?;
        let mut file = opened.ok_or_else(|| LogError::Missing { path: path.clone() })?;
        let mut reader = LogReader::new(&mut *file, &path)?;
        while let Some(frame) = reader.next_frame()? {
            for (_, command) in frame {
                dealt.entry(ShardOf::market(command.market(), shards).shard).or_default().push(command);
            }
        }
    }
    for (&shard, commands) in dealt.iter().rev() {
        let shard = ShardOf { shard, shards };
        let path = data_dir.join(shard.file_name());
        disk.create(&path, &encode_log(shard, commands)).map_err(|source| io("write", &path, source))?;
    }
    Ok(dealt.values().map(Vec::len).sum())
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
        disk.remove(&path).map_err(|source| io("remove", &path, source))?;
    }
    Ok(())
}

fn io(what: &'static str, path: &Path, source: std::io::Error) -> EngineError {
    LogError::Io { what, path: path.to_path_buf(), source }.into()
}
