//! A disk with a read error: the engine refuses, says so, and changes nothing.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fixture::unsynced_disk;
use crate::folder::Folder;
use crate::harness::run;
use crate::streams::Random;
use crate::through::{Meddle, Through};
use market::{Engine, LogFile};

/// One of the reads reports an I/O error.
#[derive(Clone, Default)]
struct BadSpot {
    /// How many reads there were, and which of them fails.
    reads: Arc<AtomicU64>,
    fails: u64,
}

impl Meddle for BadSpot {
    /// A watermark that can't be read counts as missing.
    fn concerns(&self, path: &Path) -> bool {
        path.extension().is_none_or(|extension| extension != "watermark")
    }

    fn read_at(&self, file: &mut dyn LogFile, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match self.reads.fetch_add(1, Ordering::Relaxed) + 1 == self.fails {
            true => Err(io::Error::other("the disk has a bad spot")),
            false => file.read_at(at, buffer),
        }
    }
}

/// Each read of recovery fails in turn: the engine refuses with a clear message, and no file of the directory
/// has changed.
///
/// # Panics
/// When the engine opens all the same, or has changed something.
pub fn a_read_fails<E: Engine>() {
    let mut folder = Folder::new(unsynced_disk());
    // Longer than one read, so that errors also occur in the middle.
    let commands = Random::new(12).stream(4_000);
    run::<E>(&folder.options, &commands, 100).unwrap();
    let before = folder.files();
    for fails in 1.. {
        let disk = BadSpot { reads: Arc::default(), fails };
        folder.options.disk = Arc::new(Through::new(Arc::new(unsynced_disk()), disk.clone()));
        match run::<E>(&folder.options, &[], 1) {
            Ok(opened) => {
                assert!(disk.reads.load(Ordering::Relaxed) < fails, "read {fails} failed, and it opened");
                assert!(fails > 3, "only {fails} reads: no error occurred in the middle");
                assert_eq!(opened.recovery.commands, commands.len() as u64);
                return;
            }
            Err(words) => {
                assert!(words.contains("bad spot"), "read {fails}: the message does not say why: {words}");
                assert!(words.contains(&folder.log().display().to_string()), "read {fails}: where? {words}");
                assert!(folder.files() == before, "read {fails}: the engine refused, but files changed: {words}");
            }
        }
    }
}
