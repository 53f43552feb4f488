//! A standby's snapshots: what makes a takeover short, however long the log is.
//!
//! A shadow of 0x08 follows the log here, as it does behind an engine, writes the ledger of what it replays, and a snapshot every
//! so many commands. So the engine that opens at a takeover begins with a snapshot, and replays what came after it. The shadow
//! reads what this standby has on disk, and the standby waits for it only when it takes over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ch08::ledger::Ledger;
use ch08::shadow::Shadow;
use keeping::Shadow as _;
use keeping::trim::correct_newer;
use market::data_dir::SnapshotLock;
use market::log::ShardOf;
use market::{EngineError, Options, Sequence};
use program::tell;

use crate::digest::{Compared, Digest};

/// How long to rest when there is nothing to replay.
const REST: Duration = Duration::from_millis(5);

/// The shadows of all shards, and their thread. It ends when this is dropped.
pub struct Warm {
    /// By shard, what the replay led to, beside what the primary says.
    pub compared: Arc<[Mutex<Compared>]>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Warm {
    /// Starts it, with a snapshot every so many commands.
    ///
    /// # Errors
    /// When the system has no thread.
    pub fn start(options: &Options, every: u64) -> Result<Warm, EngineError> {
        let (stop, options) = (Arc::new(AtomicBool::new(false)), options.clone());
        let compared: Arc<[_]> = (0..options.shards).map(|_| Mutex::<Compared>::default()).collect();
        let (stopped, own) = (Arc::clone(&stop), Arc::clone(&compared));
        let work = move || {
            if let Err(error) = follow(&options, every, &own, &|| stopped.load(Ordering::Relaxed)) {
                tell(format_args!(
                    "this standby writes no more snapshots, so a takeover has to replay the log: {error}"
                ));
            }
        };
        let thread = thread::Builder::new().name("shadow".into()).spawn(work);
        let failed = |error: std::io::Error| EngineError::ThreadStopped { role: "shadow", reason: error.to_string() };
        Ok(Warm { compared, stop, thread: Some(thread.map_err(failed)?) })
    }
}

impl Drop for Warm {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // It must not write on while an engine opens the folder.
        self.thread.take().map(JoinHandle::join);
    }
}

fn follow(
    options: &Options,
    every: u64,
    compared: &[Mutex<Compared>],
    stop: &dyn Fn() -> bool,
) -> Result<(), EngineError> {
    // Another process that makes snapshots may hold it for a while. Any other error would come again each time.
    let lock = loop {
        match SnapshotLock::take(&*options.disk, &options.data_dir) {
            Err(EngineError::Unsound { .. }) if stop() => return Ok(()),
            Err(EngineError::Unsound { .. }) => thread::sleep(REST),
            taken => break taken?,
        }
    };
    let shards = (0..options.shards).map(|shard| ShardOf { shard, shards: options.shards });
    let mut all = shards.map(|shard| One::begin(options, shard)).collect::<Result<Vec<_>, _>>()?;
    while !stop() {
        let mut is_busy = false;
        for (one, compared) in all.iter_mut().zip(compared) {
            is_busy |= one.step(every, compared)?;
        }
        if !is_busy {
            thread::sleep(REST);
        }
    }
    drop(lock);
    // A snapshot can be used when the ledger reaches it, so what is in the ledgers' buffers has to be written.
    all.into_iter().try_for_each(|one| one.ledger.close())
}

/// The shadow of one shard.
struct One {
    shadow: Shadow,
    ledger: Ledger,
    digest: Digest,
}

impl One {
    fn begin(options: &Options, shard: ShardOf) -> Result<One, EngineError> {
        let shadow = Shadow::begin(options, shard)?;
        let mut ledger = Ledger::create(&options.data_dir, shadow.ledger_part(), None)?;
        correct_newer(options, shadow.ledger_part())?;
        ledger.take_place()?;
        Ok(One { shadow, ledger, digest: Digest::default() })
    }

    /// Replays some commands, writes a snapshot where one is due, and returns whether there was work.
    fn step(&mut self, every: u64, compared: &Mutex<Compared>) -> Result<bool, EngineError> {
        let One { shadow, ledger, digest } = self;
        let (before, due) = (shadow.next(), shadow.kept().plus(every));
        let mut written = Ok(());
        shadow.follow(Sequence(due.0 - 1), |stamp, _, events| {
            if let Some(stretch) = digest.add(stamp.sequence, events) {
                compared.lock().unwrap_or_else(PoisonError::into_inner).own(stretch);
            }
            if written.is_ok() {
                written = ledger.write(events);
            }
        })?;
        written?;
        if shadow.next() >= due {
            shadow.write()?;
        }
        Ok(shadow.next() > before)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::atomic::AtomicU64;

    use market::data_dir::SNAPSHOT_LOCK_NAME;

    use super::*;

    /// Here a folder has the lock's name: waiting would help nothing, so it ends and is reported.
    #[test]
    fn a_lock_that_cannot_be_opened_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(SNAPSHOT_LOCK_NAME)).unwrap();
        let looks = AtomicU64::new(0);
        let ended = follow(&Options::new(folder.path()), 1, &[], &|| looks.fetch_add(1, Ordering::Relaxed) > 3);
        assert!(matches!(ended, Err(EngineError::Io { .. })), "{ended:?}");
    }
}
