//! One snapshot of each shard, made by a process of its own: the engine may run meanwhile, or not.

use std::path::Path;

use market::data_dir::{SnapshotLock, shard_counts};
use market::log::ShardOf;
use market::watermark::{self, Mark};
use market::{Disk, EngineError, LogError, LogId, Options, Sequence};

use crate::engine::Shadow;

/// How often a watermark that looks like none is read.
const LOOKS: usize = 5;

/// Follows the logs to their watermarks, writes a snapshot of each shard, and returns a line for each.
///
/// # Errors
/// When there is no log, when one can't be read, when another process makes snapshots, or the disk can't be written.
pub fn snapshot<S: Shadow>(options: &Options) -> Result<String, EngineError> {
    let shards = shard_count(options, "make a snapshot of")?;
    let _lock = SnapshotLock::take(&*options.disk, &options.data_dir)?;
    let shards = (0..shards).map(|shard| ShardOf { shard, shards });
    let said: Result<Vec<String>, EngineError> = shards.map(|shard| one::<S>(options, shard)).collect();
    Ok(said?.join("\n"))
}

/// How many shards the data directory has. `what` names the work for the error.
///
/// # Errors
/// When there is no log, or there are several sets of them.
pub fn shard_count(options: &Options, what: &str) -> Result<u16, EngineError> {
    let (disk, folder) = (&*options.disk, &options.data_dir);
    let io = |source| LogError::Io { what: "look for", path: folder.clone(), source };
    match shard_counts(disk, folder).map_err(io)?[..] {
        [shards] => Ok(shards),
        [] => Err(EngineError::Refused(format!("{}: no log to {what}; a run makes one", folder.display()))),
        _ => {
            let reason = "there are logs of several numbers of shards: open it with an engine first".into();
            Err(EngineError::Unsound { path: folder.clone(), reason })
        }
    }
}

/// The watermark of the log at `path`. It may be read while it is written, and then looks like none, so it is read again.
pub fn read_mark(disk: &dyn Disk, path: &Path, log: LogId) -> Option<Mark> {
    (0..LOOKS).find_map(|_| watermark::read(disk, path, log))
}

/// A snapshot of one shard.
fn one<S: Shadow>(options: &Options, shard: ShardOf) -> Result<String, EngineError> {
    let mut shadow = S::begin(options, shard)?;
    let began = shadow.next();
    // A running engine may log faster than this reads: what was on disk when it began is enough.
    let mut until = Sequence(u64::MAX);
    loop {
        let left = shadow.follow(until)?;
        until = until.min(shadow.next().plus(left));
        if left == 0 || shadow.next() >= until {
            break;
        }
    }
    let mut said = shadow.passed_over().to_vec();
    let (number, replayed, before) = (shard.shard, shadow.next().0 - began.0, shadow.next().0 - Sequence::FIRST.0);
    let (written, digest) = (shadow.write()?, shadow.digest());
    said.push(match written {
        Some(bytes) => format!(
            "shard {number}: replayed {replayed} commands, and wrote a snapshot of {bytes} bytes after command \
             {before}; the state's digest is {digest:016x}"
        ),
        None if before == 0 => {
            format!("shard {number}: no command is known to be on disk, so there is nothing to write")
        }
        None => format!(
            "shard {number}: the last snapshot was taken after command {before}, the last on disk; the state's digest \
             is {digest:016x}"
        ),
    });
    Ok(said.join("\n"))
}
