//! Resharding: rewriting the logs of a data directory for another number of shards.
//!
//! The order of the commands of a market is kept, and no other order means anything. It is safe to
//! cut short anywhere: the new logs are complete and read back before they take the old ones' place, and they do that by
//! one rename. Whoever opens the directory after it goes on with the new ones.
//!
//! With their beginnings all logs can be read, so the old snapshots go. Without, what they hold is dealt out.

use std::path::Path;

use market::data_dir::{DataDir, SnapshotLock, shard_counts};
use market::log::ShardOf;
use market::log_chain::segments;
use market::log_merge::read_set;
use market::log_set::SetWriter;
use market::{Disk, EngineError, LogError, Sequence};

use crate::deal::deal;
use crate::ledger_parts::{Part, parts};

/// Rewrites the logs in `data_dir` for `shards` shards, and says what was done.
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
    let _snapshots = SnapshotLock::take(disk, data_dir)?;
    match look()?[..] {
        [before] if before == shards => Ok(format!("{folder} has {shards} shards already")),
        [before] => {
            refuse_ledgers(data_dir, shards)?;
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

/// Refuses a directory with a ledger from before an earlier resharding, when there were as many shards.
fn refuse_ledgers(data_dir: &Path, shards: u16) -> Result<(), EngineError> {
    for shard in (0..shards).map(|shard| ShardOf { shard, shards }) {
        if let Some((_, path, _)) = parts(shard, data_dir).map_err(ledger_io(data_dir))?.pop() {
            let reason = "it is from before an earlier resharding, and would be taken for the new ledger: move it to \
                          another folder first"
                .into();
            return Err(EngineError::Unsound { path, reason });
        }
    }
    Ok(())
}

// ANCHOR: rewrite
/// Merges the logs of the old set into a new one beside it, reads that back, and switches to it.
fn rewrite(disk: &dyn Disk, data_dir: &Path, before: u16, shards: u16) -> Result<u64, EngineError> {
    let (new, commands) = if is_trimmed(disk, data_dir, before)? {
        deal(disk, data_dir, before, shards)?
    } else {
        let mut new = SetWriter::create(disk, data_dir, shards)?;
        read_set(disk, data_dir, before, |time, command| new.push(time, command))?;
        let commands = new.finish()?;
        remove_ledgers(data_dir, before)?;
        (new, commands)
    };
    new.switch()?;
    Ok(commands)
}
// ANCHOR_END: rewrite

/// Whether the beginning of one of the logs is gone.
fn is_trimmed(disk: &dyn Disk, data_dir: &Path, shards: u16) -> Result<bool, EngineError> {
    for shard in (0..shards).map(|shard| ShardOf { shard, shards }) {
        let segments = segments(disk, data_dir, shard).map_err(|source| io("look for", data_dir, source))?;
        if segments.first().is_some_and(|segment| segment.first > Sequence::FIRST) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Removes the ledgers of the old set. An engine makes them again from the logs.
fn remove_ledgers(data_dir: &Path, shards: u16) -> Result<(), EngineError> {
    let mut ledgers = (0..shards).map(|shard| Part::whole(ShardOf { shard, shards }));
    ledgers.try_for_each(|ledger| ledger.ends(data_dir)).map_err(ledger_io(data_dir))
}

fn ledger_io(path: &Path) -> impl FnOnce(std::io::Error) -> EngineError + use<> {
    let path = path.to_path_buf();
    move |source| EngineError::Io { what: "clear away the ledger", path, source }
}

fn io(what: &'static str, path: &Path, source: std::io::Error) -> EngineError {
    LogError::Io { what, path: path.to_path_buf(), source }.into()
}
