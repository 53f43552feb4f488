//! `output/venue.json`: what was measured, on which machine, at which commit and by which command. The book reads nothing
//! else. Names in it do not change; new ones may come.

use results::machine::Machine;
use results::record::{Record, Spread};
use serde::{Deserialize, Serialize};

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VenueRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built, with `-dirty` when the tree had changes.
    pub commit: String,
    /// The command line that repeats the run.
    pub command: String,
    /// Interleaved rounds.
    pub rounds: u32,
    /// How long each pass of a round took.
    pub seconds: f64,
    /// Over HTTP, one request after the other on each connection.
    pub http: HttpRecord,
    /// Over WebSocket, many messages under way on each connection.
    pub stream: Vec<StreamRecord>,
    /// How late an answer is when orders come at a given rate, whether the venue keeps up or not.
    pub late: Vec<LateRecord>,
    /// Engines of the ladder behind the same door.
    pub engines: Vec<EngineRecord>,
    /// How late an honest client's answers are, alone and beside attackers. Records from before have none.
    #[serde(default)]
    pub beside: Vec<BesideRecord>,
}

impl Record for VenueRecord {
    const VERB: &'static str = "venue";
}

/// HTTP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HttpRecord {
    /// How many connections asked.
    pub connections: usize,
    /// Requests a second to a handler that does nothing.
    pub empty_per_s: Spread,
    /// Durable orders a second.
    pub orders_per_s: Spread,
    /// The second divided by the first, round by round.
    pub ratio: Spread,
    /// Durable orders a second with a new connection for each.
    pub fresh_per_s: Spread,
    /// Processor time of the server's process for an order, in nanoseconds. None where the system does not tell.
    pub server_ns: Option<Spread>,
    /// The same of the load.
    pub load_ns: Option<Spread>,
}

/// A way over the WebSocket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamRecord {
    /// `echo`, `one`, `json-batch` or `binary-batch`.
    pub name: String,
    /// Orders a message.
    pub batch: usize,
    /// Messages of the echo, or durable orders, a second.
    pub per_s: Spread,
    /// That divided by the echo's, round by round.
    pub ratio: Option<Spread>,
    /// Processor time of the server's process for a message or an order, in nanoseconds.
    pub server_ns: Option<Spread>,
    /// The same of the load.
    pub load_ns: Option<Spread>,
}

/// How late an answer is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LateRecord {
    /// `bare`: the engine alone; `http`; `stream`.
    pub name: String,
    /// Orders a second that were due.
    pub offered_per_s: u64,
    /// Orders a second that were answered.
    pub achieved_per_s: f64,
    /// From the moment when an order was due to its durable answer: the median, in milliseconds.
    pub p50_ms: f64,
    /// 99 of 100.
    pub p99_ms: f64,
    /// 999 of 1,000.
    pub p999_ms: f64,
}

/// An honest client, alone or beside attackers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BesideRecord {
    /// `alone` or `attacked`.
    pub name: String,
    /// How often others attacked meanwhile.
    pub attacks: u64,
    /// How late the honest client's answers were, over HTTP.
    pub late: LateRecord,
}

/// An engine behind the door.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EngineRecord {
    /// Its chapter, such as `0x01`.
    pub name: String,
    /// Durable orders a second over HTTP.
    pub orders_per_s: Spread,
    /// From request to answer, in the last round: the median, in milliseconds.
    pub p50_ms: f64,
    /// 99 of 100.
    pub p99_ms: f64,
}
