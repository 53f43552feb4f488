//! What only the system knows: how much memory and time this process took, and what is in the page cache. Where the
//! system does not report it, the result is `None`.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

/// The most memory that this process held so far, in bytes.
pub fn memory_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The processor time of this process's thread with that name, while it runs.
pub fn thread_time(name: &str) -> Option<Duration> {
    let is_it = |folder: &Path| fs::read_to_string(folder.join("comm")).is_ok_and(|comm| comm.trim() == name);
    let thread = fs::read_dir("/proc/self/task").ok()?.flatten().map(|task| task.path()).find(|path| is_it(path))?;
    let times = fs::read_to_string(thread.join("schedstat")).ok()?;
    times.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// Reads every file of a folder once, so that the system has it in its page cache.
pub fn warm(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            io::copy(&mut File::open(path)?, &mut io::sink())?;
        }
    }
    Ok(())
}

/// Asks the system to drop a folder's files from its cache, and returns whether it can be asked.
pub fn cool(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && !platform::forget(&File::open(path)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(target_os = "linux")]
mod platform {
    use std::fs::File;
    use std::io;

    use rustix::fs::{Advice, fadvise};

    pub fn forget(file: &File) -> io::Result<bool> {
        // Only what is on disk can be dropped.
        file.sync_all()?;
        fadvise(file, 0, None, Advice::DontNeed)?;
        Ok(true)
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use std::fs::File;
    use std::io;

    pub fn forget(_: &File) -> io::Result<bool> {
        Ok(false)
    }
}
