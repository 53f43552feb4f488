//! A simulated disk in memory, behind the traits of [`disk`](market::disk).
//!
//! It keeps every file twice: as programs see it (the system's cache) and as the platter holds it. The
//! difference is pending until a sync. In a crash an arbitrary part of it reaches the platter: none, all, the
//! beginning, or any sectors in any order, cut at any byte. A failing sync writes a part as well, and then
//! the cache may forget that the rest was never written: the next sync succeeds and the data is gone, as in
//! real kernels. A seed determines everything.
//!
//! Without faults it is simply fast, and other tests use it for that.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::faults::{Counts, Faults};
use crate::sim_file::Contents;
use crate::sim_world::{Content, World, name_of, power_failure};
use crate::streams::Random;
use crate::trace::Trace;
use market::{Disk, LogFile, LogId, watermark};

/// The disk. Clones share one disk.
#[derive(Clone)]
pub struct SimDisk(Arc<Mutex<World>>);

impl SimDisk {
    /// An empty disk with these faults; the seed determines how they strike.
    pub fn new(seed: u64, faults: Faults) -> SimDisk {
        SimDisk::of(BTreeMap::new(), Random::new(seed), faults, Trace::default())
    }

    /// The same disk, which from now on notes its operations in `trace`, as do disks made from it.
    pub fn told(self, trace: &Trace) -> SimDisk {
        self.world().trace = trace.clone();
        self
    }

    fn of(files: BTreeMap<PathBuf, Contents>, random: Random, faults: Faults, trace: Trace) -> SimDisk {
        let (names, locks, counts) = (BTreeMap::new(), BTreeMap::new(), Counts::default());
        SimDisk(Arc::new(Mutex::new(World { files, names, locks, faults, random, counts, power: true, trace })))
    }

    fn world(&self) -> MutexGuard<'_, World> {
        // If an engine panicked while it held the disk, its test has failed anyway.
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The machine crashes now. Returns a healthy disk with what a restart would see; this one is dead.
    pub fn crash(&self) -> SimDisk {
        let mut world = self.world();
        world.power = false;
        let World { files, names, random, trace, .. } = &mut *world;
        let mut left = files.clone();
        let mut stays = BTreeMap::new();
        for (path, (operation, before)) in names.iter() {
            match before {
                _ if *stays.entry(operation).or_insert_with(|| random.one_in(2)) => {}
                Some(before) => drop(left.insert(path.clone(), before.clone())),
                None => drop(left.remove(path)),
            }
        }
        left.values_mut().for_each(|contents| *contents = Contents::durable(&contents.after_crash(random)));
        SimDisk::of(left, Random::new(random.below(u64::MAX)), Faults::default(), trace.clone())
    }

    /// The process dies now, and the machine goes on: a restart sees what was written, synced or not, except
    /// that the cache may have dropped what it believes to be on disk.
    pub fn kill(&self) -> SimDisk {
        let mut world = self.world();
        world.power = false;
        let World { files, names, random, trace, .. } = &mut *world;
        let mut left = files.clone();
        left.values_mut().filter(|_| random.one_in(2)).for_each(Contents::evict);
        let after = SimDisk::of(left, Random::new(random.below(u64::MAX)), Faults::default(), trace.clone());
        after.world().names = names.clone();
        after
    }

    /// An independent healthy disk with the same contents.
    pub fn copy(&self) -> SimDisk {
        let mut world = self.world();
        let seed = world.random.below(u64::MAX);
        let copy = SimDisk::of(world.files.clone(), Random::new(seed), Faults::default(), world.trace.clone());
        copy.world().names = world.names.clone();
        copy
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

    /// The paths of all files.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.world().files.keys().cloned().collect()
    }

    /// Every file as a program would read it.
    pub fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.world().files.iter().map(|(path, contents)| (path.clone(), contents.cached.clone())).collect()
    }

    /// What a program would read from a file.
    pub fn read(&self, path: &Path) -> Option<Vec<u8>> {
        self.world().files.get(path).map(|contents| contents.cached.clone())
    }

    /// What is certain to survive a crash of a file.
    pub fn durable(&self, path: &Path) -> Option<Vec<u8>> {
        self.world().files.get(path).map(|contents| contents.durable.clone())
    }

    /// Puts a file on the disk, durably, and removes the watermark of the log that was there before.
    pub fn put(&self, path: &Path, bytes: &[u8]) {
        let mut world = self.world();
        world.files.insert(path.to_path_buf(), Contents::durable(bytes));
        world.files.remove(&watermark::path_of(path));
    }

    /// Changes a file on the disk, durably, and nothing else, as bit rot does.
    pub fn rot(&self, path: &Path, bytes: &[u8]) {
        self.world().files.insert(path.to_path_buf(), Contents::durable(bytes));
    }
}

impl Disk for SimDisk {
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        let mut world = self.world();
        world.begin(format_args!("make the folder"))?;
        world.sync_names(folder)
    }

    fn lock(&self, path: &Path, holder: &str) -> io::Result<Result<Box<dyn Send>, String>> {
        let mut world = self.world();
        if !world.power {
            return Err(power_failure());
        }
        if let Some(holder) = world.locks.get(path) {
            return Ok(Err(holder.clone()));
        }
        world.locks.insert(path.to_path_buf(), holder.to_string());
        Ok(Ok(Box::new(Lock { disk: self.clone(), path: path.to_path_buf() })))
    }

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
        let went = world.begin(format_args!("remove {}", name_of(path)));
        world.name(&[(path, None)], went)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut world = self.world();
        let went = world.begin(format_args!("rename {} to {}", name_of(from), name_of(to)));
        let Some(contents) = world.files.get(from).cloned() else { return Err(ErrorKind::NotFound.into()) };
        world.name(&[(from, None), (to, Some(contents))], went)
    }

    fn new_log_id(&self) -> LogId {
        // The seed determines it, like everything here.
        LogId(1 + self.world().random.below(u64::MAX))
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        let mut world = self.world();
        let went = world.begin(format_args!("create {} with {}", name_of(path), Content(header)));
        // All or nothing, even when the power fails.
        world.name(&[(path, Some(Contents::durable(header)))], went)?;
        drop(world);
        Ok(self.handle(path))
    }
}

impl SimDisk {
    /// Takes as long as a sync, while others use the disk.
    fn wait(&self) {
        let delay = self.world().faults.sync_delay;
        if !delay.is_zero() {
            std::thread::sleep(delay);
        }
    }

    fn handle(&self, path: &Path) -> Box<dyn LogFile> {
        Box::new(Handle { disk: self.clone(), path: path.to_path_buf() })
    }
}

/// A lock that is held.
struct Lock {
    disk: SimDisk,
    path: PathBuf,
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.disk.world().locks.remove(&self.path);
    }
}

/// An open file.
struct Handle {
    disk: SimDisk,
    path: PathBuf,
}

impl LogFile for Handle {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut world = self.disk.world();
        world.read(&self.path)?;
        let contents = world.files.get(&self.path).ok_or(ErrorKind::NotFound)?;
        // An offset beyond 32 bits lies behind the end.
        let start = usize::try_from(at).unwrap_or(usize::MAX);
        let rest = contents.cached.get(start..).unwrap_or_default();
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
        self.disk.wait();
        self.disk.world().set_length(&self.path, length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.disk.wait();
        self.disk.world().sync(&self.path)
    }
}
