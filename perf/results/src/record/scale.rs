//! `output/scale.json`: one chapter over several numbers of shards.

use serde::{Deserialize, Serialize};

use super::flow::Flow;
use crate::json::Record;
use crate::machine::Machine;
use crate::probe::Probe;
use crate::spread::Spread;
use crate::usl::UslFit;

/// One run of `scale`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScaleRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built.
    pub commit: String,
    /// The command line that repeats the run.
    pub command: String,
    /// What was run.
    pub flow: Flow,
    /// Orders in each round.
    pub orders: u32,
    /// The chapter's folder name.
    pub chapter: String,
    /// The machine's state before each round.
    pub probes: Vec<Probe>,
    /// In rising order of shards.
    pub shards: Vec<Shards>,
    /// The fitted law, where three points allow a fit.
    pub usl: Option<UslFit>,
}

/// What one number of shards did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shards {
    /// How many.
    pub shards: u16,
    /// Durable orders per second.
    pub orders_per_s: Spread,
}

impl Record for ScaleRecord {
    const VERB: &'static str = "scale";
}
