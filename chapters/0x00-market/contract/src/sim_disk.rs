//! A simulated disk in memory, behind the traits of [`disk`](market::disk).
//!
//! It keeps every file twice: as programs see it (the system's cache) and as the platter holds it.
//! What lies between the two is pending until a sync. A crash lets an arbitrary part of it through:
//! none, all, the beginning, or any sectors in any order, cut at any byte. A sync that fails lets a
//! part through as well, and then the cache may forget that the rest was never written: the next
//! sync succeeds and the data is gone, as real kernels do it. Everything follows from a seed.
//!
//! Without faults it is merely fast, and other tests use it for that.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::faults::{Counts, Faults};
use crate::sim_file::{Contents, Pending};
use crate::streams::Random;
use market::{Disk, LogFile};

/// The disk. Clones are the same disk.
#[derive(Clone)]
pub struct SimDisk(Arc<Mutex<World>>);

struct World {
    files: BTreeMap<PathBuf, Contents>,
    faults: Faults,
    random: Random,
    counts: Counts,
    power: bool,
}

impl SimDisk {
    /// An empty disk with these faults, which strike as the seed says.
    pub fn new(seed: u64, faults: Faults) -> SimDisk {
        SimDisk::of(BTreeMap::new(), Random::new(seed), faults)
    }

    fn of(files: BTreeMap<PathBuf, Contents>, random: Random, faults: Faults) -> SimDisk {
        SimDisk(Arc::new(Mutex::new(World { files, faults, random, counts: Counts::default(), power: true })))
    }

    fn world(&self) -> MutexGuard<'_, World> {
        // An engine that panicked while it held the disk has failed its test anyway.
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The machine crashes now. What a restart would see is returned, a healthy disk; this one is dead.
    pub fn crash(&self) -> SimDisk {
        self.end(|contents, random| Contents::durable(&contents.after_crash(random)))
    }

    /// The process dies now, and the machine goes on: a restart sees what was written, synced or
    /// not. But the cache may have dropped what it believes to be on disk.
    pub fn kill(&self) -> SimDisk {
        self.end(|contents, random| {
            let mut contents = contents.clone();
            if random.one_in(2) {
                contents.evict();
            }
            contents
        })
    }

    fn end(&self, after: impl Fn(&Contents, &mut Random) -> Contents) -> SimDisk {
        let mut world = self.world();
        world.power = false;
        let World { files, random, .. } = &mut *world;
        let files = files.iter().map(|(path, contents)| (path.clone(), after(contents, random))).collect();
        SimDisk::of(files, Random::new(random.below(u64::MAX)), Faults::default())
    }

    /// A healthy disk with the same contents, of its own.
    pub fn copy(&self) -> SimDisk {
        let mut world = self.world();
        let seed = world.random.below(u64::MAX);
        SimDisk::of(world.files.clone(), Random::new(seed), Faults::default())
    }

    /// Sets the faults and counts from 0 again.
    pub fn set_faults(&self, faults: Faults) {
        let mut world = self.world();
        (world.faults, world.counts) = (faults, Counts::default());
    }

    /// What was done since the faults were set.
    pub fn counts(&self) -> Counts {
        self.world().counts
    }

    /// The files there are.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.world().files.keys().cloned().collect()
    }

    /// What a program would read from a file.
    pub fn read(&self, path: &Path) -> Option<Vec<u8>> {
        self.world().files.get(path).map(|contents| contents.cached.clone())
    }

    /// What of a file is certain to survive a crash.
    pub fn durable(&self, path: &Path) -> Option<Vec<u8>> {
        self.world().files.get(path).map(|contents| contents.durable.clone())
    }

    /// Puts a file on the disk, durably.
    pub fn put(&self, path: &Path, bytes: &[u8]) {
        self.world().files.insert(path.to_path_buf(), Contents::durable(bytes));
    }
}

impl Disk for SimDisk {
    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        let world = self.world();
        if !world.power {
            return Err(power_failure());
        }
        Ok(world.files.contains_key(path).then(|| self.handle(path)))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let world = self.world();
        if !world.power {
            return Err(power_failure());
        }
        let inside = world.files.keys().filter(|path| path.parent() == Some(folder));
        Ok(inside.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut world = self.world();
        let went = world.begin();
        if went.is_ok() || (world.power_went_now() && world.random.one_in(2)) {
            world.files.remove(path);
        }
        went
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        let mut world = self.world();
        let went = world.begin();
        // All or nothing, also when the power goes.
        if went.is_ok() || (world.power_went_now() && world.random.one_in(2)) {
            world.files.insert(path.to_path_buf(), Contents::durable(header));
        }
        drop(world);
        went.map(|()| self.handle(path))
    }
}

impl SimDisk {
    fn handle(&self, path: &Path) -> Box<dyn LogFile> {
        Box::new(Handle { disk: self.clone(), path: path.to_path_buf() })
    }
}

/// An open file.
struct Handle {
    disk: SimDisk,
    path: PathBuf,
}

impl LogFile for Handle {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let world = self.disk.world();
        if !world.power {
            return Err(power_failure());
        }
        let contents = world.files.get(&self.path).ok_or(ErrorKind::NotFound)?;
        let rest = contents.cached.get(at as usize..).unwrap_or_default();
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        self.disk.world().write(&self.path, at, bytes)
    }

    fn length(&mut self) -> io::Result<u64> {
        let world = self.disk.world();
        let contents = world.files.get(&self.path).ok_or(ErrorKind::NotFound)?;
        Ok(contents.cached.len() as u64)
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.disk.world().set_length(&self.path, length)
    }

    fn sync(&mut self) -> io::Result<()> {
        let delay = self.disk.world().faults.sync_delay;
        if !delay.is_zero() {
            std::thread::sleep(delay);
        }
        self.disk.world().sync(&self.path)
    }
}

impl World {
    /// Counts an operation; it fails when the power is gone.
    fn begin(&mut self) -> io::Result<()> {
        self.counts.operations += 1;
        self.counts.after_failure += u64::from(self.counts.failures > 0);
        if self.power && self.faults.power_fails_at == Some(self.counts.operations) {
            self.power = false;
        }
        if self.power { Ok(()) } else { self.fail(power_failure()) }
    }

    fn power_went_now(&self) -> bool {
        self.faults.power_fails_at == Some(self.counts.operations)
    }

    fn fail<T>(&mut self, error: io::Error) -> io::Result<T> {
        self.counts.failures += 1;
        Err(error)
    }

    fn write(&mut self, path: &Path, at: u64, bytes: &[u8]) -> io::Result<usize> {
        let went = self.begin();
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

    fn sync(&mut self, path: &Path) -> io::Result<()> {
        let went = self.begin();
        if went.is_err() && !(self.power_went_now() && self.random.one_in(2)) {
            return went;
        }
        self.counts.syncs += 1;
        let fails = self.faults.sync_fails_at == Some(self.counts.syncs);
        let World { files, random, .. } = self;
        let Some(contents) = files.get_mut(path) else { return went };
        if fails {
            let durable = contents.after_crash(random);
            // Some systems keep what they could not write; others forget that it was to be written.
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

    fn set_length(&mut self, path: &Path, length: u64) -> io::Result<()> {
        let went = self.begin();
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

fn power_failure() -> io::Error {
    io::Error::other("simulated power failure")
}
