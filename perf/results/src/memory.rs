//! A folder in memory. A sync there waits for nothing, so the latency that remains is the engine's.

use std::path::Path;

use program::room::room_bytes;
use tempfile::TempDir;

use crate::words::{Words, words};

/// Where Linux keeps files in memory.
const MEMORY: &str = "/dev/shm";

/// A fresh folder in memory with space for this many bytes, or the reason why there is none. A container's memory for
/// files is often only 64 MiB.
///
/// # Errors
/// The reason, for people.
pub fn folder(bytes: u64) -> Result<TempDir, Words> {
    match room_bytes(Path::new(MEMORY)) {
        Some(room) if room < bytes => {
            let (room, bytes) = (room >> 20, bytes >> 20);
            Err(words(
                format!("{MEMORY} has space for {room} MiB, but this takes up to {bytes}"),
                format!("{MEMORY} 只剩 {room} MiB，而这里最多要用 {bytes} MiB"),
            ))
        }
        _ => tempfile::tempdir_in(MEMORY)
            .map_err(|_| words(format!("{MEMORY} can't be written here"), format!("{MEMORY} 在这里写不了"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_space_there_is_none_and_the_reason_is_given() {
        if !Path::new(MEMORY).is_dir() {
            return;
        }
        let none = folder(u64::MAX).expect_err("no machine has that much");
        assert!(none.en.contains("has space for") && none.zh.contains("只剩"), "{none:?}");
        let some = folder(1).expect("a byte");
        assert!(some.path().starts_with(MEMORY));
    }
}
