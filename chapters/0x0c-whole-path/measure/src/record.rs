//! `output/path.json`: on which machine, at which commit and by which command.

use results::json::Record;
use results::machine::Machine;
use results::record::Spread;
use serde::{Deserialize, Serialize};

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built.
    pub commit: String,
    /// The command line that repeats the run.
    pub command: String,
    /// Interleaved rounds.
    pub rounds: u32,
    /// Where the time goes, by protocol and rate.
    pub loads: Vec<Load>,
    /// What stamping costs.
    pub costs: Vec<Cost>,
    /// What it costs a request by itself. Older records have none.
    #[serde(default)]
    pub inside: Option<Inside>,
    /// One request as it usually is and a slow one, of the first load.
    pub usual_ns: Vec<u64>,
    /// The slow one's moments, from its first.
    pub slow_ns: Vec<u64>,
}

impl Record for PathRecord {
    const VERB: &'static str = "path";
}

/// Orders at a rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Protocol and rate, as in `http-5000`.
    pub name: String,
    /// Orders due a second.
    pub offered_per_s: f64,
    /// Orders answered a second.
    pub achieved_per_s: f64,
    /// From the moment when an order was due to its answer, as the client saw it: half of them, in nanoseconds.
    pub client_p50_ns: f64,
    /// Ninety-nine in a hundred.
    pub client_p99_ns: f64,
    /// Whether the load itself was the limit.
    pub is_void: bool,
    /// The stages.
    pub stages: Vec<Stage>,
    /// Of the whole way through the venue.
    pub whole: Stage,
    /// The parts of an order's way from due to received, with the venue as one, and that whole way as the last. Older records
    /// have none.
    #[serde(default)]
    pub client: Vec<Stage>,
    /// From the moment when an order was due until the other side of its trade had read its notice, where it reads them.
    #[serde(default)]
    pub notice: Option<Stage>,
    /// The engine alone, right after it and at the same rate, from the moment when each order was due until it was
    /// acknowledged: half of them, in nanoseconds. Older records have 0.
    #[serde(default)]
    pub bare_p50_ns: f64,
    /// Ninety-nine in a hundred.
    #[serde(default)]
    pub bare_p99_ns: f64,
    /// The sum of the stages' means.
    pub means_ns: f64,
    /// The sum of the stages' 99th percentiles.
    pub p99s_ns: f64,
    /// Syncs of the log.
    pub sync: Stage,
    /// Orders for each of them.
    pub orders_each: f64,
}

/// A stage's times, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Mean.
    pub mean_ns: f64,
    /// Half of them.
    pub p50_ns: f64,
    /// Ninety-nine in a hundred.
    pub p99_ns: f64,
    /// Mean over the slowest hundredth of the requests; of the client's parts, over the slowest hundredth of the orders.
    pub slowest_ns: f64,
    /// How much of the slowest hundredth's time it is.
    pub slowest_part: f64,
    /// How much of all requests' time it is.
    pub part: f64,
}

/// All that stamps do for a request, in nanoseconds of one thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inside {
    /// With one request in 64 collected.
    pub some_ns: Spread,
    /// With all of them collected.
    pub all_ns: Spread,
}

/// What stamping costs a way of sending orders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// `http` or `binary`.
    pub name: String,
    /// Orders a second without any stamp.
    pub none_per_s: Spread,
    /// With one request in 64 collected.
    pub some_per_s: Spread,
    /// With all of them collected.
    pub all_per_s: Spread,
    /// One in 64 divided by none, round by round.
    pub some: Spread,
    /// All divided by none, round by round.
    pub all: Spread,
    /// From request to answer over HTTP, the 99th percentile: none, some, all, in milliseconds. Empty where there is none.
    pub p99_ms: Vec<Spread>,
}
