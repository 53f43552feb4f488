//! `output/numbers.json`: the latency numbers worth memorizing, measured on this machine.

use serde::{Deserialize, Serialize};

use crate::json::Record;
use crate::machine::Machine;

/// One run of `numbers`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumbersRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built.
    pub commit: String,
    /// One row for each number, in the table's order.
    pub numbers: Vec<NumberRecord>,
}

/// One number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumberRecord {
    /// A name that does not change.
    pub id: String,
    /// What it is, in English.
    pub name_en: String,
    /// What it is, in Chinese.
    pub name_zh: String,
    /// What it costs here; `None` when this machine cannot do it.
    pub measured: Option<Measured>,
    /// The figure to compare with, in nanoseconds.
    pub reference_ns: f64,
    /// Whether the reference is from the well-known list or only typical of today's machines.
    pub reference_from: ReferenceFrom,
    /// How long it would take if a nanosecond were a second, in English.
    pub scaled_en: String,
    /// The same in Chinese.
    pub scaled_zh: String,
}

/// Where a reference figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceFrom {
    /// "Latency numbers every programmer should know" (Dean, Norvig, Scott).
    List,
    /// An order of magnitude that current servers show.
    Typical,
}

/// Nanoseconds per operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The middle sample.
    pub median_ns: f64,
    /// A tenth of the samples were faster.
    pub p10_ns: f64,
    /// A tenth of the samples were slower.
    pub p90_ns: f64,
    /// How many samples there were.
    pub samples: usize,
    /// What the operation worked on, where that matters: "32 KiB walked".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Whether a read from disk may have come from the system's cache.
    #[serde(default)]
    pub cached: bool,
}

impl Measured {
    /// Sums up samples in nanoseconds per operation; `None` without samples.
    pub fn of(mut samples_ns: Vec<f64>) -> Option<Self> {
        samples_ns.sort_by(f64::total_cmp);
        let last = samples_ns.len().checked_sub(1)?;
        let at = |share: f64| samples_ns[(last as f64 * share).round() as usize];
        Some(Self {
            median_ns: at(0.5),
            p10_ns: at(0.1),
            p90_ns: at(0.9),
            samples: samples_ns.len(),
            detail: String::new(),
            cached: false,
        })
    }

    /// The same with a note on what was worked on.
    pub fn with_detail(self, detail: String) -> Self {
        Self { detail, ..self }
    }
}

impl Record for NumbersRecord {
    const VERB: &'static str = "numbers";
}
