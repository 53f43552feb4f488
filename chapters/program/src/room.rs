//! What room a disk has.

use std::path::Path;

/// The disk under a folder, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// What a program without special rights can still write.
    pub free: u64,
    /// All of it.
    pub size: u64,
}

/// The room of the disk under a folder, where the system tells.
#[cfg(unix)]
pub fn room(folder: &Path) -> Option<Room> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(Room { free: disk.f_bavail * disk.f_frsize, size: disk.f_blocks * disk.f_frsize })
}

/// The same where nobody has asked this system yet.
#[cfg(not(unix))]
pub fn room(_: &Path) -> Option<Room> {
    None
}

/// How many bytes the disk under a folder has room for, where the system tells.
pub fn room_bytes(folder: &Path) -> Option<u64> {
    room(folder).map(|room| room.free)
}
