//! Threads that stall or die: the pipeline waits or stops, says why, and loses nothing that was
//! acknowledged.
//!
//! A stalled thread waits at a gate that the test opens, so nothing depends on the machine's speed.
#![allow(clippy::unwrap_used)]

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use ch07::Chapter;
use ch07::wait::SLEEP;
use contract::folder::Folder;
use contract::harness::{Acks, run};
use contract::through::{Meddle, Through};
use contract::{Faults, SimDisk};
use market::flow::{self, FlowName};
use market::log::FRAME_COMMANDS_MAX;
use market::{Acknowledge, Command, Engine as _, EngineError, Event, LogFile, Stamp};

type Engine = <Chapter as runner::Chapter>::Engine;

/// More than the largest ring holds: a caller can submit them all only if the engine makes
/// progress.
const COMMANDS: usize = 300_000;

/// The most commands in a batch. The ring holds eight batches, and no more than that can be between
/// the caller and a stalled thread, except for what the caller has not yet published.
const BATCH_MAX: usize = 4_096;
const RING: u64 = 8 * BATCH_MAX as u64;
/// It holds four of the largest batches.
const LARGEST_RING: u64 = 4 * FRAME_COMMANDS_MAX as u64;
const UNPUBLISHED: u64 = 64;

/// An operation that takes this long is stuck.
const STUCK: Duration = Duration::from_secs(120);

fn commands() -> Vec<Command> {
    let flow = flow::generate(FlowName::Classic, COMMANDS, 1);
    [flow.setup, flow.body].concat()
}

/// What a thread finds when it reaches the gate.
#[derive(Clone, Copy, PartialEq)]
enum Gate {
    Open,
    Closed,
    Broken,
}

/// A gate that threads pass, wait at, or die at.
#[derive(Clone)]
struct Way(Arc<(Mutex<Gate>, Condvar)>);

impl Way {
    fn new(gate: Gate) -> Way {
        Way(Arc::new((Mutex::new(gate), Condvar::new())))
    }

    fn set(&self, gate: Gate) {
        *self.0.0.lock().unwrap() = gate;
        self.0.1.notify_all();
    }

    fn pass(&self, last_words: &str) {
        let gate = *self.0.1.wait_while(self.0.0.lock().unwrap(), |gate| *gate == Gate::Closed).unwrap();
        assert!(gate == Gate::Open, "{last_words}");
    }
}

/// Counts acknowledgements, in order; from the hundredth on they must pass the gate.
#[derive(Clone)]
struct Receiver {
    way: Way,
    counted: Arc<AtomicU64>,
}

impl Acknowledge for Receiver {
    fn acknowledge(&mut self, Stamp { sequence, .. }: Stamp, _events: &[Event]) {
        assert_eq!(sequence.0, self.counted.load(SeqCst) + 1, "acknowledged out of order");
        if sequence.0 >= 100 {
            self.way.pass("the receiver broke");
        }
        self.counted.store(sequence.0, SeqCst);
    }
}

/// The syncs of a disk, which must pass the gate.
impl Meddle for Way {
    fn sync(&self, file: &mut dyn LogFile) -> io::Result<()> {
        self.pass("the disk's driver broke");
        file.sync()
    }
}

/// The state of a test of a stall.
struct Stall {
    folder: Folder,
    disk: SimDisk,
    /// The gates of syncs and of acknowledgements.
    syncs: Way,
    acks: Way,
    counted: Arc<AtomicU64>,
    submitted: Arc<AtomicU64>,
}

impl Stall {
    fn new() -> Stall {
        let disk = SimDisk::new(0, Faults::default());
        let syncs = Way::new(Gate::Open);
        let mut folder = Folder::new(Through::new(Arc::new(disk.clone()), syncs.clone()));
        folder.options.batch_max = BATCH_MAX;
        Stall { folder, disk, syncs, acks: Way::new(Gate::Open), counted: Arc::default(), submitted: Arc::default() }
    }

