//! What is kept of the past: some snapshots, and the segments that they need. The rest may be removed.
//!
//! Once the log's beginning is gone, it can't be replayed from its first command, and a start needs a snapshot. So
//! nothing is removed before the snapshots that stay were read back, each block of them. And the ledger can't be
//! derived again from what was removed: what it has up to the oldest snapshot that stays is on disk before that. The
//! oldest segment is removed first, so that what is left is always the end of the log.

use std::path::{Path, PathBuf};

use market::disk::copy_file;
use market::log::ShardOf;
use market::log_chain::{Segment, segments};
use market::snapshot::{SnapshotHeader, list};
use market::snapshot_file::{SnapshotReader, remove_older};
use market::{Disk, EngineError, LogReader, Options, Sequence};

use crate::fit::check;
use crate::ledger_parts;

/// How many of the newest snapshots are kept, because one of them may be damaged.
const NEWEST_KEPT: usize = 2;

/// The snapshots of a shard that are kept.
pub struct Kept {
    /// Where each is and which command is next there, the newest first.
    pub snapshots: Vec<(Sequence, PathBuf)>,
    /// Whether the ledger has come to the oldest of them.
    pub reached: bool,
}

/// Removes the part of a shard's past that need not stay, now that its newest snapshot is there, at which `newest` is
/// the next command: older snapshots, and, if `options` ask for it, segments of the log. The caller holds the lock of
/// the snapshots.
///
/// # Errors
/// When the disk can't be read or written.
pub fn keep(options: &Options, shard: ShardOf, newest: Sequence) -> Result<(), EngineError> {
    let (disk, folder) = (&*options.disk, &options.data_dir);
    let kept = Kept::find(disk, folder, shard, newest)?;
    remove_older(disk, folder, shard, &kept.snapshots)?;
    if options.trim_log {
        trim(disk, folder, options.archive.as_deref(), shard, &kept)?;
    }
    Ok(())
}

// ANCHOR: kept
impl Kept {
    /// Of the snapshots at which `newest` or an earlier command is the next: the two newest, and the newest that
    /// the ledger has reached. An engine that is killed loses the part of the ledger that it had not yet written,
    /// and a start from that snapshot writes it again. The part of the ledger that a snapshot counts on was on
    /// disk when it was written.
    ///
    /// # Errors
    /// When the disk can't be read.
    pub fn find(disk: &dyn Disk, folder: &Path, shard: ShardOf, newest: Sequence) -> Result<Kept, EngineError> {
        let io = |source| EngineError::Io { what: "look for what can go", path: folder.to_path_buf(), source };
        let mut snapshots = list(disk, folder, shard).map_err(io)?;
        snapshots.retain(|(next, _)| *next <= newest);
        let header = |path: &PathBuf| Some(SnapshotReader::open(disk, path).ok()?.header);
        let headers: Vec<Option<SnapshotHeader>> = snapshots.iter().map(|(_, path)| header(path)).collect();
        let on_disk = headers.iter().flatten().map(|header| header.ledger_on_disk).max().unwrap_or(0);
        let mut reached = None;
        for (at, header) in headers.iter().enumerate() {
            // A start passes over one that can't be read, so the ledger has come to another.
            let Some(entries) = header.as_ref().map(|header| header.ledger_entries) else { continue };
            if entries <= on_disk && ledger_parts::reach(shard, folder, entries, on_disk).map_err(io)? {
                reached = Some(at);
                break;
            }
        }
        let mut at = 0..;
        snapshots.retain(|_| at.next().is_some_and(|at| at < NEWEST_KEPT || Some(at) == reached));
        Ok(Kept { snapshots, reached: reached.is_some() })
    }
}
// ANCHOR_END: kept

// ANCHOR: trim
/// Removes the segments that none of the snapshots in `kept` needs, or moves them into `archive`, and returns how
/// many: none while there are fewer than two snapshots, one of them is damaged, or the ledger has reached none.
/// The caller holds the lock of the snapshots.
///
/// # Errors
/// When the disk can't be read or written.
pub fn trim(
    disk: &dyn Disk,
    folder: &Path,
    archive: Option<&Path>,
    shard: ShardOf,
    kept: &Kept,
) -> Result<usize, EngineError> {
    let io = |source| EngineError::Io { what: "trim the log", path: folder.to_path_buf(), source };
    let segments = segments(disk, folder, shard).map_err(io)?;
    let paths = kept.snapshots.iter().map(|(_, path)| path);
    let read: Vec<_> = paths.map_while(|path| check(disk, shard, &segments, path).ok()).collect();
    let Some(oldest) = read.last() else { return Ok(0) };
    if read.len() < kept.snapshots.len().max(NEWEST_KEPT) || !kept.reached {
        return Ok(0);
    }
    let oldest = oldest.place.segment;
    let needless: Vec<&Segment> = segments.iter().take_while(|segment| segment.first < oldest).collect();
    for segment in &needless {
        archive.map_or(Ok(()), |archive| put_aside(disk, &segment.path, archive))?;
        disk.remove(&segment.path).map_err(io)?;
    }
    Ok(needless.len())
}
// ANCHOR_END: trim

/// Copies a segment to the archive, which may be on another disk. If a file of this name is there, it has to be the
/// same, because a crash may have come between a copy and the removal; then it is copied again.
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
