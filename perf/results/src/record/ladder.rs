//! `output/ladder.json`: what one run of the ladder measured, on which machine, at which commit and
//! by which command. The book's tables and charts and `compare` read nothing else, so a record is
//! checked when it is written and again when it is read. Names in it never change; new ones may be
//! added.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::flow::Flow;
use super::stages::Stages;
use crate::json::Record;
use crate::machine::Machine;
use crate::probe::Probe;
use crate::spread::Spread;

/// One run of the ladder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LadderRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built, with `-dirty` when the tree had changes.
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
    /// What some of them did on `venue`, whose many markets can be divided among shards: throughput
    /// only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub venue: Vec<ChapterRecord>,
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
    /// Where an order's time goes, from the instrumented pass; `None` for a chapter without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages_ns: Option<Stages>,
    /// Processor time for each order in nanoseconds, of each thread by its name and, as `all`, of all
    /// together.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub processor_ns: BTreeMap<String, f64>,
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
    /// What was acknowledged per second in the latency pass; if it is well below the offer, the
    /// engine could not hold the rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_achieved_per_s: Option<f64>,
    /// Where an order's time went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages_ns: Option<Stages>,
    /// Processor time for each order in nanoseconds, of each thread by its name and, as `all`, of all
    /// together.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub processor_ns: BTreeMap<String, f64>,
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

impl LadderRecord {
    /// Every run in it, each with its own name: `0x07-sharding`, or `0x07-sharding, 2 shards on venue`.
    pub fn runs(&self) -> impl Iterator<Item = (String, &ChapterRecord)> {
        let ladder = self.chapters.iter().map(|chapter| (chapter.label(), chapter));
        ladder.chain(self.venue.iter().map(|chapter| (format!("{} on venue", chapter.label()), chapter)))
    }
}

impl Record for LadderRecord {
    const VERB: &'static str = "ladder";

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

pub(super) fn check_spread(spread: &Spread) -> Result<(), String> {
    let Some(expected) = Spread::of(&spread.rounds) else {
        return Err("has no round, or a round that is not a number".into());
    };
    if expected.min <= 0.0 {
        return Err(format!("has a round of {}, but must be above 0", expected.min));
    }
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs();
    if !near(spread.median, expected.median) || !near(spread.min, expected.min) || !near(spread.max, expected.max) {
        return Err("has a median, min or max that does not match its rounds".into());
    }
    Ok(())
}

fn check_stages(stages: &Stages) -> Result<(), String> {
    match stages.iter().find(|(_, ns)| !ns.is_finite() || *ns < 0.0) {
        Some((stage, ns)) => Err(format!("{} is {ns}, but must be 0 or above", stage.key())),
        None => Ok(()),
    }
}

fn check_latency(latency: &Latency) -> Result<(), String> {
    if !latency.offered_per_s.is_finite() || latency.offered_per_s <= 0.0 {
        return Err(format!("offered_per_s is {}, but must be above 0", latency.offered_per_s));
    }
    let Latency { p50, p99, p999, max, .. } = *latency;
    if p50 > p99 || p99 > p999 || p999 > max {
        return Err(format!("does not increase: p50 {p50}, p99 {p99}, p999 {p999}, max {max}"));
    }
    Ok(())
}
