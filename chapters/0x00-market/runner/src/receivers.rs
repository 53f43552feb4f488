//! The receivers of acknowledgements that a run uses: one counts, one times, one writes to a file.
//!
//! A receiver works on the thread that acknowledges, keeps its own figures, and adds them to the
//! run's when it is dropped: nothing is shared while the clock runs.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use market::{Acknowledge, Event, Sequence};

/// What has been acknowledged.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    /// Commands.
    pub commands: u64,
    /// Trades.
    pub trades: u64,
    /// Commands that changed nothing.
    pub rejected: u64,
}

/// Counts.
#[derive(Default)]
pub struct Counter {
    counts: Counts,
    total: Arc<Mutex<Counts>>,
}

impl Counter {
    /// A counter that adds to `total` when it is dropped.
    pub fn new(total: &Arc<Mutex<Counts>>) -> Counter {
        Counter { counts: Counts::default(), total: Arc::clone(total) }
    }
}

impl Acknowledge for Counter {
    fn acknowledge(&mut self, _sequence: Sequence, events: &[Event]) {
        self.counts.commands += 1;
        for event in events {
            self.counts.trades += u64::from(matches!(event, Event::Traded { .. }));
            self.counts.rejected += u64::from(matches!(event, Event::Rejected { .. }));
        }
    }

    fn for_shard(&self, _shard: u16) -> Box<dyn Acknowledge> {
        Box::new(Counter::new(&self.total))
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        if let Ok(mut total) = self.total.lock() {
            total.commands += self.counts.commands;
            total.trades += self.counts.trades;
            total.rejected += self.counts.rejected;
        }
    }
}

/// When each command of an open-loop run is meant to arrive.
pub struct Schedule {
    /// Set when the clock starts.
    pub start: OnceLock<Instant>,
    /// From one arrival to the next.
    pub interval: Duration,
    /// By shard: the places, in the order of the whole flow, of the commands that the shard gets.
    /// Empty when there is one shard, for then a command's sequence tells its place.
    pub places: Vec<Vec<u32>>,
    /// How many commands each shard gets before the clock starts.
    pub setup: Vec<u64>,
}

impl Schedule {
    /// When the command of this place in the flow is meant to arrive.
    pub fn due(&self, start: Instant, place: u64) -> Instant {
        start + Duration::from_nanos((self.interval.as_nanos() as u64).saturating_mul(place))
    }

    fn place(&self, shard: u16, sequence: Sequence) -> Option<u64> {
        let at = sequence.0.checked_sub(Sequence::FIRST.0 + self.setup[shard as usize])?;
        match self.places.get(shard as usize) {
            Some(places) => places.get(at as usize).map(|&place| u64::from(place)),
            None => Some(at),
        }
    }
}

/// Times each acknowledgement from the moment when its command was *meant* to arrive, so that a
/// stall is charged to every command that it delayed (no coordinated omission).
pub struct Timer {
    shard: u16,
    schedule: Arc<Schedule>,
    latencies: Histogram<u64>,
    total: Arc<Mutex<Histogram<u64>>>,
}

impl Timer {
    /// A timer of the first shard that adds to `total` when it is dropped.
    pub fn new(schedule: &Arc<Schedule>, total: &Arc<Mutex<Histogram<u64>>>) -> Timer {
        Timer { shard: 0, schedule: Arc::clone(schedule), latencies: empty_histogram(), total: Arc::clone(total) }
    }
}

/// Nanoseconds up to an hour, to three digits.
pub fn empty_histogram() -> Histogram<u64> {
    // The bounds are constants that the library allows, so this can't fail.
    Histogram::new_with_bounds(1, 3_600_000_000_000, 3).unwrap_or_else(|error| unreachable!("{error}"))
}

impl Acknowledge for Timer {
    // ANCHOR: timer
    fn acknowledge(&mut self, sequence: Sequence, _events: &[Event]) {
        let Some(&start) = self.schedule.start.get() else { return };
        let Some(place) = self.schedule.place(self.shard, sequence) else { return };
        let latency = Instant::now().saturating_duration_since(self.schedule.due(start, place));
        self.latencies.saturating_record(latency.as_nanos() as u64);
    }
    // ANCHOR_END: timer

    fn for_shard(&self, shard: u16) -> Box<dyn Acknowledge> {
        let mut timer = Timer::new(&self.schedule, &self.total);
        timer.shard = shard;
        Box::new(timer)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let Ok(mut total) = self.total.lock() {
            // Both have the same bounds, so nothing can fall outside.
            let _ = total.add(&self.latencies);
        }
    }
}

/// Writes acknowledgements to a file: the sequence and the number of events, `u64` each, then the
/// events' bytes. A further shard writes to a file of its own, with the shard's number behind the name.
///
/// Each is written before the next is taken, so that a program that is killed leaves behind what it
/// has promised.
pub struct Recorder {
    path: PathBuf,
    file: Option<File>,
    /// The acknowledgement at hand, encoded.
    record: Vec<u8>,
    failed: Arc<Mutex<Option<std::io::Error>>>,
}

impl Recorder {
    /// A recorder that writes to `path` and leaves its first error in `failed`.
    pub fn new(path: PathBuf, failed: &Arc<Mutex<Option<std::io::Error>>>) -> Recorder {
        let mut recorder = Recorder { path, file: None, record: Vec::new(), failed: Arc::clone(failed) };
        match File::create(&recorder.path) {
            Ok(file) => recorder.file = Some(file),
            Err(error) => recorder.fail(error),
        }
        recorder
    }

    fn fail(&mut self, error: std::io::Error) {
        self.file = None;
        if let Ok(mut failed) = self.failed.lock() {
            failed.get_or_insert(error);
        }
    }
}

impl Acknowledge for Recorder {
    fn acknowledge(&mut self, sequence: Sequence, events: &[Event]) {
        let Some(file) = &mut self.file else { return };
        self.record.clear();
        self.record.extend(sequence.0.to_le_bytes());
        self.record.extend((events.len() as u64).to_le_bytes());
        events.iter().for_each(|event| self.record.extend(event.encode()));
        if let Err(error) = file.write_all(&self.record) {
            self.fail(error);
        }
    }

    fn for_shard(&self, shard: u16) -> Box<dyn Acknowledge> {
        let mut path = self.path.clone().into_os_string();
        if shard > 0 {
            path.push(format!(".{shard}"));
        }
        Box::new(Recorder::new(path.into(), &self.failed))
    }
}
