//! The time lines' recording: the same orders through 0x01, 0x03 and 0x06, on this machine's disk and by its clock.
//!
//! The engines are whole, and the loop that offers the orders is the measuring one. In front of the real disk is one
//! that passes everything on and notes when each write and each sync began and returned; the receiver notes when each
//! order was acknowledged, and the engines' own laps when each was applied. 0x01 has no laps: there applying is what
//! lies between a sync's return and the acknowledgement.
//!
//! No two runs are alike, so a recording is kept for as long as its sources' code does not change. [`laws::check`]
//! checks what must hold in every run, on any machine.

pub mod laws;

use crate::digest::{hex, sources};
use contract::through::{Meddle, Through};
use laws::{Frame, Order, Run};
use market::flow::{self, FlowName};
use market::log::{FILE_NAME, RECORD_BYTES};
use market::{
    Acknowledge, Command, DataDir, Engine, Event, LogFile, Options, RealDisk, Sequence, Stage, StageTimes, Stamp,
};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io};

const SOURCES: [&str; 9] = [
    "0x01-naive/src/engine.rs",
    "0x01-naive/src/log.rs",
    "0x03-group-commit/src/engine.rs",
    "0x03-group-commit/src/log.rs",
    "0x06-pinned-ring/src/pipeline.rs",
    "0x06-pinned-ring/src/journal.rs",
    "0x06-pinned-ring/src/matcher.rs",
    "0x06-pinned-ring/src/crew.rs",
    "0x06-pinned-ring/src/wait.rs",
];

/// How many orders come at a steady pace, and how long after one the next is due: less than a sync
/// takes.
const ORDERS: usize = 12;
const GAP: Duration = Duration::from_micros(60);

/// How long the pause is before one more order comes alone.
const QUIET: Duration = Duration::from_micros(500);

/// How many orders an engine has had before the clock starts, so that nothing is done for the first time.
const BEFORE: usize = 4;

