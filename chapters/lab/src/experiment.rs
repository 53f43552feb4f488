//! The parts of an experiment.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use indicatif::ProgressBar;

use crate::error::LabError;
use crate::words::Words;

/// A question, and how to measure its answer.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name in the record and on the command line; it does not change.
    pub name: &'static str,
    /// The question, in English and Chinese.
    pub title: (&'static str, &'static str),
    /// The unit of the nanoseconds: "an order".
    pub per: (&'static str, &'static str),
    /// Whether it runs only on request.
    pub on_request: bool,
    /// Prepares its cases.
    pub prepare: fn(&Setting) -> Result<Prepared, LabError>,
}

/// How much work to do, and where.
pub struct Setting {
    /// How much.
    pub size: Size,
    /// A dedicated folder on the disk that is measured.
    pub data_dir: PathBuf,
    /// The progress bar.
    pub bar: ProgressBar,
}

impl Setting {
    /// Shows what is being done, when that takes long and is not a measurement.
    pub fn say(&self, what: &str) {
        results::progress::say(&self.bar, what);
    }
}

/// How much work a variant does in a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// As in the book's record.
    Full,
    /// A first look.
    Quick,
    /// Just enough to check whether variants agree.
    Tiny,
}

impl Size {
    /// The number of operations, given the number of a full run.
    pub fn of(self, full: usize) -> usize {
        match self {
            Size::Full => full,
            Size::Quick => full.div_ceil(5),
            Size::Tiny => full.div_ceil(1_000),
        }
    }
}

/// An experiment that is ready to run.
#[derive(Default)]
pub struct Prepared {
    /// The commands that are measured.
    pub cases: Vec<Case>,
    /// What is left out here, and why.
    pub left_out: Vec<LeftOut>,
}

/// Variants that do the same work.
pub struct Case {
    /// Its name in the record; it does not change.
    pub name: String,
    /// Its name for people.
    pub label: Words,
    /// Other figures about it, such as sizes in bytes.
    pub figures: BTreeMap<String, f64>,
    /// The ways to do it. The others are compared with the first.
    pub variants: Vec<Variant>,
}

impl Case {
    /// A case with no variant yet.
    pub fn new(name: impl Into<String>, label: Words) -> Case {
        Case { name: name.into(), label, figures: BTreeMap::new(), variants: Vec::new() }
    }

    /// The same with one more way to do it. `run` prepares what it needs and times the rest with [`timed`].
    #[must_use]
    pub fn with(
        mut self,
        name: &'static str,
        label: Words,
        run: impl FnMut() -> Result<Sample, LabError> + 'static,
    ) -> Case {
        self.variants.push(Variant { name, label, run: Box::new(run) });
        self
    }
}

/// One way to do a case's work.
pub struct Variant {
    /// Its name in the record; it does not change.
    pub name: &'static str,
    /// Its name for people.
    pub label: Words,
    /// Does it once.
    pub run: Box<dyn FnMut() -> Result<Sample, LabError>>,
}

/// A variant that is not measured.
pub struct LeftOut {
    /// Its name in the record.
    pub name: &'static str,
    /// Why, for people.
    pub reason: Words,
}

/// One round of one variant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// Nanoseconds an operation.
    pub ns: f64,
    /// The result; the same for all variants of a case.
    pub answer: u64,
}

// ANCHOR: timed
/// Times `work`, which does this many operations and returns its result.
pub fn timed(operations: usize, work: impl FnOnce() -> u64) -> Sample {
    let start = Instant::now();
    let answer = work();
    Sample { ns: start.elapsed().as_nanos() as f64 / operations.max(1) as f64, answer }
}
// ANCHOR_END: timed
