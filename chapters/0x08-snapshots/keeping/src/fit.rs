//! Whether a snapshot and a log belong together: the log has, at the place that the snapshot names, the very frame that
//! the snapshot ends with. And what an operator reads when one is there without the other.

use std::path::{Path, PathBuf};

use market::log::ShardOf;
use market::log_chain::{Segment, read_chain};
use market::snapshot::SnapshotHeader;
use market::snapshot_file::{SnapshotError, SnapshotReader};
use market::{Disk, EngineError, LogError, Sequence};

/// Opens a snapshot of this shard that fits the log in `segments`.
///
/// # Errors
/// Why it can't be used.
pub fn open(
    disk: &dyn Disk,
    shard: ShardOf,
    segments: &[Segment],
    path: &Path,
) -> Result<SnapshotReader, SnapshotError> {
    let snapshot = SnapshotReader::open(disk, path)?;
    let place = snapshot.header.place;
    let before = Sequence(place.next.sequence.0.saturating_sub(1));
    let found = read_chain::<LogError>(disk, shard, segments, Some(&place), Some(before), |_, _| Ok(()));
    match found {
        Ok(end) if end.header.id == snapshot.header.log => Ok(snapshot),
        Ok(_) => Err(snapshot.unusable("it is of another log")),
        Err(LogError::Io { source, .. }) => Err(SnapshotError::Io { path: path.to_path_buf(), source }),
        Err(error) => Err(snapshot.unusable(&format!("it does not fit the log: {error}"))),
    }
}

/// Reads every block of a snapshot of this shard that fits the log in `segments`, and loads nothing.
///
/// # Errors
/// Why it can't be used.
pub fn check(
    disk: &dyn Disk,
    shard: ShardOf,
    segments: &[Segment],
    path: &Path,
) -> Result<SnapshotHeader, SnapshotError> {
    let mut snapshot = open(disk, shard, segments, path)?;
    snapshot.skip(snapshot.header.body_bytes())?;
    Ok(snapshot.header)
}

/// The error when there is a snapshot and no log.
pub fn without_log(path: &Path) -> EngineError {
    let reason = "there is a snapshot and no log, so commands that were acknowledged may be lost, and nothing was \
                  loaded: restore the log from a copy, or move this folder away to start with no history";
    EngineError::Unsound { path: path.to_path_buf(), reason: reason.into() }
}

/// The error when the log's beginning is gone and no snapshot is valid.
pub fn without_beginning(path: PathBuf, first: Sequence, passed_over: &[String]) -> EngineError {
    let found = if passed_over.is_empty() { "there is none".to_string() } else { passed_over.join("; ") };
    let reason = format!(
        "the log begins with command {first}, so a start needs a snapshot, and {found}: restore one, or the whole log, \
         from a copy; nothing was loaded"
    );
    EngineError::Unsound { path, reason }
}