/// An engine and how many commands its batch may hold; `None` if that is not configurable.
type Way = (&'static str, Option<usize>, fn(&str, Option<usize>) -> Run);
const WAYS: [Way; 5] = [
    ("0x01", None, run::<ch01::Engine>),
    ("0x03", Some(1), run::<ch03::Engine<Laps>>),
    ("0x03", Some(4), run::<ch03::Engine<Laps>>),
    ("0x03", Some(12), run::<ch03::Engine<Laps>>),
    ("0x06", None, run::<ch06::Engine<Laps>>),
];

/// What was observed of the running engine. It is global, because an engine creates its own laps.
#[derive(Default)]
struct Seen {
    /// The bytes of each write, with its span.
    writes: Vec<(usize, Span)>,
    syncs: Vec<Span>,
    applied: Vec<Span>,
    acknowledged: Vec<(Sequence, Instant)>,
}

type Span = (Instant, Instant);

static SEEN: Mutex<Seen> =
    Mutex::new(Seen { writes: Vec::new(), syncs: Vec::new(), applied: Vec::new(), acknowledged: Vec::new() });

fn seen() -> MutexGuard<'static, Seen> {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Watches the log.
#[derive(Clone)]
struct Watch;

impl Meddle for Watch {
    fn concerns(&self, path: &Path) -> bool {
        path.ends_with(FILE_NAME)
    }

    fn write_at(&self, file: &mut dyn LogFile, at: u64, bytes: &[u8]) -> io::Result<usize> {
        let began = Instant::now();
        let written = file.write_at(at, bytes)?;
        seen().writes.push((written, (began, Instant::now())));
        Ok(written)
    }

    fn sync(&self, file: &mut dyn LogFile) -> io::Result<()> {
        let began = Instant::now();
        file.sync()?;
        seen().syncs.push((began, Instant::now()));
        Ok(())
    }
}

/// Receives the acknowledgements, and counts them for the caller.
struct Receiver(Arc<AtomicUsize>);

impl Acknowledge for Receiver {
    fn acknowledge(&mut self, stamp: Stamp, _: &[Event]) {
        seen().acknowledged.push((stamp.sequence, Instant::now()));
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// A stopwatch in the engines: a command is applied from its start to the end of its settlement.
struct Laps(Instant);

impl Default for Laps {
    fn default() -> Laps {
        Laps(Instant::now())
    }
}

impl Laps {
    fn lap(&self, stage: Stage) {
        if stage == Stage::Settlement {
            seen().applied.push((self.0, Instant::now()));
        }
    }
}

impl ch03::metrics::Metrics for Laps {
    fn start(&mut self) {
        self.0 = Instant::now();
    }

    fn lap(&mut self, stage: Stage) {
        Laps::lap(self, stage);
    }

    fn times(&self) -> Option<StageTimes> {
        None
    }
}

impl ch06::metrics::Metrics for Laps {
    fn start(&mut self) {
        self.0 = Instant::now();
    }

    fn lap(&mut self, stage: Stage) {
        Laps::lap(self, stage);
    }
}

/// Orders at a steady pace, as the latency pass offers them, and then a single one.
fn run<E: Engine>(engine: &str, batch_max: Option<usize>) -> Run {
    let folder = tempfile::tempdir_in(beside_this_program()).unwrap();
    let mut options =
        Options { disk: Arc::new(Through::new(Arc::new(RealDisk), Watch)), ..Options::new(folder.path()) };
    options.batch_max = batch_max.unwrap_or(options.batch_max);
    let flow = flow::generate(FlowName::Classic, BEFORE + ORDERS + 1, flow::DEFAULT_SEED);
    DataDir::open(&*options.disk, folder.path()).unwrap().first_start(&options, &flow.setup).unwrap();
    let acknowledged = Arc::new(AtomicUsize::new(0));
    let (mut engine_at_work, _) = E::open(&options, &mut |_| Box::new(Receiver(Arc::clone(&acknowledged)))).unwrap();
    for &command in &flow.body[..BEFORE] {
        engine_at_work.submit(command).unwrap();
    }
    engine_at_work.flush().unwrap();
    *seen() = Seen::default();

    let began = Instant::now() + QUIET;
    let mut taken = Vec::new();
    let mut offer = |engine: &mut E, command: Command, due: Instant| {
        while Instant::now() < due {
            engine.poll().unwrap();
        }
        taken.push((due, Instant::now()));
        engine.submit(command).unwrap();
    };
    let wait = |engine: &mut E, count: usize| {
        while acknowledged.load(Ordering::Acquire) < count {
            engine.poll().unwrap();
        }
    };
    let (pace, alone) = flow.body[BEFORE..].split_at(ORDERS);
    for (at, &command) in (0..).zip(pace) {
        offer(&mut engine_at_work, command, began + GAP * at);
    }
    wait(&mut engine_at_work, BEFORE + ORDERS);
    offer(&mut engine_at_work, alone[0], Instant::now() + QUIET);
    wait(&mut engine_at_work, BEFORE + ORDERS + 1);
    let seen = std::mem::take(&mut *seen());
    engine_at_work.close().unwrap();
    let interval = if batch_max.is_some() { options.batch_interval } else { Duration::ZERO };
    told(engine, batch_max, interval, began, &taken, seen)
}

/// The observations, as a run.
fn told(engine: &str, batch_max: Option<usize>, interval: Duration, began: Instant, taken: &[Span], seen: Seen) -> Run {
    let since = |moment: Instant| moment.saturating_duration_since(began).as_nanos() as u64;
    let span = |(from, to): Span| (since(from), since(to));
    assert_eq!(seen.writes.len(), seen.syncs.len(), "each frame is written at once, and synced");
    let frame = |(&(bytes, written), &synced): (&(usize, Span), &Span)| Frame {
        orders: bytes / RECORD_BYTES - 1,
        written: span(written),
        synced: span(synced),
    };
    let frames: Vec<Frame> = seen.writes.iter().zip(&seen.syncs).map(frame).collect();
    let sequences: Vec<u64> =
        seen.acknowledged.iter().map(|(sequence, _)| sequence.0 - seen.acknowledged[0].0.0).collect();
    assert!(sequences.iter().copied().eq(0..taken.len() as u64), "each order is acknowledged once, in order");
    // In 0x01 each order has a frame.
    let laps = |at: usize| match seen.applied.is_empty() {
        true => (seen.syncs[at].1, seen.acknowledged[at].1),
        false => seen.applied[at],
    };
    let orders = taken.iter().enumerate().map(|(at, &(came, taken))| Order {
        came: since(came),
        taken: since(taken),
        applied: span(laps(at)),
        acknowledged: since(seen.acknowledged[at].1),
    });
    let (engine, interval_ns, orders) = (engine.to_owned(), interval.as_nanos() as u64, orders.collect());
    Run { engine, batch_max, interval_ns, orders, frames }
}

/// A folder on the disk that programs are built on, because temporary files may be kept in memory.
fn beside_this_program() -> std::path::PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_path_buf()
}

/// The runs of all engines, each the median of its rounds by the orders' total wait; the engines run in turn.
fn runs(rounds: usize) -> Value {
    let mut taken: [Vec<Run>; WAYS.len()] = Default::default();
    for _ in 0..rounds {
        for (runs, (engine, batch_max, run)) in taken.iter_mut().zip(WAYS) {
            runs.push(run(engine, batch_max));
        }
    }
    let waited = |run: &Run| run.orders.iter().map(|order| order.acknowledged - order.came).sum::<u64>();
    let middle = |mut runs: Vec<Run>| {
        runs.sort_by_key(waited);
        runs.swap_remove(rounds / 2)
    };
    let machine = results::machine::describe(&beside_this_program()).summary();
    json!({ "machine": machine, "gap_ns": GAP.as_nanos() as u64, "runs": taken.map(middle) })
}

/// The recording, from this many rounds, with the files that made it.
pub fn record(rounds: usize) -> Value {
    let steps = runs(rounds);
    laws::check(&steps).unwrap();
    let digest = hex(steps.to_string().as_bytes());
    json!({ "chapter": "", "sources": sources("", &SOURCES), "digest": digest, "steps": steps })
}

/// Whether a recording was made by the current code, so that it may stay.
pub fn is_of_these_sources(file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    serde_json::from_str(&text).is_ok_and(|recording: Value| recording["sources"] == sources("", &SOURCES))
}
