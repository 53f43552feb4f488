//! `output/venue.json`: the path from a client to the disk. With `--only NAME` one part of it is measured and written
//! to `venue-NAME.json`; older records lack the parts that were added later.

mod ways;

use serde::{Deserialize, Serialize};

pub use ways::{ConcurrencyRecord, Http2Record, ProfileRecord, ThreadRecord};

use super::soak::WindowRecord;
use crate::json::Record;
use crate::machine::Machine;
use crate::spread::Spread;

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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpRecord>,
    /// Over HTTP/2, many concurrent requests on each of few connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http2: Option<Http2Record>,
    /// How much time each of the server's threads took, way by way, over all rounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profile: Vec<ProfileRecord>,
    /// Over HTTP, by the number of connections that ask at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub concurrency: Vec<ConcurrencyRecord>,
    /// Over WebSocket, many messages in flight on each connection.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stream: Vec<StreamRecord>,
    /// How late an answer is when orders come at a given rate, whether the venue keeps up or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late: Vec<LateRecord>,
    /// The same at a high rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late_high: Vec<LateRecord>,
    /// How late an honest client's answers are, alone and beside attackers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<BesideRecord>,
    /// Engines of the ladder behind the same door.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineRecord>,
    /// Many connections that watch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<ConnectionsRecord>,
    /// Ten million orders in a minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sustained: Option<SustainedRecord>,
    /// Orders of few accounts and of many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accounts: Vec<AccountsRecord>,
    /// A hundred notices, sent in several ways.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<NoticesRecord>,
}

impl Record for VenueRecord {
    const VERB: &'static str = "venue";

    fn check(&self) -> Result<(), String> {
        let http = self.http.iter().flat_map(|http| [&http.empty_per_s, &http.orders_per_s, &http.fresh_per_s]);
        let rates = http
            .chain(self.http2.iter().flat_map(|http2| [&http2.empty_per_s, &http2.orders_per_s]))
            .chain(self.stream.iter().map(|stream| &stream.per_s))
            .chain(self.engines.iter().map(|engine| &engine.orders_per_s))
            .chain(self.accounts.iter().map(|accounts| &accounts.orders_per_s));
        if rates.into_iter().any(|spread| spread.min <= 0.0) {
            return Err("nothing was answered in a round".into());
        }
        let cases = self.connections.iter().flat_map(|connections| &connections.cases);
        if cases.into_iter().any(|case| case.served > case.connections || case.connections > case.asked) {
            return Err("more connections were served than there were".into());
        }
        Ok(())
    }
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
    /// Processor time of the server's process for an order, in nanoseconds. `None` where the system does not
    /// report it.
    pub server_ns: Option<Spread>,
    /// The same for the load.
    pub load_ns: Option<Spread>,
}

/// A way over the WebSocket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamRecord {
    /// `echo`, `one`, `json-batch` or `binary-batch`.
    pub name: String,
    /// Orders for each message.
    pub batch: usize,
    /// Messages of the echo, or durable orders, a second.
    pub per_s: Spread,
    /// That divided by the echo's, round by round.
    pub ratio: Option<Spread>,
    /// Processor time of the server's process for a message or an order, in nanoseconds.
    pub server_ns: Option<Spread>,
    /// The same for the load.
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
    /// The same for each round; the figures above are the medians of the rounds. Older records had one
    /// round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub p99_rounds_ms: Vec<f64>,
    /// What the load itself did; `None` for the bare engine, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<LateLoadRecord>,
}

/// What the load did while the answers' delays were measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LateLoadRecord {
    /// Processor time of its process, in cores. `None` where the system does not report it.
    pub cores: Option<f64>,
    /// How late it passed an order to the connection that sends it: 99 of 100, in milliseconds.
    pub given_p99_ms: f64,
    /// Whether the load was the limit, so that the waits say nothing about the venue.
    pub is_void: bool,
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

/// Many connections, each of which watches one market whose book changes ten times a second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConnectionsRecord {
    /// How many files a process may have open, as far as the limit could be raised; `None` where the system does
    /// not report it.
    pub open_files_max: Option<u64>,
    /// Kernel settings that affect connections.
    pub kernel: Vec<SettingRecord>,
    /// One entry for each number of connections.
    pub cases: Vec<ConnectionsCaseRecord>,
}

/// A setting of the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingRecord {
    /// Its name, as `sysctl` has it.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A case with this many connections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConnectionsCaseRecord {
    /// The number that was asked for, as a name.
    pub name: String,
    /// The number that was asked for.
    pub asked: usize,
    /// How many there were: fewer where the system does not allow as many open files.
    pub connections: usize,
    /// How many had received every change at the end.
    pub served: usize,
    /// Until all were connected and watched, in milliseconds.
    pub connect_ms: f64,
    /// From a connection attempt to the answer that it watches: the median, in milliseconds.
    pub connect_p50_ms: f64,
    /// 99 of 100.
    pub connect_p99_ms: f64,
    /// What the server's process keeps in memory for each, in bytes, without what the kernel keeps. `None` where the
    /// system does not report it, or where there are too few to stand out from other changes.
    pub connection_bytes: Option<f64>,
    /// Changes of the book that were followed to the last connection.
    pub changes: u64,
    /// From the first connection that had a change to the last: the median, in milliseconds.
    pub last_p50_ms: f64,
    /// 99 of 100.
    pub last_p99_ms: f64,
    /// From the moment when the order was due to the last connection: the order's own path, and up to a tenth of a
    /// second until books are checked. The median, in milliseconds.
    pub due_p50_ms: f64,
    /// 99 of 100.
    pub due_p99_ms: f64,
    /// Processor time of the server's process for telling one connection of one change, in nanoseconds.
    pub server_ns: Option<f64>,
    /// The same for the load.
    pub load_ns: Option<f64>,
}

/// Orders at a fixed rate for a minute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SustainedRecord {
    /// Orders a second that were due.
    pub offered_per_s: u64,
    /// Orders for each message, in binary.
    pub batch: usize,
    /// Orders that were answered.
    pub orders: u64,
    /// From the first that was due to the last answer, in seconds.
    pub seconds: f64,
    /// What was measured in each part of that time.
    pub windows: Vec<WindowRecord>,
}

/// A number of accounts that trade in turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccountsRecord {
    /// Their number, as a name.
    pub name: String,
    /// Their number.
    pub accounts: usize,
    /// Durable orders a second over HTTP.
    pub orders_per_s: Spread,
    /// From request to answer, in the last round: the median, in milliseconds.
    pub p50_ms: f64,
    /// 99 of 100.
    pub p99_ms: f64,
    /// Memory of the server's process at the end, in bytes.
    pub resident_bytes: Option<u64>,
}

/// A hundred notices, in one of the ways in which they may come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoticesRecord {
    /// `one-by-one`: a hundred orders, each of which meets one; `words`: one order that meets all, reported in a JSON
    /// message each; `bytes`: the same, reported in one binary message.
    pub name: String,
    /// Notices of a round.
    pub notices: usize,
    /// Messages in which they came, on average.
    pub messages: f64,
    /// Rounds.
    pub rounds: u64,
    /// From the moment when the other side's orders were sent to the last notice: the median, in milliseconds.
    pub p50_ms: f64,
    /// 99 of 100.
    pub p99_ms: f64,
    /// Processor time of the server's process for a notice, in nanoseconds, including resting and matching its
    /// order.
    pub server_ns: Option<f64>,
}
