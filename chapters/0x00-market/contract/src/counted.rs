//! Counts the reads of a disk, so that a test can limit what a reader may cost.

use std::io;
use std::sync::{Arc, Mutex};

use crate::through::Meddle;
use market::LogFile;

/// What has been read so far.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Reads {
    /// How many bytes, counting each as often as it was read.
    pub bytes: u64,
    /// The largest single read, in bytes: the reader needed this much memory.
    pub most_at_once: usize,
}

/// A disk that counts reads. Clones share one count.
#[derive(Clone, Default)]
pub struct Counted(Arc<Mutex<Reads>>);

impl Counted {
    /// The counts so far.
    pub fn reads(&self) -> Reads {
        *self.0.lock().unwrap()
    }
}

impl Meddle for Counted {
    fn read_at(&self, file: &mut dyn LogFile, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let read = file.read_at(at, buffer)?;
        let mut reads = self.0.lock().unwrap();
        reads.bytes += read as u64;
        reads.most_at_once = reads.most_at_once.max(buffer.len());
        Ok(read)
    }
}
