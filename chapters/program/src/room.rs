//! What room a disk has.

use std::path::Path;

/// How many bytes the disk under a folder has room for, where the system tells.
#[cfg(unix)]
pub fn room_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail * disk.f_frsize)
}

/// The same where nobody has asked this system yet.
#[cfg(not(unix))]
pub fn room_bytes(_: &Path) -> Option<u64> {
    None
}
