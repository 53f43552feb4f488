//! The engine and its shadow, and the shadow's thread.
//!
//! The engine does not know about it: the two share only the log. When the shadow can't go on, the engine does, and
//! reports it when it is closed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use keeping::Shadow as _;
use market::data_dir::SnapshotLock;
use market::log::ShardOf;
use market::{Closed, Command, EngineError, Options, Receivers, Recovery, Sequence, Ticket};

use crate::engine;
use crate::metrics::Metrics;
use crate::shadow::Shadow;

/// How long the shadow sleeps when it has caught up.
const REST: Duration = Duration::from_millis(5);

/// An engine that is followed by a shadow, if that was asked for.
pub struct Engine<M> {
    /// It ends before the engine does.
    shadow: Option<Follower>,
    engine: engine::Engine<M>,
}

impl<M: Metrics> market::Engine for Engine<M> {
    fn open(options: &Options, receivers: &mut Receivers<'_>) -> Result<(Engine<M>, Recovery), EngineError> {
        let (engine, recovery) = engine::Engine::open(options, receivers)?;
        let shadow = options.snapshot_every.map(|every| Follower::start(options, every)).transpose()?;
        Ok((Engine { shadow, engine }, recovery))
    }

    fn submit(&mut self, command: Command) -> Result<Ticket, EngineError> {
        self.engine.submit(command)
    }

    fn poll(&mut self) -> Result<(), EngineError> {
        self.engine.poll()
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        self.engine.flush()
    }

    fn close(mut self) -> Result<Closed, EngineError> {
        self.engine.flush()?;
        let remarks = self.shadow.take().map(Follower::stop).unwrap_or_default();
        let mut closed = self.engine.close()?;
        closed.remarks.extend(remarks);
        Ok(closed)
    }
}

/// The thread that follows the logs of all shards.
struct Follower {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<String>>>,
}

impl Follower {
    fn start(options: &Options, every: u64) -> Result<Follower, EngineError> {
        let (stop, options) = (Arc::new(AtomicBool::new(false)), options.clone());
        let stopped = Arc::clone(&stop);
        let work = move || follow_all(&options, every, &|| stopped.load(Ordering::Relaxed));
        let thread = thread::Builder::new().name("shadow".into()).spawn(work);
        let error = |error: std::io::Error| EngineError::ThreadStopped { role: "shadow", reason: error.to_string() };
        Ok(Follower { stop, thread: Some(thread.map_err(error)?) })
    }

    /// Ends the thread, and returns its messages.
    fn stop(mut self) -> Vec<String> {
        self.join()
    }

    fn join(&mut self) -> Vec<String> {
        self.stop.store(true, Ordering::Relaxed);
        let Some(thread) = self.thread.take() else { return Vec::new() };
        thread.join().unwrap_or_else(|_| vec!["the shadow stopped: it panicked; the engine does not need it".into()])
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        // It must not write on while another engine opens the directory.
        self.join();
    }
}

/// Follows the logs of all shards until `stop` returns true, and returns the messages about them.
fn follow_all(options: &Options, every: u64, stop: &dyn Fn() -> bool) -> Vec<String> {
    let _lock = match wait_for_lock(options, stop) {
        Ok(lock) => lock,
        Err(error) => return vec![format!("the shadow did not begin, so it wrote no snapshot: {error}")],
    };
    let shards = (0..options.shards).map(|shard| ShardOf { shard, shards: options.shards });
    let mut followers: Vec<One> = shards.map(|shard| One::begin(options, shard)).collect();
    while !stop() {
        let busy = followers.iter_mut().map(|one| one.step(every)).fold(false, |busy, one| busy | one);
        if !busy {
            thread::sleep(REST);
        }
    }
    followers.into_iter().map(One::remark).collect()
}

/// The snapshots' lock, as soon as no other process holds it. It is an error if one still does when `stop` returns true.
fn wait_for_lock(options: &Options, stop: &dyn Fn() -> bool) -> Result<SnapshotLock, EngineError> {
    loop {
        match SnapshotLock::take(&*options.disk, &options.data_dir) {
            // Another process makes snapshots. Any other error would come again each time.
            Err(EngineError::Unsound { .. }) if !stop() => thread::sleep(REST),
            taken => return taken,
        }
    }
}

/// The shadow of one shard, and what it did.
struct One {
    shard: u16,
    /// An error when it could not go on.
    shadow: Result<Shadow, EngineError>,
    written: u64,
    /// Of the state in the last snapshot, if it wrote one.
    digest: Option<u64>,
    behind: u64,
}

impl One {
    fn begin(options: &Options, shard: ShardOf) -> One {
        One { shard: shard.shard, shadow: Shadow::begin(options, shard), written: 0, digest: None, behind: 0 }
    }

    /// Replays some commands, writes a snapshot where one is due, and returns whether there was work.
    fn step(&mut self, every: u64) -> bool {
        let Ok(shadow) = &mut self.shadow else { return false };
        let (before, due) = (shadow.next(), shadow.kept().plus(every));
        let mut went = || {
            self.behind = shadow.follow(Sequence(due.0 - 1), |_, _, _| ())?;
            if shadow.next() >= due && shadow.write()?.is_some() {
                (self.written, self.digest) = (self.written + 1, Some(shadow.digest()));
            }
            Ok(shadow.next() > before)
        };
        went().unwrap_or_else(|error| {
            self.shadow = Err(error);
            false
        })
    }

    fn remark(self) -> String {
        let One { shard, shadow, written, digest, behind } = self;
        let digest = digest.map_or(String::new(), |digest| format!(" with digest {digest:016x}"));
        match shadow {
            Ok(shadow) => format!(
                "shard {shard}: the shadow wrote {written} snapshots, the last after command {}{digest}, and was {behind} \
                 commands behind at the end",
                shadow.kept().0 - 1
            ),
            Err(error) => format!("shard {shard}: the shadow stopped, and the engine went on without it: {error}"),
        }
    }
}
