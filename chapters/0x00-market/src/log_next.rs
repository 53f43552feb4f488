//! The next segment of a log, with its space reserved before it is needed.
//!
//! It is not known yet which command it will begin with, so it has no header, and a name that no log has. When it is
//! needed it gets both: the header first, and the name when the header is on disk. A crash before that leaves a file
//! that the next opening removes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::log::{HEADER_BYTES, LogHeader, ShardOf};
use crate::{Disk, LogError, LogFile, Options};

/// How many zeros are written at once, in bytes.
const ZEROS: usize = 1 << 20;

/// A file that will be the next segment.
pub struct NextSegment {
    disk: Arc<dyn Disk>,
    shard: ShardOf,
    path: PathBuf,
}

impl NextSegment {
    /// Creates a file with space for this many bytes of frames, zeroed and on disk.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn lay_out(options: &Options, shard: ShardOf, bytes: u64) -> Result<NextSegment, LogError> {
        let path = path_of(options, shard);
        let disk = Arc::clone(&options.disk);
        let laid_out =
            disk.create(&path, &[]).and_then(|mut file| write_zeros(&mut *file, HEADER_BYTES as u64 + bytes));
        if let Err(source) = laid_out {
            // The engine stops, and what was reserved may be all the space that the ledger and the next start need.
            let _ = disk.remove(&path);
            return Err(LogError::Io { what: "reserve the next segment of", path, source });
        }
        Ok(NextSegment { disk, shard, path })
    }

    /// Removes a file that an engine laid out and did not come to use. It may be what fills the disk.
    ///
    /// # Errors
    /// Errors of the disk.
    pub(crate) fn remove_leftover(options: &Options, shard: ShardOf) -> Result<(), LogError> {
        let (disk, path) = (&options.disk, path_of(options, shard));
        let removed = disk.open(&path).and_then(|there| there.map_or(Ok(()), |_| disk.remove(&path)));
        removed.map_err(|source| LogError::Io { what: "remove the next segment of", path, source })
    }

    /// The shard that it belongs to.
    pub(crate) fn shard(&self) -> ShardOf {
        self.shard
    }

    /// Makes it the segment at `path`, with this header. When this returns, that survives a crash.
    ///
    /// # Errors
    /// Errors of the disk.
    pub(crate) fn begin(self, header: &LogHeader, path: &Path) -> io::Result<Box<dyn LogFile>> {
        let mut file = self.disk.open(&self.path)?.ok_or(io::ErrorKind::NotFound)?;
        file.write_all_at(0, &header.encode())?;
        file.sync()?;
        drop(file);
        self.disk.rename(&self.path, path)?;
        self.disk.open(path)?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Removes it, when the log ends without it.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn remove(self) -> Result<(), LogError> {
        let Self { disk, path, .. } = self;
        disk.remove(&path).map_err(|source| LogError::Io { what: "remove the next segment of", path, source })
    }
}

fn path_of(options: &Options, shard: ShardOf) -> PathBuf {
    options.data_dir.join(shard.file_name()).with_extension("next")
}

fn write_zeros(file: &mut dyn LogFile, bytes: u64) -> io::Result<()> {
    let zeros = vec![0; ZEROS];
    let mut written = 0;
    while written < bytes {
        let length = (ZEROS as u64).min(bytes - written) as usize;
        file.write_all_at(written, &zeros[..length])?;
        written += length as u64;
    }
    file.sync()
}
