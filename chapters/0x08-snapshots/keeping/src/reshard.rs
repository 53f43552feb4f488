//! Resharding a directory with snapshots.
//!
//! If all logs have their beginning they can be replayed, so the old snapshots are removed. Otherwise the
//! state in them is dealt out.

use std::path::Path;

use market::data_dir::{DataDir, SnapshotLock, shard_counts};
use market::log::ShardOf;
use market::log_chain::segments;
use market::{Disk, EngineError, LogError, Sequence};

use crate::deal::deal;
use crate::engine::Shadow;
use crate::ledger_parts::parts;

// ANCHOR: reshard
/// Rewrites the logs in `data_dir` for `shards` shards, and returns a report.
///
/// # Errors
/// When there is no log, when a log or a snapshot can't be trusted, or the disk can't be written.
pub fn reshard<S: Shadow>(disk: &dyn Disk, data_dir: &Path, shards: u16) -> Result<String, EngineError> {
    let look = || shard_counts(disk, data_dir).map_err(|source| io("look for", data_dir, source));
    if look()?.is_empty() {
        return S::reshard(disk, data_dir, shards);
    }
    // Opening completes a resharding that was interrupted.
    let held = DataDir::open(disk, data_dir)?;
    let _snapshots = SnapshotLock::take(disk, data_dir)?;
    if let [before] = look()?[..]
        && before != shards
    {
        refuse_ledgers(data_dir, shards)?;
        if is_trimmed(disk, data_dir, before)? {
            let (new, commands) = deal::<S::Exchange>(disk, data_dir, before, shards)?;
            new.switch()?;
            let folder = data_dir.display();
            return Ok(format!("{folder}: {before} shards are now {shards}; {commands} commands were rewritten"));
        }
    }
    drop(held);
    S::reshard(disk, data_dir, shards)
}
// ANCHOR_END: reshard

/// Refuses a directory with a ledger from before an earlier resharding, when there were as many shards.
fn refuse_ledgers(data_dir: &Path, shards: u16) -> Result<(), EngineError> {
    let io = |source| EngineError::Io { what: "look for a ledger", path: data_dir.to_path_buf(), source };
    for shard in (0..shards).map(|shard| ShardOf { shard, shards }) {
        if let Some((_, path, _)) = parts(shard, data_dir).map_err(io)?.pop() {
            let reason = "it is from before an earlier resharding, and would be taken for the new ledger: move it to \
                          another folder first"
                .into();
            return Err(EngineError::Unsound { path, reason });
        }
    }
    Ok(())
}

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

fn io(what: &'static str, path: &Path, source: std::io::Error) -> EngineError {
    LogError::Io { what, path: path.to_path_buf(), source }.into()
}
