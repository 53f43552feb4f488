//! `output/history.json`: on which machine, at which commit and by which command.

use results::json::Record;
use results::machine::Machine;
use results::record::Spread;
use serde::{Deserialize, Serialize};

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built.
    pub commit: String,
    /// The command line that repeats the run.
    pub command: String,
    /// Interleaved rounds.
    pub rounds: u32,
    /// Commands in the log that was followed.
    pub commands: f64,
    /// Trades among what they led to.
    pub trades: f64,
    /// Rows that were derived from them, without those that changed later.
    pub rows: f64,
    /// Their keys and values together, in bytes.
    pub raw_bytes: f64,
    /// Commands followed a second, with their rows on disk.
    pub commands_per_s: Spread,
    /// Rows a second, the same.
    pub rows_per_s: Spread,
    /// Trades a second that are written as columns, from their rows, until they are on disk.
    pub column_trades_per_s: Spread,
    /// The same rows in each store, in the order in which they came.
    pub stores: Vec<StoreRecord>,
    /// Orders by number.
    pub reads: Vec<ReadRecord>,
    /// A page of a hundred of an account's trades, and candles.
    pub pages: Vec<ReadRecord>,
    /// Bytes for a trade in each form.
    pub forms: Vec<FormRecord>,
    /// Questions about many trades; none where there was no Python with DuckDB and Polars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<QuestionsRecord>,
}

impl Record for HistoryRecord {
    const VERB: &'static str = "history";
}

/// The rows in one store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoreRecord {
    /// Its name.
    pub name: String,
    /// Rows a second, each batch on disk before the next.
    pub rows_per_s: Spread,
    /// Bytes on disk in the end.
    pub bytes: f64,
    /// Bytes that were handed to the device, for each byte of the rows; none where the system does not say.
    pub amplification: Option<f64>,
}

/// Times of one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadRecord {
    /// Which one.
    pub name: String,
    /// Half of them take no longer, in nanoseconds.
    pub p50_ns: Spread,
    /// Ninety-nine in a hundred take no longer.
    pub p99_ns: Spread,
}

/// Questions about many trades, to engines that we did not write and to our candles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuestionsRecord {
    /// The engines with their versions.
    pub engines: String,
    /// About how many trades.
    pub trades: f64,
    /// How many of them are asked for by the key by which the files are sorted.
    pub sorted_trades: f64,
    /// How many by one by which they are not.
    pub unsorted_trades: f64,
    /// How many the candles are made of.
    pub candle_trades: f64,
    /// Bytes for a trade in each form.
    pub forms: Vec<FormRecord>,
    /// How long each question took: its name has the question, the engine and the form.
    pub times: Vec<QuestionRecord>,
}

/// The times of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuestionRecord {
    /// Which one.
    pub name: String,
    /// Until the whole answer was there, in milliseconds.
    pub ms: Spread,
}

/// A form of a million trades.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FormRecord {
    /// Its name.
    pub name: String,
    /// Bytes for a trade.
    pub bytes: f64,
}
