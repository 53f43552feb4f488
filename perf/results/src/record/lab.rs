//! `output/lab.json`: what the lab measured, on which machine, at which commit and by which command. The book reads
//! nothing else. Names in it do not change; new ones may be added.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::json::Record;
use crate::machine::Machine;
use crate::spread::Spread;
use crate::words::Words;

/// One run of the lab.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built, with `-dirty` when the tree had changes.
    pub commit: String,
    /// The command line that repeats the run.
    pub command: String,
    /// Interleaved rounds.
    pub rounds: u32,
    /// One entry for each experiment, in the order in which they ran.
    pub experiments: Vec<ExperimentRecord>,
}

impl Record for LabRecord {
    const VERB: &'static str = "lab";
}

/// One experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExperimentRecord {
    /// Its name.
    pub name: String,
    /// The question that it asks.
    pub title: Words,
    /// The unit that the nanoseconds are for.
    pub per: Words,
    /// What was measured.
    pub cases: Vec<CaseRecord>,
    /// What was not measured, and why.
    pub left_out: Vec<LeftOutRecord>,
}

/// One case: variants that did the same work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub label: Words,
    /// Other figures about it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub figures: BTreeMap<String, f64>,
    /// The variants; the first is what the others are compared with.
    pub variants: Vec<VariantRecord>,
}

/// One way of doing a case's work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantRecord {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub label: Words,
    /// Nanoseconds an operation.
    pub ns: Spread,
}

/// A variant that was not measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeftOutRecord {
    /// Its name.
    pub name: String,
    /// The reason.
    pub reason: Words,
}
