//! `output/races.json`: races that were run many times, to see how far a single one can be trusted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::flow::Flow;
use super::race::RaceRecord;
use crate::json::Record;
use crate::machine::Machine;
use crate::spread::Spread;

/// All series that were run, the latest last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RacesRecord {
    /// Where the latest ran.
    pub machine: Machine,
    /// The commit of the tool that ran it, with `-dirty` when the tree had changes.
    pub commit: String,
    /// The series, each under its name.
    pub series: Vec<SeriesRecord>,
}

/// Races of the same two trees, one after another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeriesRecord {
    /// Its name.
    pub name: String,
    /// The processor that it ran on.
    pub cpu: String,
    /// The command line that repeats the series.
    pub command: String,
    /// The tree that the other was compared with, as in a race's own record.
    pub base: String,
    /// The tree that was judged.
    pub current: String,
    /// The chapters that were raced.
    pub chapters: Vec<String>,
    /// What was run.
    pub flow: Flow,
    /// The smallest difference that mattered, as a share.
    pub margin: f64,
    /// How many races there were.
    pub raced: usize,
    /// How many of them ended as worse.
    pub worse: usize,
    /// How long a race took, in seconds.
    pub seconds: Spread,
    /// Current ÷ base by chapter and headline figure, as each race estimated it.
    pub estimates: Vec<EstimatesRecord>,
    /// The races, in the order in which they were run.
    pub races: Vec<RacedOnce>,
}

/// What the races of a series estimated for one chapter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EstimatesRecord {
    /// The chapter's folder name.
    pub chapter: String,
    /// Current ÷ base, by the figure's name. A figure that one of the races could not judge is left out.
    pub figures: BTreeMap<String, Spread>,
}

/// How one race of a series ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RacedOnce {
    /// How long it took, in seconds.
    pub seconds: f64,
    /// The chapters with the headline figures that were worse.
    pub worse: BTreeMap<String, Vec<String>>,
    /// Current ÷ base of each chapter's headline figures, without those that had too few pairs.
    pub estimates: BTreeMap<String, BTreeMap<String, f64>>,
}

impl SeriesRecord {
    /// Whether a race of `other` belongs to this series: the same commits and chapters on the same kind of machine. A
    /// tree with uncommitted changes may be different each time.
    pub fn goes_on_as(&self, other: &SeriesRecord) -> bool {
        let what = |of: &SeriesRecord| {
            let names = [&of.name, &of.cpu, &of.base, &of.current].map(String::clone);
            (names, of.chapters.clone(), of.flow.clone(), of.margin.to_bits())
        };
        what(self) == what(other) && !self.current.ends_with("-dirty")
    }

    /// The series that `race` begins. It is empty, and can't be written before the first race is
    /// [added](SeriesRecord::add).
    pub fn of(name: &str, race: &RaceRecord) -> SeriesRecord {
        SeriesRecord {
            name: name.to_owned(),
            cpu: race.machine.cpu.clone(),
            command: race.command.clone(),
            base: race.base.clone(),
            current: race.current.clone(),
            chapters: race.chapters.iter().map(|chapter| chapter.chapter.clone()).collect(),
            flow: race.flow.clone(),
            margin: race.margin,
            raced: 0,
            worse: 0,
            seconds: none(),
            estimates: Vec::new(),
            races: Vec::new(),
        }
    }

    /// Adds one more race, and updates the sums.
    pub fn add(&mut self, race: RacedOnce) {
        self.races.push(race);
        self.raced = self.races.len();
        self.worse = self.races.iter().filter(|race| !race.worse.is_empty()).count();
        let seconds: Vec<f64> = self.races.iter().map(|race| race.seconds).collect();
        self.seconds = Spread::of(&seconds).unwrap_or_else(none);
        self.estimates = self.chapters.iter().map(|chapter| self.estimates_of(chapter)).collect();
    }

    fn estimates_of(&self, chapter: &str) -> EstimatesRecord {
        let of = |race: &RacedOnce| race.estimates.get(chapter).cloned().unwrap_or_default();
        let keys = self.races.first().map(of).unwrap_or_default().into_keys();
        let spread = |key: &String| {
            let all: Option<Vec<f64>> = self.races.iter().map(|race| of(race).get(key).copied()).collect();
            Spread::of(&all?)
        };
        let figures = keys.filter_map(|key| Some((key.clone(), spread(&key)?))).collect();
        EstimatesRecord { chapter: chapter.to_owned(), figures }
    }
}

/// The spread of no race at all.
fn none() -> Spread {
    Spread { median: 0.0, min: 0.0, max: 0.0, rounds: Vec::new() }
}

impl Record for RacesRecord {
    const VERB: &'static str = "race";

    fn check(&self) -> Result<(), String> {
        let wrong = |series: &&SeriesRecord| {
            series.raced != series.races.len() || series.worse > series.raced || series.races.is_empty()
        };
        match self.series.iter().find(wrong) {
            Some(series) => Err(format!("{}: it does not have as many races as it says", series.name)),
            None if self.series.is_empty() => Err("no series in it".into()),
            None => Ok(()),
        }
    }
}
