//! A disk around the disk, which hands each frame to the shard's stream, and lets a sync return when it is durable.
//!
//! It stands where 0x0c's stamps stand: every engine writes its frames through [`market::Disk`], so none of them knows that its
//! log is copied. A frame is on its way to the stream while the disk syncs it. A stream that is slow is like a slow disk: the
//! next batch is larger. A frame that the stream refuses fails the sync, and after a failed sync an engine acknowledges nothing.
//!
//! The journal waits for a frame before it writes the next, so in `both` and `majority` one frame is under way at a time.

use std::io;
use std::path::Path;
use std::sync::Arc;

use market::log::{RECORD_BYTES, ShardOf};
use market::log_reader::Place;
use market::{Disk, LogFile, LogId, Sequence, Stamp, UnixMs};

use crate::durable::Durable;
use crate::publisher::Publisher;

/// How many frames the stream may be behind in `local`, before the disk waits for it.
const BEHIND_MAX: u64 = 1_024;

/// The disk of a primary.
pub struct ReplicatedDisk {
    inner: Arc<dyn Disk>,
    publishers: Vec<Publisher>,
    durable: Durable,
}

impl ReplicatedDisk {
    /// This disk, with the publisher of each shard.
    pub fn new(inner: Arc<dyn Disk>, publishers: Vec<Publisher>, durable: Durable) -> ReplicatedDisk {
        ReplicatedDisk { inner, publishers, durable }
    }

    fn replicated(&self, path: &Path, file: Box<dyn LogFile>) -> Box<dyn LogFile> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let found = ShardOf::of_segment_name(name).and_then(|(of, _)| self.publishers.get(usize::from(of.shard)));
        match found {
            Some(publisher) => {
                let publisher = publisher.clone();
                Box::new(ReplicatedFile { file, publisher, durable: self.durable, handed: 0, is_new: false })
            }
            None => file,
        }
    }
}

impl Disk for ReplicatedDisk {
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        self.inner.make_folder(folder)
    }

    fn lock(&self, path: &Path, holder: &str) -> io::Result<Result<Box<dyn Send>, String>> {
        self.inner.lock(path, holder)
    }

    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        Ok(self.inner.open(path)?.map(|file| self.replicated(path, file)))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.inner.list(folder)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.inner.remove(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename(from, to)
    }

    fn new_log_id(&self) -> LogId {
        self.inner.new_log_id()
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        Ok(self.replicated(path, self.inner.create(path, header)?))
    }
}

/// A shard's log.
struct ReplicatedFile {
    file: Box<dyn LogFile>,
    publisher: Publisher,
    durable: Durable,
    /// The number of the last frame that was handed over.
    handed: u64,
    /// Whether there is one that no sync has waited for.
    is_new: bool,
}

impl LogFile for ReplicatedFile {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(at, buffer)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_at(at, bytes)
    }

    // ANCHOR: write
    fn write_all_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if let (Some(first), Some(behind)) = (first(bytes), behind(at, bytes))
            && let Some(number) = self.publisher.hand(bytes, first, behind)?
        {
            (self.handed, self.is_new) = (number, true);
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

    // ANCHOR: sync
    fn sync(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.is_new) {
            return self.file.sync();
        }
        let least = match self.durable {
            Durable::Both => {
                self.file.sync()?;
                self.handed
            }
            Durable::Majority => self.handed,
            Durable::Local => {
                self.file.sync()?;
                self.handed.saturating_sub(BEHIND_MAX)
            }
        };
        self.publisher.wait(least).map_err(|why| io::Error::other(why.to_string()))
    }
    // ANCHOR_END: sync
}

/// The first command of a frame; none where these bytes are no frame.
fn first(bytes: &[u8]) -> Option<Sequence> {
    let first = bytes.get(8..)?.first_chunk()?;
    (bytes[0] == b'F' && bytes.len() > RECORD_BYTES).then(|| Sequence(u64::from_le_bytes(*first)))
}

/// The place behind a frame that is written at byte `at`.
fn behind(at: u64, frame: &[u8]) -> Option<Place> {
    let (header, commands) = frame.split_first_chunk::<RECORD_BYTES>()?;
    let word = |at: usize| header[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    let crc = header[4..].first_chunk().map_or(0, |crc| u32::from_le_bytes(*crc));
    let next = Sequence(first(frame)?.0 + (commands.len() / RECORD_BYTES) as u64);
    let next = Stamp { sequence: next, time: UnixMs(word(16)) };
    Some(Place { segment: Sequence::FIRST, last: (at, at + frame.len() as u64), crc, next })
}
