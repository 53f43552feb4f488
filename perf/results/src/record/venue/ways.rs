//! Ways to the venue beside the first two: HTTP/2, many connections, and where the server's time goes on each way.

use serde::{Deserialize, Serialize};

use crate::spread::Spread;

/// HTTP with a number of connections, each of which sends its next request when it is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConcurrencyRecord {
    /// Their number, as a name.
    pub name: String,
    /// Their number.
    pub connections: usize,
    /// Requests a second to a handler that does nothing.
    pub empty_per_s: Spread,
    /// Durable orders a second.
    pub orders_per_s: Spread,
    /// The second divided by the first, round by round.
    pub ratio: Spread,
    /// From order to durable answer: the median of each round, in milliseconds.
    pub p50_ms: Spread,
    /// 99 of 100.
    pub p99_ms: Spread,
}

/// HTTP/2.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Http2Record {
    /// How many connections there were.
    pub connections: usize,
    /// How many requests were in flight on all of them: as many as over HTTP/1.1.
    pub requests: usize,
    /// Requests a second to a handler that does nothing.
    pub empty_per_s: Spread,
    /// Durable orders a second.
    pub orders_per_s: Spread,
    /// The second divided by the first, round by round.
    pub ratio: Spread,
    /// Durable orders a second divided by those over HTTP/1.1, round by round.
    pub of_http1: Spread,
    /// Processor time of the server's process for an order, in nanoseconds. `None` where the system does not
    /// report it.
    pub server_ns: Option<Spread>,
    /// The same for the load.
    pub load_ns: Option<Spread>,
}

/// Where the server's time went, on one way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileRecord {
    /// `empty`, `orders`, `fresh`, `echo`, `one`, `json-batch`, `binary-batch`, `empty-http2` or `http2`.
    pub name: String,
    /// Processor time of all threads for an answer, in nanoseconds; for an order, where there are
    /// orders.
    pub ns: f64,
    /// The same by the threads' purpose.
    pub threads: Vec<ThreadRecord>,
    /// How much of it was in the kernel, as a share of 1.
    pub kernel: f64,
    /// How often a thread gave up its core, for each answer.
    pub switches: f64,
}

/// Threads with the same purpose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThreadRecord {
    /// `network`, `engine`, `journal`, `matching`, `ledger`, `shadow`, `replies`, `feed`, or `other`.
    pub name: String,
    /// Their processor time for an answer, in nanoseconds.
    pub ns: f64,
}
