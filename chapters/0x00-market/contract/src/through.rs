//! A disk that forwards everything to another disk, except for one thing about its files that a test changes or
//! watches.

use std::io;
use std::path::Path;
use std::sync::Arc;

use market::log::{HEADER_BYTES, LogHeader, seal_frame};
use market::{Disk, LogFile, LogId, Sequence, Stamp, UnixMs};

/// What the test changes or watches. The defaults forward to the disk behind.
pub trait Meddle: Clone + Send + Sync + 'static {
    /// Whether this file is affected.
    fn concerns(&self, _path: &Path) -> bool {
        true
    }

    /// Reads from a file.
    ///
    /// # Errors
    /// The disk's error, or one that the test injects.
    fn read_at(&self, file: &mut dyn LogFile, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        file.read_at(at, buffer)
    }

    /// Writes to a file, perhaps only some of it.
    ///
    /// # Errors
    /// The disk's error, or one that the test injects.
    fn write_at(&self, file: &mut dyn LogFile, at: u64, bytes: &[u8]) -> io::Result<usize> {
        file.write_at(at, bytes)
    }

    /// Syncs a file.
    ///
    /// # Errors
    /// The disk's error, or one that the test injects.
    fn sync(&self, file: &mut dyn LogFile) -> io::Result<()> {
        file.sync()
    }
}

/// A disk, and what changes or watches its files.
#[derive(Clone)]
pub struct Through<M> {
    disk: Arc<dyn Disk>,
    meddle: M,
}

struct File<M>(Box<dyn LogFile>, M);

impl<M: Meddle> Through<M> {
    /// This disk, with its files changed or watched from now on.
    pub fn new(disk: Arc<dyn Disk>, meddle: M) -> Through<M> {
        Through { disk, meddle }
    }

    fn file(&self, path: &Path, file: Box<dyn LogFile>) -> Box<dyn LogFile> {
        if self.meddle.concerns(path) { Box::new(File(file, self.meddle.clone())) } else { file }
    }
}

impl<M: Meddle> Disk for Through<M> {
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        self.disk.make_folder(folder)
    }

    fn lock(&self, path: &Path, holder: &str) -> io::Result<Result<Box<dyn Send>, String>> {
        self.disk.lock(path, holder)
    }

    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        Ok(self.disk.open(path)?.map(|file| self.file(path, file)))
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
        Ok(self.file(path, self.disk.create(path, header)?))
    }
}

impl<M: Meddle> LogFile for File<M> {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.1.read_at(&mut *self.0, at, buffer)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        self.1.write_at(&mut *self.0, at, bytes)
    }

    fn length(&mut self) -> io::Result<u64> {
        self.0.length()
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.0.set_length(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.1.sync(&mut *self.0)
    }
}

/// Writes each frame of a draft whole, but with another time than it was given: the result is a valid log with wrong
/// contents.
#[derive(Clone)]
pub struct Forger;

impl Meddle for Forger {
    fn concerns(&self, path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "draft")
    }

    fn write_at(&self, file: &mut dyn LogFile, at: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut header = [0; HEADER_BYTES];
        file.read_at(0, &mut header)?;
        let LogHeader { id, .. } = LogHeader::decode(&header, Path::new("")).map_err(io::Error::other)?;
        let mut frame = bytes.to_vec();
        let number = |at: usize| u64::from_le_bytes(*frame[at..].first_chunk().unwrap());
        let first = Stamp { sequence: Sequence(number(8)), time: UnixMs(number(16) + 1) };
        seal_frame(&mut frame, id, first);
        file.write_at(at, &frame)
    }
}
