//! What the charts read of `output/once.json`, which 0x0b's `measure` writes: the venue with and without numbers,
//! readers that return, and what the naive ways do twice or lose. The rest of the file is ignored.

use serde::{Deserialize, Serialize};

use crate::json::Record;
use crate::machine::Machine;
use crate::spread::Spread;

/// One run, as far as the charts need it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OnceRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built.
    pub commit: String,
    /// One entry for each way in which orders arrive.
    pub costs: Vec<CostRecord>,
    /// One entry for each number of missed notices.
    pub returning: Vec<ReturningRecord>,
    /// One entry for each way to send a request again, or to remember it.
    pub naive: Vec<NaiveRecord>,
}

impl Record for OnceRecord {
    const VERB: &'static str = "once";
}

/// Orders a second that arrive in one way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CostRecord {
    /// The way: `http` or `binary`.
    pub name: String,
    /// 0x0a.
    pub before_per_s: Spread,
    /// 0x0b, orders without numbers.
    pub without_per_s: Spread,
    /// 0x0b, orders with numbers.
    pub with_per_s: Spread,
}

/// How long a reader needs that has missed this many notices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReturningRecord {
    /// How many it has missed.
    pub notices: u64,
    /// From the ring.
    pub ring_ms: Spread,
    /// From snapshot and log.
    pub log_ms: Spread,
}

/// What one way did with a number of requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NaiveRecord {
    /// The way.
    pub name: String,
    /// How many requests, or notices, there were.
    pub asked: u64,
    /// How many were carried out more than once.
    pub twice: u64,
    /// How many were reported as done but were not.
    pub lost: u64,
}
