//! The disk as the log sees it: few operations, so that a test can replace it.
//!
//! The product writes real files. The fault tests put a simulated disk behind the same two traits;
//! it loses, tears and delays what was not synced.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::LogId;

/// Where logs live.
pub trait Disk: Send + Sync {
    /// Creates `folder` and missing folders above it. When this returns, they and the names in
    /// `folder` survive a crash; a program that created a name may have died before the name was on
    /// disk.
    ///
    /// # Errors
    /// The system's error.
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        make_folders(folder)?;
        sync_names(folder)
    }

    /// Takes the lock at `path` and notes beside it that `holder` has it, or returns the name of its
    /// holder. It is released when the returned value is dropped, and when the process ends, however it
    /// ends.
    ///
    /// # Errors
    /// The system's error.
    fn lock(&self, path: &Path, holder: &str) -> io::Result<Result<Box<dyn Send>, String>> {
        Ok(Lock::take(path, holder)?.map(|lock| Box::new(lock) as Box<dyn Send>))
    }

    /// Opens the log at `path` to read and write; `None` if it does not exist.
    ///
    /// # Errors
    /// The system's error.
    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>>;

    /// The same to read only: a backup may be on a medium that can't be written, or belong to another user.
    ///
    /// # Errors
    /// The system's error.
    fn open_to_read(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        self.open(path)
    }

    /// The names of the files in `folder`; none if it does not exist.
    ///
    /// # Errors
    /// The system's error.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        match fs::read_dir(folder) {
            Ok(entries) => entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect(),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Removes a log for good: it does not reappear after a crash.
    ///
    /// # Errors
    /// The system's error, but not if there was no such log.
    fn remove(&self, path: &Path) -> io::Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => sync_directory(path),
        }
    }

    /// Renames a log for good, and replaces a file that has the new name.
    ///
    /// # Errors
    /// The system's error.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)?;
        sync_directory(to)
    }

    /// An identity for a new log, which no other log has.
    fn new_log_id(&self) -> LogId {
        LogId::random()
    }

    /// Creates a new log that holds `header`, all or nothing: after a crash there is either no file
    /// of this name or one with its whole header. A file that it replaces is gone.
    ///
    /// # Errors
    /// The system's error.
    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>>;
}

/// An open log. It has no cursor: each read and write names its offset.
pub trait LogFile: Send {
    /// Reads from byte `at` on into `buffer`, and returns how many bytes: 0 at the end of the file, and
    /// maybe fewer than there is space for.
    ///
    /// # Errors
    /// The system's error.
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Writes `bytes` from byte `at` on, and returns how many were written.
    ///
    /// # Errors
    /// The system's error.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize>;

    /// Writes all of `bytes` from byte `at` on. A single system call may write fewer.
    ///
    /// # Errors
    /// The system's error. Some of the bytes may have been written.
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

    /// The length of the file, in bytes.
    ///
    /// # Errors
    /// The system's error.
    fn length(&mut self) -> io::Result<u64>;

    /// Cuts the file to `length` bytes, or extends it with zeros.
    ///
    /// # Errors
    /// The system's error.
    fn set_length(&mut self, length: u64) -> io::Result<()>;

    /// Returns when everything written so far survives a crash of the machine.
    ///
    /// # Errors
    /// The system's error. What is on disk is then unknown: a second sync may succeed without
    /// having written what the first one lost.
    fn sync(&mut self) -> io::Result<()>;
}

/// Copies the first `length` bytes of a file, or all if it is shorter, and returns when the copy is on disk.
///
/// # Errors
/// The system's error, also when the file does not exist.
pub fn copy_file(disk: &dyn Disk, from: &Path, to: &Path, length: u64) -> io::Result<()> {
    let mut source = disk.open_to_read(from)?.ok_or(ErrorKind::NotFound)?;
    let mut target = disk.create(to, &[])?;
    let (mut at, mut chunk) = (0, vec![0; 1 << 20]);
    while at < length {
        let room = chunk.len().min((length - at).try_into().unwrap_or(usize::MAX));
        let read = source.read_at(at, &mut chunk[..room])?;
        if read == 0 {
            break;
        }
        target.write_all_at(at, &chunk[..read])?;
        at += read as u64;
    }
    target.sync()
}

/// The machine's file system.
#[derive(Clone, Copy, Default, Debug)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        open_if_there(OpenOptions::new().read(true).write(true), path)
    }

    fn open_to_read(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        open_if_there(OpenOptions::new().read(true), path)
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        // The name must appear with its header or not at all, so the header is synced under another
        // name first.
        let unnamed = path.with_extension("new");
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&unnamed)?;
        file.write_all(header)?;
        file.sync_all()?;
        fs::rename(&unnamed, path)?;
        sync_directory(path)?;
        Ok(Box::new(file))
    }
}

fn open_if_there(options: &OpenOptions, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
    match options.open(path) {
        Ok(file) => Ok(Some(Box::new(file))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
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

/// Makes a new name durable.
fn sync_directory(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), sync_names)
}

/// Makes the names in a folder durable: on Unix a directory is a file that needs its own sync.
fn sync_names(folder: &Path) -> io::Result<()> {
    // A relative path of one name is in the current folder.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Creates a folder and missing folders above it, each on disk before the next.
fn make_folders(folder: &Path) -> io::Result<()> {
    let Some(above) = folder.parent() else { return Ok(()) };
    if folder.is_dir() {
        // The program that created it may have died before its name was on disk. A program that may not
        // read the parent folder did not create it.
        return match sync_names(above) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
            synced => synced,
        };
    }
    if !above.as_os_str().is_empty() {
        make_folders(above)?;
    }
    match fs::create_dir(folder) {
        // Another program may have created it in between.
        Err(error) if !folder.is_dir() => Err(error),
        _ => sync_names(above),
    }
}

/// A lock of the system, which ends with its process at the latest. Its file stays: if it were removed, a
/// third program could lock a new file of the same name.
struct Lock {
    file: File,
    holder: PathBuf,
}

impl Lock {
    /// Takes the lock, or returns the name of its holder.
    fn take(path: &Path, who: &str) -> io::Result<Result<Lock, String>> {
        // A separate file, because some systems do not allow reading a locked file.
        let holder = path.with_extension("holder");
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {
                // The name is a courtesy: a full disk does not store it, and writing the log will report
                // that.
                let _ = fs::write(&holder, who);
                Ok(Ok(Lock { file, holder }))
            }
            Err(TryLockError::WouldBlock) => {
                let name = fs::read_to_string(&holder).ok().filter(|name| !name.is_empty());
                Ok(Err(name.unwrap_or_else(|| "another program".into())))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The next holder writes its own name, so a stale one does no harm.
        let _ = fs::remove_file(&self.holder);
        // Closing would be enough, except that in a process that starts others there is a moment in which they have
        // the file too.
        let _ = self.file.unlock();
    }
}
