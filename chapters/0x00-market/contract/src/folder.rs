//! A data directory with a log that a test puts there, and two questions about it: does the engine recover
//! exactly these commands, and does it continue from there?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use crate::fixture::TIME;
use crate::harness::{check_events, check_ledger, check_state, run};
use crate::oracle::Oracle;
use market::log::FILE_NAME;
use market::{Clock, Command, Disk, Engine, EngineError, Options, Recovery, watermark};

/// A data directory that is removed when this value is dropped.
pub struct Folder {
    directory: TempDir,
    /// How engines are opened here.
    pub options: Options,
}

impl Folder {
    /// An empty directory, in memory where the system offers that; logs are on this disk.
    ///
    /// # Panics
    /// When no directory can be made.
    pub fn new(disk: impl Disk + 'static) -> Folder {
        // Thousands of files are made and truncated here, and each of these can be slow on a busy file
        // system.
        let in_memory = tempfile::tempdir_in("/dev/shm");
        Folder::within(in_memory.or_else(|_| tempfile::tempdir()).unwrap(), disk)
    }

    /// An empty directory on the machine's disk, with logs on this disk.
    ///
    /// # Panics
    /// When no directory can be made.
    pub fn on_disk(disk: impl Disk + 'static) -> Folder {
        Folder::within(tempfile::tempdir().unwrap(), disk)
    }

    fn within(directory: TempDir, disk: impl Disk + 'static) -> Folder {
        let clock = Clock::new(|| TIME);
        let options = Options { disk: Arc::new(disk), clock, ..Options::new(directory.path()) };
        Folder { directory, options }
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Every real file in it, byte for byte, except the lock file.
    ///
    /// # Panics
    /// When a file can't be read.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let paths = std::fs::read_dir(self.path()).unwrap().map(|entry| entry.unwrap().path());
        let is_lock = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("LOCK"));
        paths.filter(|path| !is_lock(path)).map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    }

    /// Where the log of an engine with one shard is.
    pub fn log(&self) -> PathBuf {
        self.path().join(FILE_NAME)
    }

    /// Writes a real file as the log of an engine with one shard, and removes the watermark of the log before
    /// it.
    ///
    /// # Panics
    /// When it can't be written.
    pub fn put_log(&self, bytes: &[u8]) {
        let _ = std::fs::remove_file(watermark::path_of(&self.log()));
        std::fs::write(self.log(), bytes).unwrap();
    }

    /// Opens the engine and closes it: it must have recovered the first `count` commands of
    /// `oracle`, and their ledger.
    ///
    /// # Errors
    /// What it had instead.
    pub fn recovers<E: Engine>(&self, oracle: &Oracle, count: usize) -> Result<Recovery, String> {
        let opened = run::<E>(&self.options, &[], 1)?;
        if opened.recovery.commands != count as u64 {
            return Err(format!("{:?}, but {count} commands are in whole frames", opened.recovery));
        }
        check_state(&oracle.state(count), &opened.closed.state)?;
        check_ledger(oracle.events(count), self.path(), 1)?;
        Ok(opened.recovery)
    }

    /// Opens the engine on the first `count` commands of `oracle`, submits up to `more` of the following
    /// ones, closes it, and opens it again. Returns what the first opening found.
    ///
    /// # Errors
    /// What went wrong.
    pub fn goes_on<E: Engine>(&self, oracle: &Oracle, count: usize, more: usize) -> Result<Recovery, String> {
        let steps = &oracle.steps(count)[..more.min(oracle.len() - count)];
        let commands: Vec<Command> = steps.iter().map(|step| step.command).collect();
        let went = run::<E>(&self.options, &commands, commands.len() + 1)?;
        if went.recovery.commands != count as u64 {
            return Err(format!("{:?}, but {count} commands are in whole frames", went.recovery));
        }
        check_events(steps, &went.acks, 1)?;
        check_state(&oracle.state(count + steps.len()), &went.closed.state)?;
        self.recovers::<E>(oracle, count + steps.len())?;
        Ok(went.recovery)
    }

    /// The error with which the engine refuses to open.
    ///
    /// # Errors
    /// What it recovered instead of refusing.
    pub fn refusal<E: Engine>(&self) -> Result<EngineError, String> {
        match E::open(&self.options, &mut crate::harness::Acks::default().receivers()) {
            Err(error) => Ok(error),
            Ok((_, recovery)) => Err(format!("it opened with {recovery:?}")),
        }
    }
}
