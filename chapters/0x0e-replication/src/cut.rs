//! What a machine cuts off from its own log, because the stream has something else there.

use std::io;
use std::path::{Path, PathBuf};

use market::{Disk, LogFile, Sequence};

/// How much is copied at once, in bytes.
const CHUNK: usize = 1 << 20;

/// What was cut off from a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Its first command.
    pub first: Sequence,
    /// How many there were.
    pub commands: u64,
    /// Where the bytes are.
    pub kept: PathBuf,
}

/// As an operator reads it.
impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "cut off {} commands from command {} on, which the stream does not have; they are kept in {}",
            self.commands,
            self.first,
            self.kept.display()
        )
    }
}

/// Copies bytes of a file into a new one, and returns when that is on disk.
pub fn keep(disk: &dyn Disk, from: &mut dyn LogFile, start: u64, end: u64, to: &Path) -> io::Result<()> {
    let (mut copy, mut at, mut chunk) = (disk.create(to, &[])?, start, vec![0; CHUNK]);
    while at < end {
        let length = (chunk.len() as u64).min(end - at) as usize;
        read_exact(from, at, &mut chunk[..length])?;
        copy.write_all_at(at - start, &chunk[..length])?;
        at += length as u64;
    }
    copy.sync()
}

/// Reads so many bytes from `at` on.
///
/// # Errors
/// What the disk says; [`io::ErrorKind::UnexpectedEof`] where the file ends.
pub fn read_exact(file: &mut dyn LogFile, mut at: u64, mut bytes: &mut [u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = file.read_at(at, bytes)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        (at, bytes) = (at + read as u64, &mut bytes[read..]);
    }
    Ok(())
}
