//! What the simulated disk holds, and how each operation and fault changes it.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::faults::{Counts, Faults};
use crate::sim_file::{Contents, Pending};
use crate::streams::Random;
use crate::trace::Trace;

/// Everything that the clones of a disk share.
pub(crate) struct World {
    pub(crate) files: BTreeMap<PathBuf, Contents>,
    /// What a crash may undo: names that were created or removed and not synced, with what they stood for. Those of
    /// one operation, which has a number, are undone together: a rename is all or nothing.
    pub(crate) names: BTreeMap<PathBuf, (u64, Option<Contents>)>,
    /// The holder of each lock. After a restart there are none.
    pub(crate) locks: BTreeMap<PathBuf, String>,
    pub(crate) faults: Faults,
    pub(crate) random: Random,
    pub(crate) counts: Counts,
    pub(crate) power: bool,
    pub(crate) trace: Trace,
}

impl World {
    /// Counts an operation; it fails when the power is off.
    pub(crate) fn begin(&mut self, operation: fmt::Arguments<'_>) -> io::Result<()> {
        self.trace.note(|| operation.to_string());
        self.counts.operations += 1;
        self.counts.after_failure += u64::from(self.counts.failures > 0);
        if self.power && self.faults.power_fails_at == Some(self.counts.operations) {
            self.power = false;
        }
        if self.power { Ok(()) } else { self.fail(power_failure()) }
    }

    pub(crate) fn power_went_now(&self) -> bool {
        self.faults.power_fails_at == Some(self.counts.operations)
    }

    pub(crate) fn fail<T>(&mut self, error: io::Error) -> io::Result<T> {
        self.counts.failures += 1;
        Err(error)
    }

    /// Changes or removes names and syncs that, unless the power failed before.
    pub(crate) fn name(&mut self, names: &[(&Path, Option<Contents>)], went: io::Result<()>) -> io::Result<()> {
        if went.is_err() && !(self.power_went_now() && self.random.one_in(2)) {
            return went;
        }
        for (path, contents) in names {
            let before = match contents {
                Some(contents) => self.files.insert(path.to_path_buf(), contents.clone()),
                None => self.files.remove(*path),
            };
            self.names.entry(path.to_path_buf()).or_insert((self.counts.operations, before));
        }
        let folder = names.first().and_then(|(path, _)| path.parent());
        went.and_then(|()| folder.map_or(Ok(()), |folder| self.sync_names(folder)))
    }

    /// Makes the names in a folder durable.
    pub(crate) fn sync_names(&mut self, folder: &Path) -> io::Result<()> {
        self.counts.name_syncs += 1;
        if self.faults.names_sync_fails_at == Some(self.counts.name_syncs) {
            return self.fail(io::Error::other("simulated I/O error on the sync of names"));
        }
        self.names.retain(|path, _| path.parent() != Some(folder));
        Ok(())
    }

    /// Counts a read of a log.
    pub(crate) fn read(&mut self, path: &Path) -> io::Result<()> {
        if !self.power {
            return Err(power_failure());
        }
        self.trace.note(|| format!("read {}", name_of(path)));
        if path.extension().is_some_and(|extension| extension == "watermark") {
            return Ok(());
        }
        self.counts.reads += 1;
        if self.faults.read_fails_at == Some(self.counts.reads) {
            return self.fail(io::Error::other("simulated I/O error on read"));
        }
        Ok(())
    }

    pub(crate) fn write(&mut self, path: &Path, at: u64, bytes: &[u8]) -> io::Result<usize> {
        // Nothing waits for a watermark or checks its errors, so its faults are not counted.
        if path.extension().is_some_and(|extension| extension == "watermark") {
            return if self.power { self.write_watermark(path, at, bytes) } else { Err(power_failure()) };
        }
        let went = self.begin(format_args!("write {} at {at}: {}", name_of(path), Content(bytes)));
        if went.is_err() && !self.power_went_now() {
            return went.map(|()| 0);
        }
        self.counts.writes += 1;
        let room = self.faults.capacity.map_or(u64::MAX, |capacity| capacity.saturating_sub(at));
        let mut taken = (bytes.len() as u64).min(room) as usize;
        if self.faults.write_fails_at == Some(self.counts.writes) {
            return self.fail(io::Error::other("simulated I/O error on write"));
        }
        if taken == 0 && !bytes.is_empty() {
            return self.fail(io::Error::new(ErrorKind::StorageFull, "simulated full disk"));
        }
        if self.faults.short_writes && taken > 1 && self.random.one_in(4) {
            taken = 1 + self.random.below(taken as u64 - 1) as usize;
        }
        if let Some(contents) = self.files.get_mut(path) {
            contents.change(Pending::Write(at, bytes[..taken].to_vec()));
        }
        went.map(|()| taken)
    }

    fn write_watermark(&mut self, path: &Path, at: u64, bytes: &[u8]) -> io::Result<usize> {
        let end = bytes.get(8..16).and_then(|end| end.try_into().ok()).map_or(0, u64::from_le_bytes);
        let is_ahead = |pending: &Pending| matches!(pending, Pending::Write(at, _) if *at < end);
        let log = self.files.get(&path.with_extension("log"));
        self.counts.marks_ahead += u64::from(log.is_some_and(|log| log.pending.iter().any(is_ahead)));
        let contents = self.files.get_mut(path).ok_or(ErrorKind::NotFound)?;
        contents.change(Pending::Write(at, bytes.to_vec()));
        Ok(bytes.len())
    }

    pub(crate) fn sync(&mut self, path: &Path) -> io::Result<()> {
        let went = self.begin(format_args!("sync {}", name_of(path)));
        if went.is_err() && !(self.power_went_now() && self.random.one_in(2)) {
            return went;
        }
        self.counts.syncs += 1;
        let fails = self.faults.sync_fails_at == Some(self.counts.syncs);
        let World { files, random, .. } = self;
        let Some(contents) = files.get_mut(path) else { return went };
        if fails {
            let durable = contents.after_crash(random);
            // Some systems keep data whose write failed; others forget that it was to be written.
            if random.one_in(4) {
                return self.fail(io::Error::other("simulated I/O error on sync, data kept"));
            }
            contents.durable = durable;
            contents.pending.clear();
            return self.fail(io::Error::other("simulated I/O error on sync, data lost"));
        }
        contents.sync();
        went
    }

    pub(crate) fn set_length(&mut self, path: &Path, length: u64) -> io::Result<()> {
        let went = self.begin(format_args!("cut {} to {length}", name_of(path)));
        if went.is_err() && !self.power_went_now() {
            return went;
        }
        let Some(contents) = self.files.get_mut(path) else { return went };
        if self.faults.capacity.is_some_and(|capacity| length > capacity.max(contents.cached.len() as u64)) {
            return self.fail(io::Error::new(ErrorKind::StorageFull, "simulated full disk"));
        }
        contents.change(Pending::SetLen(length));
        went
    }
}

/// A file's name without its folder, which differs from run to run.
pub(crate) fn name_of(path: &Path) -> std::path::Display<'_> {
    path.file_name().map_or(path, Path::new).display()
}

/// Bytes, shown as their number and a hash.
pub(crate) struct Content<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Content<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hash = DefaultHasher::new();
        hash.write(self.0);
        write!(f, "{} bytes {:016x}", self.0.len(), hash.finish())
    }
}

/// The error of every operation when the power is off.
pub(crate) fn power_failure() -> io::Error {
    io::Error::other("simulated power failure")
}
