//! A disk without a platter: it accepts everything and keeps nothing. That leaves only the engine's
//! own instructions, and a sync takes exactly as long as it is set to.

use std::io;
use std::path::Path;
use std::time::Duration;

use market::{Disk, LogFile};

/// The disk, and its only kind of file.
#[derive(Clone, Copy, Default)]
pub struct NoDisk {
    /// How long a sync takes.
    pub sync_delay: Duration,
}

impl Disk for NoDisk {
    fn open(&self, _path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        Ok(None)
    }

    fn list(&self, _folder: &Path) -> io::Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn create(&self, _path: &Path, _header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        Ok(Box::new(*self))
    }
}

impl LogFile for NoDisk {
    fn read_at(&mut self, _at: u64, _buffer: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn write_at(&mut self, _at: u64, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn length(&mut self) -> io::Result<u64> {
        Ok(0)
    }

    fn set_length(&mut self, _length: u64) -> io::Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        if !self.sync_delay.is_zero() {
            std::thread::sleep(self.sync_delay);
        }
        Ok(())
    }
}
