//! What is kept of the past: some snapshots, and the segments that they need. The rest may be removed.
//!
//! Once the log's beginning is gone, it can't be replayed from its first command, and a start needs a snapshot. So
//! nothing is removed before the snapshots that stay were read back, each block of them. And the ledger can't be
//! derived again from what was removed: what it has up to the oldest snapshot that stays is on disk before that. The
//! oldest segment is removed first, so that what is left is always the end of the log.

use std::path::{Path, PathBuf};
use std::{fs, io};

use market::disk::copy_file;
use market::log::ShardOf;
use market::log_chain::segments;
use market::snapshot::list;
use market::snapshot_file::{SnapshotError, SnapshotReader, remove_older};
use market::{Disk, EngineError, Options, Sequence};

use crate::fit::check;
use crate::ledger_parts::{self, Part};

/// How many of the newest snapshots are kept, because one of them may be damaged.
const NEWEST_KEPT: usize = 2;

/// The snapshots of a shard that are kept. Each was read back.
pub struct Kept {
    /// Where each is and which command is next there, the newest first.
    pub snapshots: Vec<(Sequence, PathBuf)>,
    /// Whether the ledger has come to the oldest of them.
    pub reached: bool,
    /// The first command of the segment with which the oldest of them goes on.
    segment: Sequence,
}

/// Removes the part of a shard's past that need not stay, now that its newest snapshot is there, at which `newest` is
/// the next command: older snapshots, and, if `options` ask for it, segments of the log. The caller holds the lock of
/// the snapshots.
///
/// # Errors
/// When the disk can't be read or written.
pub fn keep(options: &Options, shard: ShardOf, newest: Sequence) -> Result<(), EngineError> {
    let (disk, folder) = (&*options.disk, &options.data_dir);
    refuse_archive_in_place(options.archive.as_deref(), folder)?;
    let kept = Kept::find(disk, folder, shard, newest)?;
    remove_older(disk, folder, shard, &kept.snapshots)?;
    if options.trim_log {
        trim(disk, folder, options.archive.as_deref(), shard, &kept)?;
    }
    Ok(())
}

// ANCHOR: kept
impl Kept {
    /// Of the snapshots at which `newest` or an earlier command is the next, and that can be used: the two
    /// newest, and the newest that the ledger has reached. An engine that is killed loses the part of the ledger
    /// that it had not yet written, and a start from that snapshot writes it again.
    ///
    /// # Errors
    /// When the disk can't be read.
    pub fn find(disk: &dyn Disk, folder: &Path, shard: ShardOf, newest: Sequence) -> Result<Kept, EngineError> {
        let io = |source| EngineError::Io { what: "look for what can go", path: folder.to_path_buf(), source };
        let segments = segments(disk, folder, shard).map_err(io)?;
        let mut kept = Kept { snapshots: Vec::new(), reached: false, segment: Sequence::FIRST };
        let mut on_disk = None;
        let mut snapshots = list(disk, folder, shard).map_err(io)?;
        snapshots.retain(|(next, _)| *next <= newest);
        for (next, path) in snapshots {
            // A start passes over a damaged one, so it is none of those that have to stay.
            let header = match check(disk, shard, &segments, &path) {
                Ok(header) => header,
                Err(SnapshotError::Io { source, .. }) => return Err(io(source)),
                Err(SnapshotError::Unusable { .. }) => continue,
            };
            // The newest says how much of the ledger is on disk. What an older one says may be about entries
            // that a start has cut off since, and written again.
            let on_disk = *on_disk.get_or_insert(header.ledger_on_disk);
            let reaches = |entries| ledger_parts::reach(shard, folder, entries, on_disk).map_err(io);
            let is_reached = header.ledger_entries <= on_disk && reaches(header.ledger_entries)?;
            if kept.snapshots.len() < NEWEST_KEPT || is_reached {
                kept.snapshots.push((next, path));
                (kept.reached, kept.segment) = (kept.reached || is_reached, header.place.segment);
            }
            if kept.snapshots.len() >= NEWEST_KEPT && kept.reached {
                break;
            }
        }
        Ok(kept)
    }
}
// ANCHOR_END: kept

