//! `output/feed.json`: what watching costs, for any number of readers, and beside it a channel for each.

use serde::{Deserialize, Serialize};

use crate::json::Record;
use crate::machine::Machine;
use crate::spread::Spread;

/// One run of `feed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeedRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built, with `-dirty` when the tree had changes.
    pub commit: String,
    /// The command line that repeats the run.
    pub command: String,
    /// Interleaved rounds.
    pub rounds: u32,
    /// Commands a second that were offered.
    pub offered_per_s: u64,
    /// One reader in this many never reads.
    pub stalled_one_in: usize,
    /// What is stored for a reader of one market: its cursor and the market's address, in bytes.
    pub cursor_bytes: usize,
    /// What is stored for a market, however many read it, in bytes.
    pub market_bytes: usize,
    /// What the feed keeps for a resting order at the end of a pass, in bytes. Memory comes in chunks of 1,024 orders, so
    /// markets with few orders make this large.
    pub resting_order_bytes: f64,
    /// Processor time of an acknowledging thread for an event without readers, in nanoseconds: included in the
    /// figures below. `None` where the system does not report it.
    pub bare_event_ns: Option<Spread>,
    /// One entry for each number of readers.
    pub cases: Vec<FeedCaseRecord>,
    /// Engines of the ladder with and without a feed.
    pub ladder: Vec<FedEngineRecord>,
    /// One shard and several, in turn; records before this was measured have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<FedShardsRecord>,
}

impl Record for FeedRecord {
    const VERB: &'static str = "feed";

    fn check(&self) -> Result<(), String> {
        let times = |way: &WayRecord| way.event_ns.as_ref().is_none_or(|spread| spread.min > 0.0);
        let ways = self.cases.iter().flat_map(|case| [&case.mask, &case.channels]);
        match ways.into_iter().all(times) && self.bare_event_ns.as_ref().is_none_or(|spread| spread.min > 0.0) {
            true => Ok(()),
            false => Err("an event costs no time".into()),
        }
    }
}

/// A number of readers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeedCaseRecord {
    /// The number of readers, as a name.
    pub name: String,
    /// The number of readers.
    pub readers: usize,
    /// This chapter's way: a mask.
    pub mask: WayRecord,
    /// The other way: a channel for each reader, and a clone for each message.
    pub channels: WayRecord,
    /// The second way's processor time for an event divided by the first's, each minus the cost
    /// without readers.
    pub event_ratio: Option<f64>,
    /// What a mask adds to an event's processor time, compared with no readers, in nanoseconds, round by
    /// round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net_event_ns: Option<Spread>,
}

/// One way of notifying readers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WayRecord {
    /// Processor time of the acknowledging thread for an event, in nanoseconds; `None` where the system does not
    /// report it.
    pub event_ns: Option<Spread>,
    /// What readers received, a second.
    pub deliveries_per_s: f64,
    /// From acknowledgement to the last reader, behind a real engine.
    pub from_acknowledgement: LateRecord,
    /// From the moment when a command was due to the last reader.
    pub from_due: LateRecord,
    /// Commands a second that the engine acknowledged meanwhile.
    pub achieved_per_s: f64,
    /// How many commands were offered there: fewer, if channels would have filled the memory.
    pub commands: usize,
    /// What is stored for a reader at the end of a pass, in bytes: its cursor, or the messages that wait for it,
    /// averaged over all readers.
    pub bytes_per_reader: f64,
    /// The 99th percentile from acknowledgement, round by round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ms: Option<Spread>,
    /// Which threads the processor time went to behind the real engine, where the system reports
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<ThreadsRecord>,
    /// Rounds behind the real engine that do not count, each with what was too slow. The times above are medians of
    /// the others, or of all when all are void.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub void: Vec<Limit>,
}

impl WayRecord {
    /// Whether no round counts.
    pub fn is_void(&self, rounds: u32) -> bool {
        rounds > 0 && self.void.len() >= rounds as usize
    }
}

/// A part of the load that was too slow for a measurement, so that the figure shows the load and not the feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// The thread that offers commands got no core for more than a hundredth of the time.
    Offering,
    /// The readers' thread had the last command later than a twentieth of the time after its acknowledgement.
    Readers,
}

impl Limit {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Offering => "offering",
            Limit::Readers => "readers",
        }
    }
}

/// Where the processor time of a pass went, in nanoseconds. Load and engine share a process here, so the threads are
/// listed one by one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThreadsRecord {
    /// From the first command that was offered to the last acknowledgement, on the clock.
    pub wall_ns: f64,
    /// The matching threads of all shards.
    pub matching_ns: f64,
    /// The thread that offers commands: a part of the load.
    pub offering_ns: f64,
    /// The feed's thread; `None` without a feed.
    pub feed_ns: f64,
    /// The thread of all readers: the other part of the load.
    pub readers_ns: f64,
    /// Everything else in the process: the journal's threads, opening the engine.
    pub others_ns: f64,
    /// For how long the offering thread got no core when it wanted to continue.
    pub offering_late_ns: f64,
}

/// How late, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct LateRecord {
    /// The median.
    pub p50_ms: f64,
    /// 99 of 100.
    pub p99_ms: f64,
    /// 999 of 1,000.
    pub p999_ms: f64,
    /// How many commands were followed to the last reader.
    pub commands: u64,
}

/// An engine of the ladder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FedEngineRecord {
    /// Its chapter, such as `0x07`.
    pub name: String,
    /// Commands of `classic` a second, without a consumer of the acknowledgements.
    pub bare_per_s: Spread,
    /// The same with tap, feed and readers.
    pub fed_per_s: Spread,
    /// The second divided by the first, round by round.
    pub ratio: Spread,
    /// How many readers there were.
    pub readers: usize,
}

/// A feed behind an engine with a number of shards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FedShardsRecord {
    /// The number of shards, as a name.
    pub name: String,
    /// The number of shards: as many matching threads and taps, and one feed.
    pub shards: u16,
    /// How many readers there were.
    pub readers: usize,
    /// Processor time of the acknowledging threads for an event, in nanoseconds; `None` where the system does not
    /// report it.
    pub event_ns: Option<Spread>,
    /// From acknowledgement to the last reader, 99th percentile, round by round.
    pub p99_ms: Spread,
    /// Which threads the processor time went to, where the system reports it.
    pub threads: Option<ThreadsRecord>,
    /// Rounds that do not count, each with what was too slow.
    pub void: Vec<Limit>,
}
