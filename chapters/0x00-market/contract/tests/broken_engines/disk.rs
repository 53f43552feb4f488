//! A disk that hands everything on, but for one mistake in the writing.

use std::io;
use std::path::Path;
use std::sync::Arc;

use market::{Disk, LogFile, LogId};

use crate::{IGNORES_SHORT_WRITES, IGNORES_SYNC_ERRORS, MARKS_BEFORE_SYNC, RETRIES_SYNC};

pub struct FlawedDisk<const FLAW: u8>(pub Arc<dyn Disk>);

struct FlawedFile<const FLAW: u8>(Box<dyn LogFile>);

impl<const FLAW: u8> Disk for FlawedDisk<FLAW> {
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        self.0.make_folder(folder)
    }

    fn lock(&self, path: &Path, holder: &str) -> io::Result<Result<Box<dyn Send>, String>> {
        self.0.lock(path, holder)
    }

    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        Ok(self.0.open(path)?.map(|file| Box::new(FlawedFile::<FLAW>(file)) as Box<dyn LogFile>))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.0.list(folder)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.remove(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn new_log_id(&self) -> LogId {
        self.0.new_log_id()
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        Ok(Box::new(FlawedFile::<FLAW>(self.0.create(path, header)?)))
    }
}

impl<const FLAW: u8> LogFile for FlawedFile<FLAW> {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(at, buffer)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_at(at, bytes)
    }

    fn write_all_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if FLAW == IGNORES_SHORT_WRITES {
            return self.0.write_at(at, bytes).map(drop);
        }
        self.0.write_all_at(at, bytes)
    }

    fn length(&mut self) -> io::Result<u64> {
        self.0.length()
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.0.set_length(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        if FLAW == MARKS_BEFORE_SYNC {
            return Ok(());
        }
        match self.0.sync() {
            Err(_) if FLAW == IGNORES_SYNC_ERRORS => Ok(()),
            Err(_) if FLAW == RETRIES_SYNC => self.0.sync(),
            done => done,
        }
    }
}