// ANCHOR: trim
/// Removes the segments that none of the snapshots in `kept` needs, or moves them into `archive`, and returns how
/// many: none while there are fewer than two snapshots, or the ledger has reached none. The caller holds the
/// lock of the snapshots.
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
    if kept.snapshots.len() < NEWEST_KEPT || !kept.reached {
        return Ok(0);
    }
    let mut needless = segments(disk, folder, shard).map_err(io)?;
    needless.retain(|segment| segment.first < kept.segment);
    // All are in the archive before the first is removed.
    if let Some(archive) = archive {
        needless.iter().try_for_each(|segment| put_aside(disk, &segment.path, archive))?;
    }
    needless.iter().try_for_each(|segment| disk.remove(&segment.path)).map_err(io)?;
    Ok(needless.len())
}
// ANCHOR_END: trim

/// Refuses an archive that is the data directory itself: each segment would be copied over itself, and then removed.
///
/// # Errors
/// [`EngineError::Refused`], with what to do.
pub fn refuse_archive_in_place(archive: Option<&Path>, folder: &Path) -> Result<(), EngineError> {
    match archive {
        Some(archive) if place(archive) == place(folder) => Err(EngineError::Refused(format!(
            "{}: the archive is the data directory itself, from which the archived segments are removed: name another \
             folder",
            archive.display()
        ))),
        _ => Ok(()),
    }
}

/// Where a path leads. A folder that does not exist yet will be in the one above.
fn place(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    fs::canonicalize(&path).unwrap_or_else(|_| match (path.parent(), path.file_name()) {
        (Some(above), Some(name)) => place(above).join(name),
        // It ends with `..`.
        (Some(below), None) => place(below).parent().map(Path::to_path_buf).unwrap_or_default(),
        _ => path,
    })
}

/// Copies a segment to the archive, which may be on another disk. If a file of this name is there, it has to be the
/// same, because a crash may have come between a copy and the removal; then it is copied again. Another one may be the
/// only record of a past that a restored backup does not have.
fn put_aside(disk: &dyn Disk, segment: &Path, archive: &Path) -> Result<(), EngineError> {
    let io = |source| EngineError::Io { what: "put a segment into the archive", path: archive.to_path_buf(), source };
    disk.make_folder(archive).map_err(io)?;
    let to = archive.join(segment.file_name().unwrap_or_default());
    if disk.open_to_read(&to).map_err(io)?.is_some() && !are_same(disk, segment, &to).map_err(io)? {
        let reason = "another segment of this name is in the archive, of another market or of a past that this log does \
                      not have, as after a backup was restored; nothing was removed: give this log an archive of its own"
            .into();
        return Err(EngineError::Unsound { path: to, reason });
    }
    let draft = to.with_extension("draft");
    copy_file(disk, segment, &draft, u64::MAX).map_err(io)?;
    disk.rename(&draft, &to).map_err(io)
}

/// Whether two files hold the same bytes.
fn are_same(disk: &dyn Disk, one: &Path, other: &Path) -> io::Result<bool> {
    let open = |path| disk.open_to_read(path)?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound));
    let (mut one, mut other) = (open(one)?, open(other)?);
    let length = one.length()?;
    if other.length()? != length {
        return Ok(false);
    }
    let (mut at, mut ours, mut theirs) = (0, vec![0; 1 << 16], vec![0; 1 << 16]);
    while at < length {
        let read = one.read_at(at, &mut ours)?;
        let same = other.read_at(at, &mut theirs[..read])?.min(read);
        if same == 0 || ours[..same] != theirs[..same] {
            return Ok(false);
        }
        at += same as u64;
    }
    Ok(true)
}

/// Corrects the newer snapshots before an engine begins this part of a ledger. They say how much of the ledger was on
/// disk before a kill, and it is cut where the part begins. The engine writes the rest again, and until that is synced a
/// power failure may leave zeros there. A start would not look for them where the snapshot says that all is on disk.
///
/// # Errors
/// Errors of the disk.
pub fn correct_newer(options: &Options, part: Part) -> Result<(), EngineError> {
    let (disk, folder) = (&*options.disk, &options.data_dir);
    let io = |source| EngineError::Io { what: "correct the snapshots in", path: folder.clone(), source };
    for (_, path) in list(disk, folder, part.shard).map_err(io)?.iter().filter(|(next, _)| *next > part.first) {
        // One that can't be read is used by no start.
        let Ok(SnapshotReader { mut header, .. }) = SnapshotReader::open(disk, path) else { continue };
        if header.ledger_on_disk > part.entry {
            header.ledger_on_disk = part.entry;
            // Another process may make snapshots, and have removed this one.
            let Some(mut file) = disk.open(path).map_err(io)? else { continue };
            file.write_all_at(0, &header.encode()).and_then(|()| file.sync()).map_err(io)?;
        }
    }
    Ok(())
}
