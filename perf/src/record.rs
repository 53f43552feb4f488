//! `output/ladder.json`: what one run of the ladder measured, on which machine, at which commit and
//! by which command. The book's tables and charts and `compare` read nothing else, so a record is
//! checked when it is written and again when it is read. Names in it never change; new ones may come.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::PerfError;
use crate::machine::Machine;
use crate::probe::Probe;

/// One run of the ladder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LadderRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built, with `+dirty` when the tree had changes.
    pub commit: String,
    /// The command line that repeats the run.
    pub command: String,
    /// What was run.
    pub flow: Flow,
    /// Interleaved rounds.
    pub rounds: u32,
    /// The machine's state before each round.
    #[serde(default)]
    pub probes: Vec<Probe>,
    /// What each chapter did, in the ladder's order.
    pub chapters: Vec<ChapterRecord>,
    /// What some of them did on `venue`, whose many markets shards can share out: throughput only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub venue: Vec<ChapterRecord>,
}

/// The commands that a run fed to the engines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// The generator's name (`classic`, `venue`, `burst`), or `input`.
    pub name: String,
    /// The generator's seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Orders that were asked of the generator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders: Option<u64>,
    /// The file name (not the path) of a flow of the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
}

/// What one chapter did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChapterRecord {
    /// The chapter's folder name, such as `0x01-naive`.
    pub chapter: String,
    /// How many shards it ran with, where the ladder chose that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shards: Option<u16>,
    /// Orders in each round; a slow chapter runs fewer.
    pub orders: u64,
    /// Trades in each round.
    pub trades: u64,
    /// Durable orders per second.
    pub orders_per_s: Spread,
    /// From intended arrival to durable acknowledgement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<Latency>,
    /// Where an order's time goes, from the instrumented pass; none for a chapter without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages_ns: Option<Stages>,
    /// Every round's figures, in the order measured; the figures above are their medians.
    #[serde(default)]
    pub rounds: Vec<Round>,
}

impl ChapterRecord {
    /// Its name, and its number of shards where the ladder chose that.
    pub fn label(&self) -> String {
        match self.shards {
            Some(shards) => format!("{}, {shards} shards", self.chapter),
            None => self.chapter.clone(),
        }
    }
}

/// What one chapter did in one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Orders.
    pub orders: u64,
    /// Trades.
    pub trades: u64,
    /// Durable orders per second.
    pub orders_per_s: f64,
    /// From intended arrival to durable acknowledgement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<Latency>,
    /// What was acknowledged per second in the latency pass; well below the offer, it was not held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_achieved_per_s: Option<f64>,
    /// Where an order's time went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages_ns: Option<Stages>,
}

/// A figure over the rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The middle round; with an even number of rounds the mean of the middle two.
    pub median: f64,
    /// The smallest round.
    pub min: f64,
    /// The largest round.
    pub max: f64,
    /// Every round, in the order measured.
    pub rounds: Vec<f64>,
}

impl Spread {
    /// Sums up `rounds`; none when there is no round or one is not a finite number.
    pub fn of(rounds: &[f64]) -> Option<Self> {
        if rounds.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut sorted = rounds.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            median: median_of_sorted(&sorted)?,
            min: *sorted.first()?,
            max: *sorted.last()?,
            rounds: rounds.to_vec(),
        })
    }
}

/// The median of values in ascending order; none when empty.
pub(crate) fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some((sorted[sorted.len() / 2 - 1] + upper) / 2.0)
}

/// Open-loop latency percentiles in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// The rate at which commands arrived, in commands per second.
    pub offered_per_s: f64,
    /// Half of the commands were faster.
    pub p50: u64,
    /// 99 in 100 were faster.
    pub p99: u64,
    /// 999 in 1,000 were faster.
    pub p999: u64,
    /// The slowest.
    pub max: u64,
}

/// Nanoseconds per order that each stage of the pipeline took, in the pipeline's order.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stages {
    /// Encoding the command and handing it to the operating system.
    pub log_append: f64,
    /// Waiting for the disk.
    pub log_sync: f64,
    /// Checking and locking cash or shares.
    pub balance_check: f64,
    /// Walking the book.
    pub matching: f64,
    /// Moving cash and shares.
    pub settlement: f64,
    /// Writing the output.
    pub ledger: f64,
}

