//! A disk that counts what is read, so that a test can say how much a reader may cost.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use market::{Disk, LogFile, LogId};

/// What was read so far.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Reads {
    /// How many bytes, each as often as it was read.
    pub bytes: u64,
    /// The most bytes that were asked for at once: so much memory they needed.
    pub most_at_once: usize,
}

/// A disk that counts.
#[derive(Clone, Default)]
pub struct Counted<D> {
    disk: D,
    reads: Arc<Mutex<Reads>>,
}

impl<D: Disk> Counted<D> {
    /// This disk, counted from now on.
    pub fn new(disk: D) -> Counted<D> {
        Counted { disk, reads: Arc::default() }
    }

    /// What was read.
    pub fn reads(&self) -> Reads {
        *self.reads.lock().unwrap()
    }

    fn counted(&self, file: Box<dyn LogFile>) -> Box<dyn LogFile> {
        Box::new(CountedFile { file, reads: Arc::clone(&self.reads) })
    }
}

impl<D: Disk> Disk for Counted<D> {
    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        Ok(self.disk.open(path)?.map(|file| self.counted(file)))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.disk.list(folder)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.disk.remove(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn new_log_id(&self) -> LogId {
        self.disk.new_log_id()
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        Ok(self.counted(self.disk.create(path, header)?))
    }
}

struct CountedFile {
    file: Box<dyn LogFile>,
    reads: Arc<Mutex<Reads>>,
}

impl LogFile for CountedFile {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(at, buffer)?;
        let mut reads = self.reads.lock().unwrap();
        reads.bytes += read as u64;
        reads.most_at_once = reads.most_at_once.max(buffer.len());
        Ok(read)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_at(at, bytes)
    }

    fn length(&mut self) -> io::Result<u64> {
        self.file.length()
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.file.set_length(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }
}