    fn open(&self) -> Engine {
        let receiver = Receiver { way: self.acks.clone(), counted: Arc::clone(&self.counted) };
        Engine::open(&self.folder.options, &mut |_| Box::new(receiver.clone())).unwrap().0
    }

    /// Submits everything from another thread, which counts how far it got.
    fn submit_all(&self, mut engine: Engine) -> thread::JoinHandle<(Engine, Result<(), EngineError>)> {
        let submitted = Arc::clone(&self.submitted);
        thread::spawn(move || {
            let went = commands().into_iter().try_for_each(|command| {
                engine.submit(command)?;
                submitted.fetch_add(1, SeqCst);
                Ok(())
            });
            let went = went.and_then(|()| engine.flush());
            (engine, went)
        })
    }

    /// Waits until the counter has reached this.
    fn wait_for(&self, counter: &AtomicU64, least: u64) {
        let began = Instant::now();
        while counter.load(SeqCst) < least {
            assert!(began.elapsed() < STUCK, "{} were counted, not {least}", counter.load(SeqCst));
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Opens the healthy disk again: everything that was counted must be there.
    fn recovers(&mut self) {
        let counted = self.counted.load(SeqCst);
        self.folder.options.disk = Arc::new(self.disk.crash());
        let all = commands();
        let found = run::<Engine>(&self.folder.options, &[], 1).unwrap().recovery.commands;
        assert!(found >= counted, "{counted} were acknowledged, but {found} were recovered");
        // And it continues where it recovered to.
        let next = &all[found as usize..all.len().min(found as usize + 100)];
        run::<Engine>(&self.folder.options, next, 10).unwrap();
    }
}

/// A receiver that does not return: matching waits, the ring fills, the caller waits. When the
/// receiver returns, everything continues, and nothing was dropped.
#[test]
fn a_stalled_receiver_holds_everything_up() {
    let stall = Stall::new();
    stall.acks.set(Gate::Closed);
    let caller = stall.submit_all(stall.open());
    stall.wait_for(&stall.submitted, RING);
    stall.wait_for(&stall.counted, 99);
    thread::sleep(Duration::from_millis(50));
    // Slots before the gate may be free again.
    assert!(stall.submitted.load(SeqCst) <= RING + 99 + UNPUBLISHED, "a full ring must push back");
    assert_eq!(stall.counted.load(SeqCst), 99, "acknowledgements before the hundredth, which stopped at the gate");
    stall.acks.set(Gate::Open);
    let (engine, went) = caller.join().unwrap();
    went.unwrap();
    engine.close().unwrap();
    assert_eq!(stall.counted.load(SeqCst), commands().len() as u64, "acknowledgements after everything continued");
}

/// A disk whose sync does not return: nothing is acknowledged, the ring fills, the caller waits.
/// When the sync returns, everything continues, and nothing was dropped.
#[test]
fn a_stalled_disk_holds_everything_up() {
    let mut stall = Stall::new();
    stall.folder.options.batch_max = FRAME_COMMANDS_MAX;
    let engine = stall.open();
    stall.syncs.set(Gate::Closed);
    let caller = stall.submit_all(engine);
    stall.wait_for(&stall.submitted, LARGEST_RING);
    thread::sleep(Duration::from_millis(50));
    assert!(stall.submitted.load(SeqCst) <= LARGEST_RING + UNPUBLISHED, "a full ring must push back");
    assert_eq!(stall.counted.load(SeqCst), 0, "nothing is durable, so nothing is acknowledged");
    stall.syncs.set(Gate::Open);
    let (engine, went) = caller.join().unwrap();
    went.unwrap();
    engine.close().unwrap();
    assert_eq!(stall.counted.load(SeqCst), commands().len() as u64, "acknowledgements after everything continued");
    stall.recovers();
}

/// The error must name the thread and repeat its panic message; the engine accepts nothing after
/// it.
fn stopped(caller: thread::JoinHandle<(Engine, Result<(), EngineError>)>, wanted: &'static str, last_words: &str) {
    let (mut engine, went) = caller.join().unwrap();
    let error = went.expect_err("a thread died, but the engine went on");
    let words = error.to_string();
    let EngineError::ThreadStopped { role, reason } = error else { panic!("another error was expected than: {words}") };
    assert_eq!((role, reason.as_str()), (wanted, last_words), "the thread that stopped, and its panic message");
    assert!(words.contains("start again"), "the error does not say what to do: {words}");
    let more = commands()[0];
    assert!(engine.submit(more).is_err(), "it took a command after it had stopped");
    assert!(engine.flush().is_err() && engine.close().is_err(), "it flushed or closed after it had stopped");
}

/// A receiver that panics takes the matching thread with it.
#[test]
fn a_receiver_that_panics_stops_the_engine() {
    let mut stall = Stall::new();
    stall.acks.set(Gate::Broken);
    stopped(stall.submit_all(stall.open()), "matching", "the receiver broke");
    assert_eq!(stall.counted.load(SeqCst), 99, "acknowledgements before the hundredth, which stopped at the gate");
    stall.recovers();
}

/// A panic in the journal's thread: what it had not synced is not acknowledged.
#[test]
fn a_journal_that_panics_stops_the_engine() {
    let mut stall = Stall::new();
    let engine = stall.open();
    // Some commands get through before that.
    let syncs = stall.syncs.clone();
    let counted = Arc::clone(&stall.counted);
    let breaker = thread::spawn(move || {
        while counted.load(SeqCst) < 10_000 {
            thread::yield_now();
        }
        syncs.set(Gate::Broken);
    });
    let caller = stall.submit_all(engine);
    breaker.join().unwrap();
    stopped(caller, "journal", "the disk's driver broke");
    assert!(stall.counted.load(SeqCst) >= 10_000, "acknowledgements before the journal broke");
    stall.recovers();
}

/// Where threads share a core they sleep until they are woken: each by the thread that writes what it reads, and at
/// the end by that thread's leaving. A missing wake-up costs a sleep.
#[test]
fn no_thread_sleeps_through_an_order_or_an_end() {
    const TIMES: u32 = 10;
    let core = core_affinity::get_core_ids().unwrap()[0];
    core_affinity::set_for_current(core); // the engine's threads inherit it
    let began = Instant::now();
    for &command in &commands()[..TIMES as usize] {
        let folder = Folder::new(SimDisk::new(0, Faults::default()));
        let (mut engine, _) = Engine::open(&folder.options, &mut Acks::default().receivers()).unwrap();
        thread::sleep(Duration::from_millis(5)); // by then they are asleep
        engine.submit(command).unwrap();
        engine.flush().unwrap();
        thread::sleep(Duration::from_millis(5));
        engine.close().unwrap();
    }
    assert!(began.elapsed() < TIMES * SLEEP / 2, "{TIMES} single orders and as many ends took {:?}", began.elapsed());
}

/// An engine that is dropped with work in its ring ends its threads first: the next one may open
/// the same log.
#[test]
fn a_dropped_engine_leaves_no_thread_behind() {
    let folder = Folder::new(SimDisk::new(0, Faults::default()));
    let commands = commands();
    let mut found = 0;
    for round in 1..=20 {
        let acks = Acks::default();
        let (mut engine, recovery) = Engine::open(&folder.options, &mut acks.receivers()).unwrap();
        assert!(recovery.commands >= found, "{recovery:?}, but {found} were there before");
        let from = recovery.commands as usize;
        commands[from..from + 1_000 + round].iter().try_for_each(|&command| engine.submit(command).map(drop)).unwrap();
        drop(engine);
        found = recovery.commands + acks.seen().len() as u64;
    }
}
