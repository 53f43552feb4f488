//! `output/sweep.json`: one chapter over many batch sizes.

use serde::{Deserialize, Serialize};

use super::flow::Flow;
use crate::json::Record;
use crate::machine::Machine;
use crate::spread::Spread;

/// One run of `sweep`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepRecord {
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
    /// The batch sizes, in the order asked for.
    pub sizes: Vec<BatchSize>,
}

/// What one batch size did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchSize {
    /// Commands in a batch, at most.
    pub batch: u32,
    /// Durable orders per second.
    pub orders_per_s: Spread,
    /// Offered in the latency pass, per second: half of what this size did in its first round.
    pub offered_per_s: f64,
    /// Latency to durable acknowledgement, the median, in nanoseconds.
    pub p50_ns: Spread,
    /// The same, 99th percentile.
    pub p99_ns: Spread,
}

impl Record for SweepRecord {
    const VERB: &'static str = "sweep";
}
