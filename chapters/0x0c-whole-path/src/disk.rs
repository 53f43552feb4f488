//! A disk around the disk, which notes when a shard's frames are written and synced, and counts snapshots.
//!
//! Every engine, from 0x01 to 0x08, writes its frames through [`market::Disk`]. So this is the one place where all of them can
//! be measured without a line in any of them.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use market::log::{RECORD_BYTES, ShardOf};
use market::snapshot::of_file_name;
use market::{Disk, LogFile, LogId, Sequence};

use crate::clock::now;
use crate::frames::Frames;
use crate::shared::Shared;
use crate::syncs::Syncs;

/// The disk of a venue's engine.
pub struct StampedDisk {
    inner: Arc<dyn Disk>,
    frames: Vec<Arc<Frames>>,
    syncs: Arc<Syncs>,
    snapshots: Arc<AtomicU64>,
}

impl StampedDisk {
    /// This disk, with the frames of each shard, and what is known of all of them.
    pub fn new(inner: Arc<dyn Disk>, shared: &Shared) -> StampedDisk {
        let (frames, syncs, snapshots) =
            (shared.frames.clone(), Arc::clone(&shared.syncs), Arc::clone(&shared.snapshots));
        StampedDisk { inner, frames, syncs, snapshots }
    }

    fn stamped(&self, path: &Path, file: Box<dyn LogFile>) -> Box<dyn LogFile> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let shard = ShardOf::of_segment_name(name).map(|(shard, _)| usize::from(shard.shard));
        match shard.and_then(|shard| self.frames.get(shard)) {
            Some(frames) => {
                let (frames, syncs) = (Arc::clone(frames), Arc::clone(&self.syncs));
                Box::new(StampedFile { file, frames, syncs, commands: 0 })
            }
            None => file,
        }
    }
}

impl Disk for StampedDisk {
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        self.inner.make_folder(folder)
    }

    fn lock(&self, path: &Path, holder: &str) -> io::Result<Result<Box<dyn Send>, String>> {
        self.inner.lock(path, holder)
    }

    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        Ok(self.inner.open(path)?.map(|file| self.stamped(path, file)))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.inner.list(folder)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.inner.remove(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename(from, to)?;
        // A snapshot gets its name when it is whole.
        if to.file_name().and_then(|name| name.to_str()).and_then(of_file_name).is_some() {
            self.snapshots.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn new_log_id(&self) -> LogId {
        self.inner.new_log_id()
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        Ok(self.stamped(path, self.inner.create(path, header)?))
    }
}

/// A shard's log.
struct StampedFile {
    file: Box<dyn LogFile>,
    frames: Arc<Frames>,
    syncs: Arc<Syncs>,
    /// How many commands were written since the last sync.
    commands: u64,
}

impl LogFile for StampedFile {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(at, buffer)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_at(at, bytes)
    }

    // ANCHOR: write
    fn write_all_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if let Some((first, commands)) = frame(bytes) {
            self.frames.seal(first.plus(commands), now());
            self.commands += commands;
        }
        self.file.write_all_at(at, bytes)
    }
    // ANCHOR_END: write

    fn length(&mut self) -> io::Result<u64> {
        self.file.length()
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.file.set_length(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        let began = now();
        self.file.sync()?;
        if self.commands > 0 {
            let ended = now();
            self.frames.sync(ended);
            self.syncs.add(ended, ended - began, std::mem::take(&mut self.commands));
        }
        Ok(())
    }
}

/// The first command of a frame, and how many it has; none where these bytes are no frame.
fn frame(bytes: &[u8]) -> Option<(Sequence, u64)> {
    let (header, commands) = bytes.split_first_chunk::<RECORD_BYTES>()?;
    let first = u64::from_le_bytes(*header[8..].first_chunk()?);
    (header[0] == b'F').then_some((Sequence(first), (commands.len() / RECORD_BYTES) as u64))
}
