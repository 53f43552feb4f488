//! How far a log is known to have been on disk, according to the files beside it.

use std::path::Path;

use crate::log::LogHeader;
use crate::snapshot_file::SnapshotReader;
use crate::watermark::Mark;
use crate::{Disk, LogError, Sequence, snapshot, watermark};

/// The last command of the log at `path` that is known to have been on disk. The watermark says so, or a snapshot
/// that includes it, because snapshots are made only of durable commands. If the watermark is gone, snapshots are the
/// only evidence.
///
/// # Errors
/// When the disk can't be read.
pub(crate) fn known_durable(disk: &dyn Disk, path: &Path, header: &LogHeader) -> Result<Option<Sequence>, LogError> {
    let mark = watermark::read(disk, path, header.id).map(|Mark { last, .. }| last);
    let found = snapshot::list(disk, path.parent().unwrap_or(path), header.shard);
    let io = |source| LogError::Io { what: "look for snapshots of", path: path.to_path_buf(), source };
    let found = found.map_err(io)?;
    let of_this_log = found.iter().filter_map(|(_, path)| SnapshotReader::open(disk, path).ok());
    let of_this_log = of_this_log.filter(|snapshot| snapshot.header.log == header.id);
    let last = |snapshot: SnapshotReader| Sequence(snapshot.header.place.next.sequence.0.saturating_sub(1));
    Ok(mark.into_iter().chain(of_this_log.map(last)).max())
}
