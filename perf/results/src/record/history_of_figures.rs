//! `output/reference/history-of-figures.json`: the ladder's reference record at each commit that replaced it. Figures of
//! one version come from one run. Those of two versions may be compared only where the machine is the same.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ladder::{LadderRecord, check_spread};
use crate::json::Record;
use crate::machine::Machine;
use crate::probe::Probe;
use crate::spread::Spread;

/// Every version of the ladder's reference record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryOfFigures {
    /// In the order in which they were committed.
    pub versions: Vec<LadderVersion>,
}

/// One version: a run of the ladder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LadderVersion {
    /// The commit that was measured, as the run named it.
    pub commit: String,
    /// The day of that commit, such as `2026-11-21`; `None` when the repository does not have the commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Where it ran.
    pub machine: Machine,
    /// Interleaved rounds.
    pub rounds: u32,
    /// The machine's state: the median of the probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Probe>,
    /// Durable orders per second, by the chapter's folder name.
    pub orders_per_s: BTreeMap<String, Spread>,
}

impl LadderVersion {
    /// What the history keeps of a run.
    pub fn of(record: &LadderRecord, date: Option<String>) -> Self {
        let speeds = record.chapters.iter().map(|chapter| (chapter.chapter.clone(), chapter.orders_per_s.clone()));
        Self {
            commit: record.commit.clone(),
            date,
            machine: record.machine.clone(),
            rounds: record.rounds,
            probe: Probe::median_of(&record.probes),
            orders_per_s: speeds.collect(),
        }
    }

    /// The commit in digits alone, without a mark for changes that were not committed.
    pub fn digits(&self) -> &str {
        let end = self.commit.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(self.commit.len());
        &self.commit[..end]
    }

    /// The fastest chapter's median; `None` without a chapter.
    pub fn fastest(&self) -> Option<f64> {
        self.orders_per_s.values().map(|speed| speed.median).max_by(f64::total_cmp)
    }
}

impl HistoryOfFigures {
    /// The machine of each version, counted from 0 in the order in which they first appear.
    pub fn machines(&self) -> Vec<usize> {
        let mut known: Vec<&Machine> = Vec::new();
        let mut places = Vec::with_capacity(self.versions.len());
        for LadderVersion { machine, .. } in &self.versions {
            let found = known.iter().position(|known| *known == machine);
            places.push(found.unwrap_or(known.len()));
            if found.is_none() {
                known.push(machine);
            }
        }
        places
    }

    /// The chapters whose median in version `at` is above every round that the same machine did in the version before;
    /// `None` for the first version of a machine.
    pub fn faster(&self, at: usize) -> Option<Vec<&str>> {
        let now = &self.versions[at];
        let before = self.versions[..at].iter().rev().find(|version| version.machine == now.machine)?;
        let is_faster = |(chapter, speed): &(&String, &Spread)| {
            before.orders_per_s.get(*chapter).is_some_and(|before| speed.median > before.max)
        };
        Some(now.orders_per_s.iter().filter(is_faster).map(|(chapter, _)| chapter.as_str()).collect())
    }
}

impl Record for HistoryOfFigures {
    const VERB: &'static str = "history-of-figures";

    fn check(&self) -> Result<(), String> {
        if self.versions.is_empty() {
            return Err("no version in it".into());
        }
        for version in &self.versions {
            if version.orders_per_s.is_empty() {
                return Err(format!("no chapter in the version of {}", version.commit));
            }
            for (chapter, speed) in &version.orders_per_s {
                let named = |problem| format!("{}: {chapter}: orders_per_s {problem}", version.commit);
                check_spread(speed).map_err(named)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(commit: &str, kernel: &str, rounds: &[f64]) -> LadderVersion {
        let speed = Spread::of(rounds).expect("numbers");
        LadderVersion {
            commit: commit.into(),
            date: None,
            machine: Machine { kernel: kernel.into(), ..Machine::default() },
            rounds: 3,
            probe: None,
            orders_per_s: BTreeMap::from([("0x01-naive".into(), speed)]),
        }
    }

    #[test]
    fn a_version_is_compared_with_the_one_before_on_the_same_machine() {
        let versions = vec![
            version("aa", "1", &[90.0, 100.0, 110.0]),
            version("bb", "2", &[300.0, 310.0, 320.0]),
            version("cc+dirty", "1", &[100.0, 111.0, 120.0]),
            version("dd", "1", &[100.0, 119.0, 150.0]),
        ];
        let history = HistoryOfFigures { versions };
        assert_eq!(history.machines(), [0, 1, 0, 0]);
        let faster: Vec<_> = (0..4).map(|at| history.faster(at)).collect();
        assert_eq!(faster, [None, None, Some(vec!["0x01-naive"]), Some(vec![])]);
        assert_eq!(history.versions[2].digits(), "cc");
    }

    #[test]
    fn a_history_without_a_version_and_one_with_an_impossible_figure_are_refused() {
        assert_eq!(HistoryOfFigures { versions: vec![] }.check(), Err("no version in it".into()));
        let mut history = HistoryOfFigures { versions: vec![version("aa", "1", &[90.0])] };
        assert_eq!(history.check(), Ok(()));
        history.versions[0].orders_per_s.values_mut().for_each(|speed| speed.median = 1.0);
        assert!(history.check().is_err_and(|problem| problem.starts_with("aa: 0x01-naive: ")));
        history.versions[0].orders_per_s.clear();
        assert!(history.check().is_err_and(|problem| problem.contains("no chapter")));
    }
}
