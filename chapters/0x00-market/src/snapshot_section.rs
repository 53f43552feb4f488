//! A section of a snapshot as a stream, for layers that keep their own state there.

use std::io::{self, Read, Write};

use crate::snapshot_file::{SnapshotReader, SnapshotWriter};

/// The current section of a snapshot that is being written.
pub struct SectionWriter<'w, 'disk>(pub &'w mut SnapshotWriter<'disk>);

impl Write for SectionWriter<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The next bytes of a snapshot's body. Everything that it returns has the right checksum.
pub struct SectionReader<'r> {
    snapshot: &'r mut SnapshotReader,
    left: u64,
}

impl SectionReader<'_> {
    /// A section of this many bytes, which begins at the reader's current place.
    pub fn new(snapshot: &mut SnapshotReader, bytes: u64) -> SectionReader<'_> {
        SectionReader { snapshot, left: bytes }
    }

    /// How many bytes are left.
    pub fn left(&self) -> u64 {
        self.left
    }
}

impl Read for SectionReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = (into.len() as u64).min(self.left) as usize;
        let count = self.snapshot.bytes(&mut into[..most]).map_err(io::Error::other)?;
        self.left -= count as u64;
        Ok(count)
    }
}
