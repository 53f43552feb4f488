//! Counts what is read of a disk, so that a test can say how much a reader may cost.

use std::io;
use std::sync::{Arc, Mutex};

use crate::through::Meddle;
use market::LogFile;

/// What was read so far.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Reads {
    /// How many bytes, each as often as it was read.
    pub bytes: u64,
    /// The most bytes that were asked for at once: so much memory they needed.
    pub most_at_once: usize,
}

/// Counts; a copy counts on.
#[derive(Clone, Default)]
pub struct Counted(Arc<Mutex<Reads>>);

impl Counted {
    /// What was read.
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
