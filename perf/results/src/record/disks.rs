//! `output/disks.json`: one chapter on slower and slower disks, with a few limits for a batch.

use serde::{Deserialize, Serialize};

use super::flow::Flow;
use super::ladder::Latency;
use crate::json::Record;
use crate::machine::Machine;
use crate::spread::Spread;

/// One run of `disks`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DisksRecord {
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
    /// The rate at which the latencies were measured, in orders per second.
    pub offered_per_s: u64,
    /// The disks, the quickest first.
    pub disks: Vec<DiskRecord>,
}

/// What the chapter did on one disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiskRecord {
    /// `memory`, `own`, or the minimum time of a sync, such as `0.25ms`.
    pub name: String,
    /// How long a sync took at least, in milliseconds; 0 for no minimum.
    pub sync_at_least_ms: f64,
    /// One entry for each batch limit, in the order asked for.
    pub limits: Vec<LimitRecord>,
}

/// What one limit did on one disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LimitRecord {
    /// Commands in a batch, at most.
    pub batch: u32,
    /// Durable orders per second, at full speed.
    pub orders_per_s: Spread,
    /// How many commands a sync had meanwhile, averaged over a round.
    pub orders_per_sync: Spread,
    /// Orders per second that were acknowledged of those offered, the lowest of all rounds.
    pub achieved_per_s: f64,
    /// Latency to durable acknowledgement at the offered rate, each number the median of its rounds.
    pub latency_ns: Latency,
}

impl Record for DisksRecord {
    const VERB: &'static str = "disks";
}
