//! The watermark: how far a log is known to be on disk.
//!
//! ```text
//! identity u64 · end u64 · last sequence u64 · CRC-32C u32 · zero u32      32 bytes
//! ```
//!
//! A log that is cut after a whole frame looks like one that never had more. So beside each log there is a small
//! file that says where the last synced frame ended. It is created once, and overwritten after each sync of
//! frames; nothing waits until it is on disk itself. When the program dies it is right; when the power fails it
//! may be old, or gone, and that only hides a loss. Invariant: it is never ahead of what is durable, so there is
//! no false alarm. Cost: a system call for each sync, and no wait.
//!
//! A watermark that can't be read, or belongs to another log, counts as absent.

use std::io;
use std::path::{Path, PathBuf};

use crate::bytes::{u32_at, u64_at};
use crate::shard::ShardOf;
use crate::{Disk, LogFile, LogId, Sequence};

/// The size of the file, in bytes.
const MARK_BYTES: usize = 32;

// ANCHOR: mark
/// How far a log is durable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// Where its last frame ended, in bytes from the start of the file that it is in.
    pub end: u64,
    /// Its last command.
    pub last: Sequence,
}
// ANCHOR_END: mark

impl Mark {
    fn encode(self, log: LogId) -> [u8; MARK_BYTES] {
        let mut bytes = [0; MARK_BYTES];
        bytes[..8].copy_from_slice(&log.0.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.end.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.last.0.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[..24]);
        bytes[24..28].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8; MARK_BYTES], log: LogId) -> Option<Mark> {
        let mark = Mark { end: u64_at(bytes, 8), last: Sequence(u64_at(bytes, 16)) };
        let sound = u32_at(bytes, 24) == crc32c::crc32c(&bytes[..24]) && bytes[28..] == [0; 4];
        (sound && u64_at(bytes, 0) == log.0).then_some(mark)
    }
}

/// The path of the watermark of the log at `log`. The segments of a log share one.
pub fn path_of(log: &Path) -> PathBuf {
    let name = log.file_name().and_then(|name| name.to_str());
    let whole = name.and_then(ShardOf::of_segment_name).map(|(shard, _)| log.with_file_name(shard.file_name()));
    whole.as_deref().unwrap_or(log).with_extension("watermark")
}

/// The watermark of a log, if it has one that can be read.
pub fn read(disk: &dyn Disk, path: &Path, log: LogId) -> Option<Mark> {
    Mark::decode(&bytes_of(disk, path)?, log)
}

/// A log that had commands according to a watermark in `folder`, and that watermark, if there is one that can be read.
///
/// # Errors
/// When the disk can't list the folder.
pub(crate) fn any_in(disk: &dyn Disk, folder: &Path) -> io::Result<Option<(PathBuf, Mark)>> {
    let names = disk.list(folder)?.into_iter();
    let logs = names.filter_map(|name| Some(format!("{}.log", name.strip_suffix(".watermark")?)));
    let mut marks = logs.filter(|name| ShardOf::of_file_name(name).is_some()).filter_map(|name| {
        let path = folder.join(name);
        let bytes = bytes_of(disk, &path)?;
        Some((path, Mark::decode(&bytes, LogId(u64_at(&bytes, 0)))?))
    });
    Ok(marks.find(|(_, mark)| mark.last >= Sequence::FIRST))
}

/// The bytes of the watermark of the log at `path`.
fn bytes_of(disk: &dyn Disk, path: &Path) -> Option<[u8; MARK_BYTES]> {
    let mut file = disk.open_to_read(&path_of(path)).ok()??;
    let mut bytes = [0; MARK_BYTES];
    let mut filled = 0;
    while filled < MARK_BYTES {
        match file.read_at(filled as u64, &mut bytes[filled..]).ok()? {
            0 => return None,
            read => filled += read,
        }
    }
    Some(bytes)
}

/// Writes the watermark of a copy of the log at `path`, and returns when it is on disk.
///
/// # Errors
/// Errors of the disk.
pub fn write(disk: &dyn Disk, path: &Path, log: LogId, mark: Mark) -> io::Result<()> {
    disk.create(&path_of(path), &mark.encode(log)).map(drop)
}

/// The watermark of a log that is written to.
pub(crate) struct Watermark {
    file: Box<dyn LogFile>,
    log: LogId,
}

impl Watermark {
    /// Opens the watermark of the log at `path`, or creates it.
    ///
    /// # Errors
    /// Errors of the disk.
    pub(crate) fn open(disk: &dyn Disk, path: &Path, log: LogId) -> io::Result<Watermark> {
        let path = path_of(path);
        let file = match disk.open(&path)? {
            Some(file) => file,
            None => disk.create(&path, &[0; MARK_BYTES])?,
        };
        Ok(Watermark { file, log })
    }

    /// Notes how far a sync that has returned made the log durable.
    pub(crate) fn set(&mut self, mark: Mark) {
        // An old one hides a loss, and does no other harm: no order is refused because of it.
        let _ = self.file.write_all_at(0, &mark.encode(self.log));
    }
}

/// Removes the watermark of the log at `path`. It is removed before its log: a log alone only has less
/// evidence.
///
/// # Errors
/// Errors of the disk.
pub fn remove(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    disk.remove(&path_of(path))
}
