//! Trimming: the segments at the log's beginning that no kept snapshot needs.
//!
//! From then on the log can't be replayed from its first command, and a start takes a snapshot. So nothing is removed
//! before two snapshots were read back, each block of them, and what the ledger has up to the older one is on disk, for
//! nobody can derive it again; and the oldest segment goes first, so that what is left is always the end of the log.

use std::path::Path;

use market::disk::copy_file;
use market::log::ShardOf;
use market::log_chain::{Segment, segments};
use market::snapshot::list;
use market::{Disk, EngineError, LogReader};

use crate::ledger_parts;
use crate::start::check;

// ANCHOR: trim
/// Removes the segments that neither of the `kept` newest snapshots needs, or puts them into `archive`, and says
/// how many they were: none while there are fewer snapshots, one of them does not hold, or the ledger is behind
/// the older. Who calls this holds the lock of the snapshots.
///
/// # Errors
/// What the disk says.
pub fn trim(
    disk: &dyn Disk,
    folder: &Path,
    archive: Option<&Path>,
    shard: ShardOf,
    kept: usize,
) -> Result<usize, EngineError> {
    let io = |source| EngineError::Io { what: "trim the log", path: folder.to_path_buf(), source };
    let segments = segments(disk, folder, shard).map_err(io)?;
    let newest = list(disk, folder, shard).map_err(io)?.into_iter().take(kept);
    let read: Vec<_> = newest.map_while(|(_, path)| check(disk, shard, &segments, &path).ok()).collect();
    let Some(oldest) = read.iter().min_by_key(|snapshot| snapshot.place.next.sequence) else { return Ok(0) };
    if read.len() < kept || !ledger_parts::reach(shard, folder, oldest.ledger_entries).map_err(io)? {
        return Ok(0);
    }
    ledger_parts::sync(shard, folder).map_err(io)?;
    let oldest = oldest.place.segment;
    let needless: Vec<&Segment> = segments.iter().take_while(|segment| segment.first < oldest).collect();
    for segment in &needless {
        archive.map_or(Ok(()), |archive| put_aside(disk, &segment.path, archive))?;
        disk.remove(&segment.path).map_err(io)?;
    }
    Ok(needless.len())
}
// ANCHOR_END: trim

/// Copies a segment to the archive, which may be on another disk. One of its name that is there has to be the same, for a
/// crash may have come between a copy and the removal; then it is copied again.
fn put_aside(disk: &dyn Disk, segment: &Path, archive: &Path) -> Result<(), EngineError> {
    let io = |source| EngineError::Io { what: "put a segment into the archive", path: archive.to_path_buf(), source };
    disk.make_folder(archive).map_err(io)?;
    let to = archive.join(segment.file_name().unwrap_or_default());
    let there = disk.open(&to).map_err(io)?;
    let header = |path| Some(LogReader::new(&mut *disk.open(path).ok()??, path).ok()?.header);
    if there.is_some() && header(&to) != header(segment) {
        let reason = "another segment of this name is in the archive: give each market an archive of its own".into();
        return Err(EngineError::Unsound { path: to, reason });
    }
    let draft = to.with_extension("draft");
    copy_file(disk, segment, &draft, u64::MAX).map_err(io)?;
    disk.rename(&draft, &to).map_err(io)
}
