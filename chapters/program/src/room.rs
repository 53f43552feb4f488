//! How much space a disk has.

use std::path::Path;

/// The disk under a folder, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// What a program without special rights can still write.
    pub free: u64,
    /// Its whole size.
    pub size: u64,
}

/// The space of the disk under a folder, where the system reports it.
#[cfg(unix)]
pub fn room(folder: &Path) -> Option<Room> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(Room { free: disk.f_bavail * disk.f_frsize, size: disk.f_blocks * disk.f_frsize })
}

/// The same on systems that are not supported.
#[cfg(not(unix))]
pub fn room(_: &Path) -> Option<Room> {
    None
}

/// How many free bytes the disk under a folder has, where the system reports it.
pub fn room_bytes(folder: &Path) -> Option<u64> {
    room(folder).map(|room| room.free)
}
