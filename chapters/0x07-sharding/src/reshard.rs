//! Resharding: rewriting the logs of a data directory for another number of shards.
//!
//! The order of a market's commands is kept; no other order means anything. It can be interrupted anywhere: the new
//! logs are complete and read back before they replace the old ones, by one rename. The next program that opens the
//! directory continues with the new ones.

use std::path::Path;

use market::data_dir::{DataDir, shard_counts};
use market::log::ShardOf;
use market::log_merge::read_set;
use market::log_set::SetWriter;
use market::{Disk, EngineError, LogError};

use crate::ledger;

/// Rewrites the logs in `data_dir` for `shards` shards, and returns a report.
///
/// # Errors
/// When there is no log, when a log can't be trusted, or the disk can't be written.
pub fn reshard(disk: &dyn Disk, data_dir: &Path, shards: u16) -> Result<String, EngineError> {
    let look = || shard_counts(disk, data_dir).map_err(|source| io("look for", data_dir, source));
    let folder = data_dir.display();
    if look()?.is_empty() {
        return Err(EngineError::Refused(format!("{folder}: no log to reshard; a run makes one")));
    }
    let _held = DataDir::open(disk, data_dir)?;
    match look()?[..] {
        [before] if before == shards => Ok(format!("{folder} has {shards} shards already")),
        [before] => {
            let commands = rewrite(disk, data_dir, before, shards)?;
            Ok(format!("{folder}: {before} shards are now {shards}; {commands} commands were rewritten"))
        }
        _ => {
            let reason = "there are logs of several numbers of shards; nothing was removed: move those that are wrong \
                          to another folder"
                .into();
            Err(EngineError::Unsound { path: data_dir.to_path_buf(), reason })
        }
    }
}

// ANCHOR: rewrite
/// Merges the logs of the old set into a new one beside it, reads that back, and switches to it.
fn rewrite(disk: &dyn Disk, data_dir: &Path, before: u16, shards: u16) -> Result<u64, EngineError> {
    let mut new = SetWriter::create(disk, data_dir, shards)?;
    read_set(disk, data_dir, before, |time, command| new.push(time, command))?;
    let commands = new.finish()?;
    remove_ledgers(data_dir, before)?;
    new.switch()?;
    Ok(commands)
}
// ANCHOR_END: rewrite

/// Removes the ledgers of the old set. An engine rebuilds them from the logs.
fn remove_ledgers(data_dir: &Path, shards: u16) -> Result<(), EngineError> {
    (0..shards).try_for_each(|shard| ledger::remove(data_dir, ShardOf { shard, shards }))
}

fn io(what: &'static str, path: &Path, source: std::io::Error) -> EngineError {
    LogError::Io { what, path: path.to_path_buf(), source }.into()
}
