//! `output/once.json`: on which machine, at which commit and by which command.

use results::json::Record;
use results::machine::Machine;
use results::record::Spread;
use serde::{Deserialize, Serialize};

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OnceRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built.
    pub commit: String,
    /// The command line that repeats the run.
    pub command: String,
    /// Interleaved rounds.
    pub rounds: u32,
    /// What one thing costs in memory, without a network.
    pub inside: Inside,
    /// The venue with numbers beside the same without.
    pub costs: Vec<Cost>,
    /// A storm of repeats.
    pub storm: Storm,
    /// Notices to many.
    pub many: Many,
    /// How long it takes to read what happened meanwhile.
    pub returning: Vec<Returning>,
    /// What the naive ways lose.
    pub naive: Vec<Naive>,
}

impl Record for OnceRecord {
    const VERB: &'static str = "once";
}

/// What one thing costs in memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inside {
    /// A look-up of a new number in a window, in nanoseconds.
    pub look_ns: Spread,
    /// A new number's whole way through the table: look-up, note, outcome, in nanoseconds.
    pub new_ns: Spread,
    /// A repeat's way: the outcome of the first, in nanoseconds.
    pub repeat_ns: Spread,
    /// Bytes of memory for each of a million lanes.
    pub lane_bytes: f64,
    /// Bytes of memory for each kept outcome.
    pub outcome_bytes: f64,
    /// Notices that go into the ring a second.
    pub added_per_s: Spread,
    /// Notices that one reader takes from the ring a second.
    pub taken_per_s: Spread,
}

/// A way of sending orders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// `http`, `websocket` or `binary`.
    pub name: String,
    /// Durable orders a second of 0x0a.
    pub before_per_s: Spread,
    /// The same of 0x0b, where the orders have no number.
    pub without_per_s: Spread,
    /// The same of 0x0b, with a number in each order.
    pub with_per_s: Spread,
    /// 0x0b with numbers divided by 0x0a, round by round.
    pub ratio: Spread,
    /// 0x0b with numbers divided by 0x0b without, round by round.
    pub ratio_of_numbers: Spread,
    /// Processor time of the server for an order, in nanoseconds: 0x0a, 0x0b without numbers, 0x0b with them. Empty
    /// if the system does not report it.
    pub server_ns: Vec<Spread>,
    /// The same of the matching thread alone.
    #[serde(default)]
    pub matching_ns: Vec<Spread>,
    /// Repeats that 0x0b answers a second.
    pub repeats_per_s: Spread,
}

/// Clients that send each order once and ten times again, beside as many honest ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Storm {
    /// Orders a second of the honest clients alone.
    pub alone_per_s: Spread,
    /// The same beside the storm.
    pub beside_per_s: Spread,
    /// Repeats a second.
    pub repeats_per_s: Spread,
}

/// Many readers, which connect at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Many {
    /// How many.
    pub readers: u64,
    /// Notices a second over WebSocket, to all of them together.
    pub per_s: Spread,
}

/// A reader that was away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Returning {
    /// How many notices it missed.
    pub notices: u64,
    /// Until it has the last of them, over one connection, in milliseconds.
    pub ring_ms: Spread,
    /// The same when they come from snapshot and log.
    pub log_ms: Spread,
}

/// A naive way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Naive {
    /// Its name.
    pub name: String,
    /// Requests, or notices, that were to be carried out once.
    pub asked: u64,
    /// How many of them were carried out twice or more.
    pub twice: u64,
    /// How many were reported as done and were not.
    pub lost: u64,
    /// A second, where that is the point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_s: Option<f64>,
}
