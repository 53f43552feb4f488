//! The receivers of acknowledgements that a run uses: one counts, one times, one writes to a file.
//!
//! A receiver works on the thread that acknowledges, keeps its own figures, and adds them to the
//! run's when it is dropped: nothing is shared while the clock runs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use market::{Acknowledge, Event, Sequence, Stamp};

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
    fn acknowledge(&mut self, _stamp: Stamp, events: &[Event]) {
        self.counts.commands += 1;
        for event in events {
            self.counts.trades += u64::from(matches!(event, Event::Traded { .. }));
            self.counts.rejected += u64::from(matches!(event, Event::Rejected { .. }));
        }
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

/// The moments of a shard's acknowledgements, in their order.
#[derive(Default)]
pub struct Moments {
    /// The sequence of the first.
    first: Option<Sequence>,
    /// When each came, in nanoseconds after the timer's start.
    after_ns: Vec<u64>,
}

impl Moments {
    /// When this command was acknowledged, in nanoseconds after the timer's start, if it was.
    pub fn of(&self, sequence: Sequence) -> Option<u64> {
        let at = sequence.0.checked_sub(self.first?.0)?;
        self.after_ns.get(at as usize).copied()
    }
}

/// Notes the time of each acknowledgement. Which command it belongs to is worked out after the clock has
/// stopped, from the tickets.
pub struct Timer {
    shard: u16,
    began: Instant,
    moments: Moments,
    all: Arc<Mutex<BTreeMap<u16, Moments>>>,
}

impl Timer {
    /// A timer of `shard` that counts from `began`, has room for `commands`, and adds to `all` when it is dropped.
    pub fn new(shard: u16, began: Instant, commands: usize, all: &Arc<Mutex<BTreeMap<u16, Moments>>>) -> Timer {
        let moments = Moments { first: None, after_ns: Vec::with_capacity(commands) };
        Timer { shard, began, moments, all: Arc::clone(all) }
    }
}

impl Acknowledge for Timer {
    fn acknowledge(&mut self, stamp: Stamp, _events: &[Event]) {
        self.moments.first.get_or_insert(stamp.sequence);
        self.moments.after_ns.push(self.began.elapsed().as_nanos() as u64);
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let Ok(mut all) = self.all.lock() {
            all.insert(self.shard, std::mem::take(&mut self.moments));
        }
    }
}

/// Writes acknowledgements to a file: the sequence and the number of events, `u64` each, then the
/// events' bytes. Each further shard writes to its own file, with the shard's number after the name.
///
/// Each is written before the next is taken, so that a killed program leaves behind what it has
/// promised.
pub struct Recorder {
    file: Option<File>,
    /// The current acknowledgement, encoded.
    record: Vec<u8>,
    failed: Arc<Mutex<Option<std::io::Error>>>,
}

impl Recorder {
    /// A recorder of `shard` that writes to `path` and leaves its first error in `failed`.
    pub fn new(shard: u16, path: &Path, failed: &Arc<Mutex<Option<std::io::Error>>>) -> Recorder {
        let mut recorder = Recorder { file: None, record: Vec::new(), failed: Arc::clone(failed) };
        let mut path = path.as_os_str().to_owned();
        if shard > 0 {
            path.push(format!(".{shard}"));
        }
        match File::create(path) {
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
    fn acknowledge(&mut self, stamp: Stamp, events: &[Event]) {
        let Some(file) = &mut self.file else { return };
        self.record.clear();
        self.record.extend(stamp.sequence.0.to_le_bytes());
        self.record.extend((events.len() as u64).to_le_bytes());
        events.iter().for_each(|event| self.record.extend(event.encode()));
        if let Err(error) = file.write_all(&self.record) {
            self.fail(error);
        }
    }
}
