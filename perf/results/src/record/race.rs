//! `output/race.json`: two builds of the chapters, run in pairs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::flow::Flow;
use crate::json::Record;
use crate::machine::Machine;
use crate::pairs::Factor;
use crate::probe::Probe;

/// One run of `race`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RaceRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The command line that repeats the run.
    pub command: String,
    /// What the other is compared with: a commit of 12 digits, with `-dirty` when the tree had changes.
    pub base: String,
    /// The tree that is judged.
    pub current: String,
    /// What was run.
    pub flow: Flow,
    /// The smallest difference that matters, as a share.
    pub margin: f64,
    /// How often a race of two equal programs may report a difference in one of all its headline
    /// figures.
    pub error: f64,
    /// The maximum number of rounds of a chapter.
    pub rounds: u32,
    /// After how many rounds the figures were judged.
    pub looks: Vec<u32>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// The machine's state before each round.
    pub probes: Vec<Probe>,
    /// What each chapter did, in the ladder's order.
    pub chapters: Vec<RacedChapter>,
}

/// One chapter of both builds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RacedChapter {
    /// The chapter's folder name.
    pub chapter: String,
    /// Orders in each run.
    pub orders: u64,
    /// The offered rate of the latency pass, per second.
    pub rate: u64,
    /// Its rounds, in the order measured.
    pub rounds: Vec<RacedRound>,
    /// Current ÷ base, by the figure's name, at the last judgement; `None` where there were too few pairs.
    pub factors: BTreeMap<String, Option<Factor>>,
}

/// What a chapter ran in one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RacedRound {
    /// Short throughput runs, in pairs.
    pub throughput: Vec<Pair>,
    /// One run each of all other passes.
    pub rest: Pair,
}

/// A run of each program, one right after the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// Whether the base ran before the current one; drawn at random for each pair.
    pub base_first: bool,
    /// What the base's program saw.
    pub base: BTreeMap<String, f64>,
    /// What the current program saw.
    pub current: BTreeMap<String, f64>,
}

impl RacedChapter {
    /// All pairs, in the order measured.
    pub fn pairs(&self) -> impl Iterator<Item = &Pair> {
        self.rounds.iter().flat_map(RacedRound::pairs)
    }

    /// Current ÷ base of a figure, one for each pair that has it; `None` when a round has no such
    /// pair.
    pub fn ratios(&self, figure: &str) -> Option<Vec<f64>> {
        let ratio = |pair: &Pair| Some(pair.current.get(figure)? / pair.base.get(figure)?);
        let of_round = |round: &RacedRound| {
            let ratios: Vec<f64> = round.pairs().filter_map(ratio).collect();
            (!ratios.is_empty()).then_some(ratios)
        };
        let all: Option<Vec<Vec<f64>>> = self.rounds.iter().map(of_round).collect();
        all.map(|all| all.concat()).filter(|ratios| !ratios.is_empty())
    }
}

impl RacedRound {
    /// Its pairs, in the order measured.
    pub fn pairs(&self) -> impl Iterator<Item = &Pair> {
        self.throughput.iter().chain([&self.rest])
    }
}

impl Record for RaceRecord {
    const VERB: &'static str = "race";

    fn check(&self) -> Result<(), String> {
        let wrong = |pair: &Pair| pair.base.values().chain(pair.current.values()).any(|value| !value.is_finite());
        match self.chapters.iter().find(|chapter| chapter.pairs().any(wrong)) {
            Some(chapter) => Err(format!("{}: a figure is no number", chapter.chapter)),
            None if self.chapters.is_empty() => Err("no chapter in it".into()),
            None => Ok(()),
        }
    }
}
