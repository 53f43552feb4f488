//! A wrapper around the venue's logs: it notes when a shard's frames are written and synced, and counts snapshots.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gateway::log_disk::{AroundLog, AroundLogs};
use market::LogFile;
use market::log::SealedFrame;
use market::snapshot::of_file_name;

use crate::clock::now;
use crate::frames::Frames;
use crate::shared::Shared;
use crate::syncs::Syncs;

/// Stamps around the logs of all shards.
pub struct Stamps {
    frames: Vec<Arc<Frames>>,
    syncs: Arc<Syncs>,
    snapshots: Arc<AtomicU64>,
}

impl Stamps {
    /// Stamps that go into what all connections share.
    pub fn new(shared: &Shared) -> Stamps {
        let (frames, syncs, snapshots) =
            (shared.frames.clone(), Arc::clone(&shared.syncs), Arc::clone(&shared.snapshots));
        Stamps { frames, syncs, snapshots }
    }
}

impl AroundLogs for Stamps {
    fn log(&self, shard: u16) -> Option<Box<dyn AroundLog>> {
        let frames = Arc::clone(self.frames.get(usize::from(shard))?);
        Some(Box::new(Stamped { frames, syncs: Arc::clone(&self.syncs), commands: 0 }))
    }

    fn named(&self, path: &Path) {
        // A snapshot gets its name when it is whole.
        if path.file_name().and_then(|name| name.to_str()).and_then(of_file_name).is_some() {
            self.snapshots.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Stamps around a shard's log.
struct Stamped {
    frames: Arc<Frames>,
    syncs: Arc<Syncs>,
    /// How many commands were written since the last sync.
    commands: u64,
}

impl AroundLog for Stamped {
    // ANCHOR: write
    fn write(&mut self, frame: SealedFrame, _: u64, _: &[u8]) -> io::Result<()> {
        let first = frame.first.sequence;
        self.frames.seal(first..first.plus(frame.commands), now());
        self.commands += frame.commands;
        Ok(())
    }
    // ANCHOR_END: write

    fn sync(&mut self, file: &mut dyn LogFile) -> io::Result<()> {
        let began = now();
        file.sync()?;
        if self.commands > 0 {
            let ended = now();
            self.frames.sync(ended);
            self.syncs.add(ended, ended - began, std::mem::take(&mut self.commands));
        }
        Ok(())
    }
}
