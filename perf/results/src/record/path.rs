//! What the charts read of `output/path.json`, which 0x0c's `measure` writes: the stages of an order's way through the venue.
//! What else is in the file is passed over.

use serde::{Deserialize, Serialize};

use crate::json::Record;
use crate::machine::Machine;

/// One run, as far as the charts need it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built.
    pub commit: String,
    /// One entry for each protocol and rate.
    pub loads: Vec<PathLoadRecord>,
}

impl Record for PathRecord {
    const VERB: &'static str = "path";
}

/// Orders of one protocol at one rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathLoadRecord {
    /// Protocol and rate, as in `http-5000`.
    pub name: String,
    /// Orders due a second.
    pub offered_per_s: f64,
    /// One entry for each stage, in their order.
    pub stages: Vec<PathStageRecord>,
    /// The whole way.
    pub whole: PathWholeRecord,
    /// The sum of the stages' means, in nanoseconds.
    pub means_ns: f64,
    /// The sum of the stages' 99th percentiles, in nanoseconds.
    pub p99s_ns: f64,
}

/// A stage's times, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathStageRecord {
    /// Its name.
    pub name: String,
    /// Mean over all.
    pub mean_ns: f64,
    /// Mean over the slowest hundredth of the requests.
    pub slowest_ns: f64,
}

/// The whole way's times, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathWholeRecord {
    /// Mean over all.
    pub mean_ns: f64,
    /// Ninety-nine in a hundred.
    pub p99_ns: f64,
}
