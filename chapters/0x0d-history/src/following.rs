//! The thread that follows the logs of all shards, and how far it has come; and the thread that writes columns beside it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use market::log::ShardOf;
use market::{Options, Sequence};

use crate::columns::Columns;
use crate::error::HistoryError;
use crate::follower::Follower;
use crate::store::Store;

/// How long it rests when it has caught up: rows are as late as this.
const REST: Duration = Duration::from_millis(10);

/// How often the rows are put on disk. What a power cut takes is derived again.
const SYNC: Duration = Duration::from_secs(1);

/// How often a follower that failed begins again before it gives up. Files of the log come and go while it is trimmed.
const TRIES: u32 = 5;

/// How long it waits before it begins again, so that a short fault of the disk does not end it. What is wrong with the rows does
/// not pass, so there it only rests.
const WAIT: Duration = Duration::from_secs(1);

/// How far the followers have come.
pub struct Progress {
    next: Vec<AtomicU64>,
    behind: Vec<AtomicU64>,
    ended: Mutex<Option<String>>,
}

impl Progress {
    /// The progress of this many shards, which starts where their rows end.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn new(store: &Store, shards: u16) -> Result<Progress, HistoryError> {
        let next: Result<Vec<_>, HistoryError> =
            (0..shards).map(|shard| Ok(AtomicU64::new(store.followed(shard)?.next.0))).collect();
        // Until its first look, a follower may be behind.
        let behind = (0..shards).map(|_| AtomicU64::new(1)).collect();
        Ok(Progress { next: next?, behind, ended: Mutex::new(None) })
    }

    /// The last command of each shard whose rows are there.
    pub fn through(&self) -> Vec<Sequence> {
        self.next.iter().map(|next| Sequence(next.load(Ordering::Acquire) - 1)).collect()
    }

    /// How many commands of each shard are on disk and not in the rows.
    pub fn behind(&self) -> impl Iterator<Item = u64> {
        self.behind.iter().map(|behind| behind.load(Ordering::Relaxed))
    }

    /// Whether the rows of every durable command are there.
    pub fn is_caught_up(&self) -> bool {
        self.behind().all(|behind| behind == 0)
    }

    /// Why it ended, if it did.
    pub fn ended(&self) -> Option<String> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes that it has ended, and why.
    pub fn end(&self, reason: String) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
    }

    fn note(&self, follower: &Follower) {
        let shard = usize::from(follower.shard().shard);
        self.next[shard].store(follower.at().next.0, Ordering::Release);
        self.behind[shard].store(follower.behind(), Ordering::Relaxed);
    }
}

/// While it lives, a panic of this thread ends the progress.
struct Panics<'p>(&'p Progress);

impl Drop for Panics<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end("the follower panicked".into());
        }
    }
}

/// Both threads. They end when this is dropped.
pub struct Following {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Following {
    /// Starts them. Columns are written every so often.
    ///
    /// # Errors
    /// When the system has no threads.
    pub fn start(
        options: &Options,
        store: &Arc<Store>,
        progress: &Arc<Progress>,
        mut columns: Columns,
        every: Duration,
    ) -> Result<Following, HistoryError> {
        let mut following = Following { stop: Arc::default(), threads: Vec::new() };
        let (options, store, stopped) = (options.clone(), Arc::clone(store), Arc::clone(&following.stop));
        let (path, progress) = (store.path().to_path_buf(), Arc::clone(progress));
        let work = move || {
            let until = || stopped.load(Ordering::Relaxed);
            let _panics = Panics(&progress);
            if let Err(error) = follow(&options, &store, &progress, &until) {
                program::tell(format_args!("the history has stopped following the log: {error}"));
                progress.end(error.to_string());
            }
        };
        following.thread("history", &path, work)?;
        let stopped = Arc::clone(&following.stop);
        following.thread("columns", &path, move || write_columns(&mut columns, every, &stopped))?;
        Ok(following)
    }

    fn thread(&mut self, name: &str, path: &Path, work: impl FnOnce() + Send + 'static) -> Result<(), HistoryError> {
        let thread = thread::Builder::new().name(name.into()).spawn(work);
        self.threads.push(thread.map_err(HistoryError::io("start the follower of", path))?);
        Ok(())
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Writes columns until it is stopped. What fails, on a full disk for example, is tried again when it is time for the next.
fn write_columns(columns: &mut Columns, every: Duration, stopped: &AtomicBool) {
    let stop = || stopped.load(Ordering::Relaxed);
    let mut due = Instant::now();
    while !stop() {
        if Instant::now() >= due {
            if let Err(error) = columns.catch_up(&stop) {
                program::tell(format_args!(
                    "the columns could not be written and stay as they are until the next try: {error}"
                ));
            }
            due = Instant::now() + every;
        }
        thread::sleep(REST);
    }
}

/// Follows the logs of all shards until `stop` says so.
///
/// # Errors
/// When one can't be followed, or the store can't be written.
pub fn follow(
    options: &Options,
    store: &Arc<Store>,
    progress: &Progress,
    stop: &dyn Fn() -> bool,
) -> Result<(), HistoryError> {
    let shards = (0..options.shards).map(|shard| ShardOf { shard, shards: options.shards });
    let mut all: Vec<_> = shards.map(One::new).collect();
    let mut synced = Instant::now();
    while !stop() {
        let mut is_busy = false;
        for one in &mut all {
            is_busy |= one.step(options, store, progress)?;
        }
        if synced.elapsed() > SYNC {
            store.sync()?;
            synced = Instant::now();
        }
        if !is_busy {
            thread::sleep(REST);
        }
    }
    store.sync()
}

/// A shard's follower, once it has begun.
struct One {
    shard: ShardOf,
    follower: Option<Follower>,
    failures: u32,
    /// When it is tried again.
    due: Instant,
}

impl One {
    fn new(shard: ShardOf) -> One {
        One { shard, follower: None, failures: 0, due: Instant::now() }
    }

    /// A step. One that fails is tried again from where the rows end.
    fn step(&mut self, options: &Options, store: &Arc<Store>, progress: &Progress) -> Result<bool, HistoryError> {
        if Instant::now() < self.due {
            return Ok(false);
        }
        match self.try_step(options, store, progress) {
            Ok(is_busy) => Ok(is_busy),
            Err(error) if self.failures == TRIES => Err(error),
            Err(error) => {
                (self.follower, self.failures) = (None, self.failures + 1);
                let wait = if matches!(error, HistoryError::Unusable { .. }) { REST } else { WAIT };
                self.due = Instant::now() + wait;
                Ok(false)
            }
        }
    }

    fn try_step(&mut self, options: &Options, store: &Arc<Store>, progress: &Progress) -> Result<bool, HistoryError> {
        let follower = match &mut self.follower {
            Some(follower) => follower,
            None => self.follower.insert(Follower::begin(options, store, self.shard)?),
        };
        let before = follower.at().next;
        let is_busy = follower.step()?;
        progress.note(follower);
        if follower.at().next > before {
            self.failures = 0;
        }
        Ok(is_busy)
    }
}
