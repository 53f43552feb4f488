//! Trimming: the segments at the log's beginning that no kept snapshot needs.
//!
//! From then on the log can't be replayed from its first command, and a start takes a snapshot. So nothing is removed
//! before two snapshots were read back, each block of them; and the oldest segment goes first, so that what is left
//! is always the end of the log.

use std::path::Path;

use market::log::ShardOf;
use market::log_chain::{Segment, segments};
use market::snapshot::list;
use market::{Disk, EngineError};

use crate::start::check;

// ANCHOR: trim
/// Removes the segments that neither of the `kept` newest snapshots needs, and says how many they were: none while
/// there are fewer snapshots, or one of them does not hold. Who calls this holds the lock of the snapshots.
///
/// # Errors
/// What the disk says.
pub fn trim(disk: &dyn Disk, folder: &Path, shard: ShardOf, kept: usize) -> Result<usize, EngineError> {
    let io = |source| EngineError::Io { what: "trim the log", path: folder.to_path_buf(), source };
    let segments = segments(disk, folder, shard).map_err(io)?;
    let newest = list(disk, folder, shard).map_err(io)?.into_iter().take(kept);
    let read: Vec<_> = newest.map_while(|(_, path)| check(disk, shard, &segments, &path).ok()).collect();
    let Some(oldest) = read.iter().map(|snapshot| snapshot.place.segment).min() else { return Ok(0) };
    if read.len() < kept {
        return Ok(0);
    }
    let needless: Vec<&Segment> = segments.iter().take_while(|segment| segment.first < oldest).collect();
    needless.iter().try_for_each(|segment| disk.remove(&segment.path)).map_err(io)?;
    Ok(needless.len())
}
// ANCHOR_END: trim
