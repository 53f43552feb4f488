//! The disk as the log sees it: few verbs, so that a test can stand in for it.
//!
//! The product writes real files. The fault tests put a simulated disk behind the same two traits,
//! which loses, tears and delays what was not synced.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Where logs live.
pub trait Disk: Send + Sync {
    /// Opens the log at `path` to read and write, or says that there is none.
    ///
    /// # Errors
    /// What the system says.
    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>>;

    /// The names of the files in `folder`; none if it does not exist.
    ///
    /// # Errors
    /// What the system says.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        match std::fs::read_dir(folder) {
            Ok(entries) => entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect(),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Removes a log for good: it does not come back after a crash.
    ///
    /// # Errors
    /// What the system says, but not that there was none.
    fn remove(&self, path: &Path) -> io::Result<()> {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => sync_directory(path),
        }
    }

    /// Makes a new log that holds `header`, all or nothing: after a crash there is either no file
    /// of this name or one with its whole header. What it replaces is gone.
    ///
    /// # Errors
    /// What the system says.
    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>>;
}

/// An open log. It has no cursor: whoever reads or writes says where.
pub trait LogFile: Send {
    /// Reads from byte `at` on into `buffer`, and says how many bytes: 0 at the end of the file, and maybe
    /// fewer than there is room for.
    ///
    /// # Errors
    /// What the system says.
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Writes `bytes` from byte `at` on, and says how many of them it took.
    ///
    /// # Errors
    /// What the system says.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize>;

    /// Writes all of `bytes` from byte `at` on. A system call may take fewer than it is given.
    ///
    /// # Errors
    /// What the system says. Some of the bytes may have been written then.
    fn write_all_at(&mut self, mut at: u64, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.write_at(at, bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(taken) => (at, bytes) = (at + taken as u64, &bytes[taken..]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// How long the file is, in bytes.
    ///
    /// # Errors
    /// What the system says.
    fn length(&mut self) -> io::Result<u64>;

    /// Cuts the file to `length` bytes, or grows it with zeros.
    ///
    /// # Errors
    /// What the system says.
    fn set_length(&mut self, length: u64) -> io::Result<()>;

    /// Returns when everything written so far survives a crash of the machine.
    ///
    /// # Errors
    /// What the system says. What is on disk then is unknown: a second sync may succeed without
    /// having written what the first one lost.
    fn sync(&mut self) -> io::Result<()>;
}

/// The machine's file system.
#[derive(Clone, Copy, Default, Debug)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        match OpenOptions::new().read(true).write(true).open(path) {
            Ok(file) => Ok(Some(Box::new(file))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        // A name appears at once or not at all; that is why the header is synced under another one.
        let unnamed = path.with_extension("new");
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&unnamed)?;
        file.write_all(header)?;
        file.sync_all()?;
        std::fs::rename(&unnamed, path)?;
        sync_directory(path)?;
        Ok(Box::new(file))
    }
}

impl LogFile for File {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(self, buffer, at);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(self, buffer, at);
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::write_at(self, bytes, at);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_write(self, bytes, at);
    }

    fn length(&mut self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        // `fdatasync` on Linux, `F_FULLFSYNC` on macOS, `FlushFileBuffers` on Windows: the standard
        // library picks the one that reaches the disk.
        self.sync_data()
    }
}

/// Makes a new name durable: on Unix a directory is a file that needs its own sync.
fn sync_directory(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(directory) if cfg!(unix) => File::open(directory)?.sync_all(),
        _ => Ok(()),
    }
}
