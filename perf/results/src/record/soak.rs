//! `output/soak.json`: how a venue behaves under half its load, window by window.

use serde::{Deserialize, Serialize};

use crate::json::Record;
use crate::machine::Machine;

/// One run of `soak`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SoakRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built, with `-dirty` when the tree had changes.
    pub commit: String,
    /// The command line that repeats the run.
    pub command: String,
    /// How long it took, in minutes.
    pub minutes: f64,
    /// Connections that send orders over HTTP.
    pub connections: usize,
    /// Orders a second that these connections got answered at full speed, before the run.
    pub full_per_s: f64,
    /// Orders a second that were due: half of that.
    pub offered_per_s: u64,
    /// Connections that connected, logged in, watched and left meanwhile.
    pub comings: u64,
    /// What each window saw.
    pub windows: Vec<WindowRecord>,
    /// What must not grow, and whether it did.
    pub trends: Vec<TrendRecord>,
}

impl Record for SoakRecord {
    const VERB: &'static str = "soak";

    fn check(&self) -> Result<(), String> {
        match self.windows.is_empty() || self.trends.is_empty() {
            true => Err("nothing was seen".into()),
            false => Ok(()),
        }
    }
}

impl SoakRecord {
    /// Whether nothing grew that must not.
    pub fn is_steady(&self) -> bool {
        self.trends.iter().all(|trend| !trend.is_over)
    }
}

/// Some seconds of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WindowRecord {
    /// Its end, in seconds since the beginning.
    pub until_s: f64,
    /// Orders that were answered, a second.
    pub orders_per_s: f64,
    /// From the moment when an order was due to its durable answer: the median, in milliseconds.
    pub p50_ms: f64,
    /// 99 of 100.
    pub p99_ms: f64,
    /// 999 of 1,000.
    pub p999_ms: f64,
    /// Memory of the server's process at the window's end, in bytes. `None` where the system does
    /// not report it.
    pub resident_bytes: Option<u64>,
    /// Open files of that process, including connections.
    pub descriptors: Option<u64>,
    /// Its threads.
    pub threads: Option<u64>,
}

/// Something that must not grow: its value in the second quarter of the windows, and in the last, and how fast it grew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrendRecord {
    /// `memory` in bytes, `descriptors`, `threads`, or `p99` in milliseconds.
    pub name: String,
    /// The median of the second quarter of the windows; the first quarter warms up.
    pub before: f64,
    /// The median of the last quarter.
    pub after: f64,
    /// The maximum for the last quarter.
    pub allowed: f64,
    /// How fast it grew in the second half of the windows. None in a short run, which can't say.
    pub slope: Option<SlopeRecord>,
    /// The most that it may grow in an hour.
    pub allowed_per_hour: f64,
    /// Whether the last quarter has more, or the whole interval of the slope lies above what is allowed.
    pub is_over: bool,
}

/// How fast something grows: per hour, in its own unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SlopeRecord {
    /// The slope of Theil and Sen.
    pub per_hour: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}
