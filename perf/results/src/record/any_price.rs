//! `output/any-price.json`: books for any price over all flows, on which machine, at which commit and by which command.

use serde::{Deserialize, Serialize};

use crate::json::Record;
use crate::machine::Machine;
use crate::spread::Spread;

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnyPriceRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built, with `-dirty` when the tree had changes.
    pub commit: String,
    /// The command line that repeats the run.
    pub command: String,
    /// Interleaved rounds.
    pub rounds: u32,
    /// The flows' seed; `None` for a flow from the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Whether operations that other libraries don't support were left out of the flows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub plain: bool,
    /// One entry for each flow, in the order in which they ran.
    pub flows: Vec<FlowRecord>,
    /// 99 prices: `classic`, in ticks, against 0x05's own book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classic: Option<ClassicRecord>,
    /// What the processor's caches see, if valgrind could count it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LinesRecord>,
}

impl Record for AnyPriceRecord {
    const VERB: &'static str = "any-price";
}

/// One flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowRecord {
    /// Its name.
    pub name: String,
    /// Commands that fill the book.
    pub setup: usize,
    /// Commands that are measured.
    pub commands: usize,
    /// Orders at rest at the end.
    pub orders: usize,
    /// One entry for each engine.
    pub engines: Vec<BookRecord>,
    /// Engines that don't support this flow, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unable: Vec<UnableRecord>,
}

/// One engine over one flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BookRecord {
    /// Its name.
    pub name: String,
    /// Nanoseconds for each message.
    pub ns: Spread,
    /// Messages a second.
    pub messages_per_s: Spread,
    /// Bytes for each order at rest, including everything that belongs to the book.
    pub bytes_per_order: f64,
    /// The median time of each kind of message that occurred.
    pub kinds: Vec<KindRecord>,
    /// The time within which 999 of 1,000 messages stay.
    pub p999_ns: f64,
    /// The longest single message without a fill, including growth and moves.
    pub longest_ns: f64,
    /// The longest single message of all.
    pub longest_with_fills_ns: f64,
    /// How many orders that message filled.
    pub longest_fills: u32,
}

/// A kind of message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KindRecord {
    /// Its name.
    pub name: String,
    /// How many there were.
    pub count: usize,
    /// The median time.
    pub ns: f64,
}

/// An engine that does not support a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnableRecord {
    /// Its name.
    pub name: String,
    /// The reason.
    pub reason: String,
}

/// `classic`, in ticks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassicRecord {
    /// Orders that were placed.
    pub orders: usize,
    /// Nanoseconds an order in 0x05's book.
    pub array_ns: Spread,
    /// Nanoseconds an order in the ladder.
    pub ladder_ns: Spread,
    /// How many times as long the ladder takes, round by round.
    pub ratio: Spread,
}

/// What a message costs in the ladder's caches, counted by a model of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinesRecord {
    /// The flow.
    pub name: String,
    /// Instructions for each message.
    pub instructions: f64,
    /// Lines for each message that miss in a first cache of 48 KiB.
    pub first_level: f64,
    /// Lines for each message that also miss in a second cache of 2 MiB.
    pub second_level: f64,
}
