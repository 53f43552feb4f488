//! `output/replicas.json`: on which machine, at which commit and by which command.

use results::json::Record;
use results::machine::Machine;
use results::record::Spread;
use serde::{Deserialize, Serialize};

/// One run. The three servers of the stream share the machine and its disk with everything else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplicasRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built.
    pub commit: String,
    /// The command line that repeats the run.
    pub command: String,
    /// Interleaved rounds.
    pub rounds: u32,
    /// A sync and an append, by size.
    pub sizes: Vec<Size>,
    /// Orders a second in binary batches, by what counts as durable.
    pub throughput: Vec<Throughput>,
    /// How late answers are, by rate and by what counts as durable.
    pub late: Vec<Late>,
    /// How long it takes until another machine answers.
    pub takeovers: Vec<Takeover>,
}

impl Record for ReplicasRecord {
    const VERB: &'static str = "replicas";
}

/// Bytes that are made durable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Size {
    /// The size, such as `1-kib`.
    pub name: String,
    /// In bytes.
    pub bytes: usize,
    /// Written to a file and synced: the median, in nanoseconds.
    pub sync_p50_ns: f64,
    /// 99 of 100.
    pub sync_p99_ns: f64,
    /// Appended to the stream and acknowledged, one after the other: the median, in nanoseconds.
    pub append_p50_ns: f64,
    /// 99 of 100.
    pub append_p99_ns: f64,
    /// An append's median divided by a sync's.
    pub ratio: f64,
    /// Bytes a second, one after the other.
    pub per_s: f64,
}

/// Orders in binary batches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    /// `one`: one machine without a stream; or `local`, `majority`, `both`.
    pub name: String,
    /// Durable orders a second.
    pub per_s: Spread,
    /// Divided by those of one machine, round by round.
    pub ratio: Spread,
}

/// Orders at a rate over WebSocket.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Late {
    /// What counts as durable, and the rate, as in `both-5000`.
    pub name: String,
    /// Orders that were due a second.
    pub offered_per_s: u64,
    /// Orders that were answered a second.
    pub achieved_per_s: f64,
    /// From the moment when an order was due to its answer: the median, in nanoseconds. Medians of the rounds, as all here.
    pub p50_ns: f64,
    /// 99 of 100.
    pub p99_ns: f64,
    /// 999 of 1,000.
    pub p999_ns: f64,
    /// How late the load itself handed over 99 of 100 orders in the worst round, in nanoseconds.
    pub given_p99_ns: f64,
    /// Whether the load itself was the limit.
    pub is_void: bool,
    /// Whether the venue refused some because too many were under way. It does not keep up with the rate then, and there are no
    /// times.
    pub is_refused: bool,
}

/// A takeover.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Takeover {
    /// `hand`, `primary`, `leader` or `both`: what happened.
    pub name: String,
    /// From there to the next order that is acknowledged, in nanoseconds.
    pub ns: Spread,
}