impl Stages {
    /// The stages' names in the record, in the pipeline's order.
    pub const NAMES: [&'static str; 6] =
        ["log_append", "log_sync", "balance_check", "matching", "settlement", "ledger"];

    /// The stages' times, in the order of [`Self::NAMES`].
    pub fn values(&self) -> [f64; 6] {
        [self.log_append, self.log_sync, self.balance_check, self.matching, self.settlement, self.ledger]
    }

    /// All stages together, in nanoseconds per order.
    pub fn total(&self) -> f64 {
        self.values().iter().sum()
    }

    /// The stage that takes most, and its nanoseconds per order.
    pub fn biggest(&self) -> (&'static str, f64) {
        let named = Self::NAMES.into_iter().zip(self.values());
        named.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((Self::NAMES[0], 0.0))
    }
}

impl LadderRecord {
    /// Reads a record and checks it.
    ///
    /// # Errors
    /// [`PerfError::Unusable`] when the file is missing, is not such a record, or holds figures that
    /// cannot be; the message names the file, what is wrong, and what to do.
    pub fn load(path: &Path) -> Result<Self, PerfError> {
        let name = path.display();
        let text = fs::read_to_string(path).map_err(|error| {
            PerfError::Unusable(format!(
                "cannot read the record {name}: {error}; give the path of a ladder.json, or run the ladder first"
            ))
        })?;
        let record: Self = serde_json::from_str(&text).map_err(|error| {
            PerfError::Unusable(format!("{name} is not a ladder record: {error}; write it anew by running the ladder"))
        })?;
        record.check().map_err(|problem| {
            PerfError::Unusable(format!(
                "{name} holds an impossible figure: {problem}; write it anew by running the ladder"
            ))
        })?;
        Ok(record)
    }

    /// Checks the record and writes it, as one whole: a reader finds the old file or the new one.
    ///
    /// # Errors
    /// [`PerfError::Unusable`] when a figure cannot be, [`PerfError::Disk`] when it cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), PerfError> {
        self.check().map_err(|problem| {
            PerfError::Unusable(format!(
                "{} was not written: {problem}; the measurement failed, run it again",
                path.display()
            ))
        })?;
        save_json(self, path)
    }

    /// Every run in it, under a name of its own: `0x07-sharding`, or `0x07-sharding, 2 shards on venue`.
    pub fn runs(&self) -> impl Iterator<Item = (String, &ChapterRecord)> {
        let ladder = self.chapters.iter().map(|chapter| (chapter.label(), chapter));
        ladder.chain(self.venue.iter().map(|chapter| (format!("{} on venue", chapter.label()), chapter)))
    }

    fn check(&self) -> Result<(), String> {
        if self.chapters.is_empty() {
            return Err("no chapter in it".into());
        }
        let mut names = HashSet::new();
        for (name, chapter) in self.runs() {
            if !names.insert(name.clone()) {
                return Err(format!("chapter {name} is in it twice"));
            }
            check_spread(&chapter.orders_per_s).map_err(|problem| format!("{name}: orders_per_s {problem}"))?;
            if let Some(stages) = &chapter.stages_ns {
                check_stages(stages).map_err(|problem| format!("{name}: stages_ns {problem}"))?;
            }
            if let Some(latency) = &chapter.latency_ns {
                check_latency(latency).map_err(|problem| format!("{name}: latency_ns {problem}"))?;
            }
        }
        Ok(())
    }
}

fn check_spread(spread: &Spread) -> Result<(), String> {
    let Some(expected) = Spread::of(&spread.rounds) else {
        return Err("has no round, or one that is not a number".into());
    };
    if expected.min <= 0.0 {
        return Err(format!("has a round of {}, and must be above 0", expected.min));
    }
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs();
    if !near(spread.median, expected.median) || !near(spread.min, expected.min) || !near(spread.max, expected.max) {
        return Err("has a median, min or max that is not that of its rounds".into());
    }
    Ok(())
}

fn check_stages(stages: &Stages) -> Result<(), String> {
    for (name, value) in Stages::NAMES.into_iter().zip(stages.values()) {
        if !value.is_finite() || value < 0.0 {
            return Err(format!("{name} is {value}, and must be 0 or above"));
        }
    }
    Ok(())
}

fn check_latency(latency: &Latency) -> Result<(), String> {
    if !latency.offered_per_s.is_finite() || latency.offered_per_s <= 0.0 {
        return Err(format!("offered_per_s is {}, and must be above 0", latency.offered_per_s));
    }
    let Latency { p50, p99, p999, max, .. } = *latency;
    if p50 > p99 || p99 > p999 || p999 > max {
        return Err(format!("does not rise: p50 {p50}, p99 {p99}, p999 {p999}, max {max}"));
    }
    Ok(())
}

/// Writes `value` as readable JSON, creating the folder, through a neighbour file and a rename.
pub fn save_json<T: Serialize>(value: &T, path: &Path) -> Result<(), PerfError> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| PerfError::Unusable(format!("{} cannot be written as JSON: {error}", path.display())))?;
    text.push('\n');
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| PerfError::disk("create the folder", folder, &error))?;
    }
    let unfinished = path.with_extension("json.new");
    fs::write(&unfinished, text).map_err(|error| PerfError::disk("write", &unfinished, &error))?;
    fs::rename(&unfinished, path).map_err(|error| PerfError::disk("write", path, &error))
}
