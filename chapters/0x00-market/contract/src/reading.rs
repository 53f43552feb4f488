//! A disk that can't be read: the engine refuses, says so, and changes nothing.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fixture::UnsyncedDisk;
use crate::folder::Folder;
use crate::harness::run;
use crate::streams::Random;
use market::{Disk, Engine, LogFile};

/// Real files, of which one read reports an I/O error.
#[derive(Clone, Default)]
struct BadSpot {
    /// How many reads there were, and which of them fails.
    reads: Arc<AtomicU64>,
    fails: u64,
}

struct BadFile(Box<dyn LogFile>, BadSpot);

impl Disk for BadSpot {
    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        let file = UnsyncedDisk.open(path)?;
        // A watermark that can't be read counts as absent.
        if path.extension().is_some_and(|extension| extension == "watermark") {
            return Ok(file);
        }
        Ok(file.map(|file| Box::new(BadFile(file, self.clone())) as Box<dyn LogFile>))
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        UnsyncedDisk.create(path, header)
    }
}

impl LogFile for BadFile {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match self.1.reads.fetch_add(1, Ordering::Relaxed) + 1 == self.1.fails {
            true => Err(io::Error::other("the disk has a bad spot")),
            false => self.0.read_at(at, buffer),
        }
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_at(at, bytes)
    }

    fn length(&mut self) -> io::Result<u64> {
        self.0.length()
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.0.set_length(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }
}

/// Each read of recovery fails in turn: a clear refusal, and no file of the directory is another.
///
/// # Panics
/// When the engine opens all the same, or has changed something.
pub fn a_read_fails<E: Engine>() {
    let mut folder = Folder::new(UnsyncedDisk);
    // Longer than what is read at once, so that the error comes in the middle too.
    let commands = Random::new(12).stream(4_000);
    run::<E>(&folder.options, &commands, 100).unwrap();
    let before = folder.files();
    for fails in 1.. {
        let disk = BadSpot { reads: Arc::default(), fails };
        folder.options.disk = Arc::new(disk.clone());
        match run::<E>(&folder.options, &[], 1) {
            Ok(opened) => {
                assert!(disk.reads.load(Ordering::Relaxed) < fails, "read {fails} failed, and it opened");
                assert!(fails > 3, "only {fails} reads: the error never came in the middle");
                assert_eq!(opened.recovery.commands, commands.len() as u64);
                return;
            }
            Err(words) => {
                assert!(words.contains("bad spot"), "read {fails}: it does not say why: {words}");
                assert!(words.contains(&folder.log().display().to_string()), "read {fails}: where? {words}");
                assert!(folder.files() == before, "read {fails}: files changed in spite of: {words}");
            }
        }
    }
}
