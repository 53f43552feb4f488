//! The machine's disk, with syncs counted and, if asked for, slowed down: how would an engine do on a
//! slower disk?

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use market::{Disk, LogFile, RealDisk};

/// The machine's disk; each sync takes at least a given time and is counted.
#[derive(Clone, Default)]
pub struct SlowDisk {
    at_least: Duration,
    syncs: Arc<AtomicU64>,
}

impl SlowDisk {
    /// A disk whose syncs take at least `at_least`. With zero they take what they take.
    pub fn new(at_least: Duration) -> SlowDisk {
        SlowDisk { at_least, syncs: Arc::default() }
    }

    /// How many syncs of logs there were.
    pub fn syncs(&self) -> u64 {
        self.syncs.load(Ordering::Relaxed)
    }

    fn slow(&self, file: Box<dyn LogFile>) -> Box<dyn LogFile> {
        Box::new(SlowFile { file, disk: self.clone() })
    }
}

impl Disk for SlowDisk {
    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        Ok(RealDisk.open(path)?.map(|file| self.slow(file)))
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        Ok(self.slow(RealDisk.create(path, header)?))
    }
}

struct SlowFile {
    file: Box<dyn LogFile>,
    disk: SlowDisk,
}

impl LogFile for SlowFile {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(at, buffer)
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
        let began = Instant::now();
        self.file.sync()?;
        // Only once it is on disk: the wait itself makes nothing durable.
        if let Some(left) = self.disk.at_least.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) {
            thread::sleep(left);
        }
        self.disk.syncs.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_takes_its_time_and_is_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("shard-0.log");
        let at_least = Duration::from_millis(20);
        let disk = SlowDisk::new(at_least);
        let mut file = disk.create(&path, b"header").expect("created");
        assert_eq!(disk.syncs(), 0, "a header's sync is not the log's");
        let began = Instant::now();
        file.write_all_at(6, b" and more").expect("written");
        file.sync().expect("synced");
        assert!(began.elapsed() >= at_least);
        assert_eq!(disk.syncs(), 1);
        let mut file = disk.open(&path).expect("opened").expect("it is there");
        let mut bytes = [0; 32];
        let count = file.read_at(0, &mut bytes).expect("read");
        assert_eq!(&bytes[..count], b"header and more");
        file.set_length(6).expect("cut");
        assert_eq!(file.length().expect("a length"), 6);
        assert!(disk.open(&folder.path().join("none")).expect("no error").is_none());
    }
}
