//! `output/recover.json`: how long a start takes, and what a snapshot costs while it is made.

use serde::{Deserialize, Serialize};

use super::flow::Flow;
use crate::json::Record;
use crate::machine::Machine;
use crate::probe::Probe;
use crate::spread::Spread;

/// One run of `recover`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecoverRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built.
    pub commit: String,
    /// The command line that repeats the run.
    pub command: String,
    /// What was run.
    pub flow: Flow,
    /// The chapter's folder name.
    pub chapter: String,
    /// Interleaved rounds.
    pub rounds: u32,
    /// The machine's state before each round.
    pub probes: Vec<Probe>,
    /// How many commands come after the snapshot that a start begins with.
    pub tail: u64,
    /// The state that a snapshot holds when all of it exists.
    pub state: StateRecord,
    /// In rising order of the log's length.
    pub starts: Vec<StartRecord>,
    /// The length at which both ways to start take equally long, in commands; `None` when one of them is faster at
    /// every length that was measured.
    pub meet_commands: Option<f64>,
    /// How orders were offered while snapshots were made.
    pub offer: OfferRecord,
    /// Without snapshots, with the world stopped, with the shadow, in this order.
    pub pauses: Vec<PauseRecord>,
}

/// A state, and its snapshot by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateRecord {
    /// How many markets are open.
    pub markets: u64,
    /// How many accounts they have in all.
    pub accounts: u64,
    /// How many orders rest in all.
    pub resting: u64,
    /// How long the snapshot is.
    pub bytes: u64,
    /// The time to find it, check it and load it, in nanoseconds.
    pub load_ns: Spread,
    /// The time to write it and wait until it is on disk, in nanoseconds.
    pub write_ns: Spread,
}

/// Starts on a log of one length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StartRecord {
    /// How many commands the log has.
    pub commands: u64,
    /// How long it is.
    pub log_bytes: u64,
    /// How long the snapshot is.
    pub snapshot_bytes: u64,
    /// The whole log is replayed; the files are in the page cache.
    pub replay: Started,
    /// The snapshot is loaded and the commands after it are replayed; the files are in the page
    /// cache.
    pub snapshot: Started,
    /// The same after the system has dropped the files from its cache, where it can be asked to.
    pub cold: Option<Started>,
}

/// One way to start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// Until the first command is acknowledged, in nanoseconds.
    pub start_ns: Spread,
    /// Processor time of all threads meanwhile, in nanoseconds, where the system reports it.
    pub processor_ns: Option<Spread>,
    /// The most memory that the process held, where the system reports it.
    pub memory_bytes: Option<Spread>,
}

/// How orders were offered.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OfferRecord {
    /// Commands a second.
    pub rate: u64,
    /// For how long, in seconds.
    pub seconds: f64,
    /// How many commands lay between two snapshots.
    pub every: u64,
}

/// What orders waited for while snapshots were made in one way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PauseRecord {
    /// `none`, `stopped` or `shadow`.
    pub name: String,
    /// Commands acknowledged a second. If it is well below the offer, the engine could not hold the
    /// rate.
    pub achieved_per_s: Spread,
    /// From a command's intended arrival to its durable acknowledgement, the median, in nanoseconds.
    pub p50_ns: Spread,
    /// The same, 99th percentile.
    pub p99_ns: Spread,
    /// The same, 99.9th percentile.
    pub p999_ns: Spread,
    /// The longest.
    pub max_ns: Spread,
    /// Processor time of the whole process, where the system reports it.
    pub processor_ns: Option<Spread>,
    /// The most memory that the process held, where that is meaningful.
    pub memory_bytes: Option<Spread>,
    /// How many snapshots were written.
    pub snapshots: Option<Spread>,
    /// What they cost in all: processor time of the shadow's thread, or how long the world stood still.
    pub snapshot_ns: Option<Spread>,
    /// How many commands came after the last snapshot.
    pub behind_last_snapshot: Option<Spread>,
}

impl PauseRecord {
    /// The four figures that a chart shows: p50, p99, p99.9 and the longest.
    pub fn latencies(&self) -> [&Spread; 4] {
        [&self.p50_ns, &self.p99_ns, &self.p999_ns, &self.max_ns]
    }
}

impl RecoverRecord {
    /// The length at which both ways to start take equally long, between two lengths that were measured.
    pub fn meet(starts: &[StartRecord]) -> Option<f64> {
        let gain = |start: &StartRecord| (start.replay.start_ns.median / start.snapshot.start_ns.median).ln();
        starts.windows(2).find_map(|pair| {
            let (before, after) = (gain(&pair[0]), gain(&pair[1]));
            let (low, high) = ((pair[0].commands as f64).ln(), (pair[1].commands as f64).ln());
            (before < 0.0 && after >= 0.0).then(|| (low + (high - low) * -before / (after - before)).exp())
        })
    }
}

impl Record for RecoverRecord {
    const VERB: &'static str = "recover";

    fn check(&self) -> Result<(), String> {
        let positive = |what: &str, spread: &Spread| match spread.min > 0.0 {
            true => Ok(()),
            false => Err(format!("{what} is {} ns", spread.min)),
        };
        for start in &self.starts {
            positive("a start by replay alone", &start.replay.start_ns)?;
            positive("a start with a snapshot", &start.snapshot.start_ns)?;
        }
        self.pauses.iter().flat_map(PauseRecord::latencies).try_for_each(|spread| positive("a latency", spread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(commands: u64, replay: f64, snapshot: f64) -> StartRecord {
        let started = |ns| Started { start_ns: Spread::of(&[ns]).unwrap(), processor_ns: None, memory_bytes: None };
        let (replay, snapshot) = (started(replay), started(snapshot));
        StartRecord { commands, log_bytes: 0, snapshot_bytes: 0, replay, snapshot, cold: None }
    }

    #[test]
    fn they_meet_between_two_lengths_or_not_at_all() {
        let meet = |starts: &[StartRecord]| RecoverRecord::meet(starts);
        let crossing = [start(1_000, 1.0, 10.0), start(100_000, 100.0, 10.0)];
        let met = meet(&crossing).unwrap();
        assert!((met - 10_000.0).abs() < 1.0, "{met}");
        assert_eq!(meet(&[start(1_000, 20.0, 10.0), start(100_000, 100.0, 10.0)]), None);
        assert_eq!(meet(&crossing[..1]), None);
    }
}
