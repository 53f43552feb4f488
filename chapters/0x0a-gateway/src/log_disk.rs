//! A disk around the disk, for a layer that watches the logs.
//!
//! Every engine, from 0x01 to 0x08, writes its frames through [`market::Disk`]. So this is the one place where a layer sees
//! all frames, without a line in any engine. A layer puts one around the disk in [`Layer::options`](crate::layer::Layer::options).

use std::io;
use std::path::Path;
use std::sync::Arc;

use market::log::{SealedFrame, ShardOf};
use market::{Disk, LogFile, LogId};

/// What a layer does around the logs of a venue.
pub trait AroundLogs: Send + Sync {
    /// What stands around the log of this shard; none leaves it as it is.
    fn log(&self, shard: u16) -> Option<Box<dyn AroundLog>>;

    /// A file has got this name.
    fn named(&self, _path: &Path) {}
}

/// What a layer does around the log of one shard. It runs on the thread that writes the log.
pub trait AroundLog: Send {
    /// `frame` is about to be written at byte `at`; `bytes` are all of it.
    ///
    /// # Errors
    /// What keeps it from being written. The engine acknowledges nothing more then.
    fn write(&mut self, frame: SealedFrame, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Syncs the log, and returns when what was written is durable.
    ///
    /// # Errors
    /// What keeps it from being durable. The engine acknowledges nothing more then.
    fn sync(&mut self, file: &mut dyn LogFile) -> io::Result<()>;
}

/// A disk, and what stands around its logs.
pub struct LogDisk<A> {
    inner: Arc<dyn Disk>,
    around: A,
}

impl<A: AroundLogs> LogDisk<A> {
    /// This disk, with `around` around its logs.
    pub fn new(inner: Arc<dyn Disk>, around: A) -> LogDisk<A> {
        LogDisk { inner, around }
    }

    fn file(&self, path: &Path, file: Box<dyn LogFile>) -> Box<dyn LogFile> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        match ShardOf::of_segment_name(name).and_then(|(of, _)| self.around.log(of.shard)) {
            Some(around) => Box::new(Watched { file, around }),
            None => file,
        }
    }
}

impl<A: AroundLogs> Disk for LogDisk<A> {
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        self.inner.make_folder(folder)
    }

    fn lock(&self, path: &Path, holder: &str) -> io::Result<Result<Box<dyn Send>, String>> {
        self.inner.lock(path, holder)
    }

    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        Ok(self.inner.open(path)?.map(|file| self.file(path, file)))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.inner.list(folder)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.inner.remove(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename(from, to)?;
        self.around.named(to);
        Ok(())
    }

    fn new_log_id(&self) -> LogId {
        self.inner.new_log_id()
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        Ok(self.file(path, self.inner.create(path, header)?))
    }
}

/// A file of a shard's log.
struct Watched {
    file: Box<dyn LogFile>,
    around: Box<dyn AroundLog>,
}

impl LogFile for Watched {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(at, buffer)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_at(at, bytes)
    }

    fn write_all_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if let Some(frame) = SealedFrame::of(bytes) {
            self.around.write(frame, at, bytes)?;
        }
        self.file.write_all_at(at, bytes)
    }

    fn length(&mut self) -> io::Result<u64> {
        self.file.length()
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.file.set_length(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.around.sync(&mut *self.file)
    }
}
