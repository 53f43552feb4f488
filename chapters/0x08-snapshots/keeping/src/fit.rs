//! Whether a snapshot and a log belong together: the log has, at the place that the snapshot names, the very frame that
//! the snapshot ends with.

use std::path::Path;

use market::log::ShardOf;
use market::log_chain::{Segment, read_chain};
use market::snapshot::SnapshotHeader;
use market::snapshot_file::{SnapshotError, SnapshotReader};
use market::{Disk, LogError, Sequence};

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
