//! What is measured, and the program that does the work, each time in a separate process.

use std::path::PathBuf;

use indicatif::ProgressBar;
use results::error::MeasureError;
use results::figures::{Figures, figure};
use results::programs::Program;
use results::record::{OfferRecord, Spread};

/// What is measured, with every default filled in.
pub struct Plan {
    /// The logs' lengths, rising.
    pub commands: Vec<u64>,
    /// How many commands come after a snapshot.
    pub tail: u64,
    /// The flags that say how large the state is.
    pub size: [String; 4],
    /// How orders are offered.
    pub offer: OfferRecord,
    /// How often each is run.
    pub rounds: u32,
}

/// The program that does the work, and where it does it.
pub struct Bench {
    /// Which program.
    pub program: Program,
    /// Its folder: the logs, and figures.txt.
    pub folder: PathBuf,
    /// The progress bar.
    pub bar: ProgressBar,
}

impl Bench {
    /// Runs one of its subcommands on a data directory of this name.
    ///
    /// # Errors
    /// When it can't be started, or fails.
    pub fn run(&self, verb: &str, data_dir: &str, flags: &[String]) -> Result<Figures, MeasureError> {
        let data_dir = self.folder.join(data_dir).display().to_string();
        let args = [&[verb.into(), "--data-dir".into(), data_dir][..], flags].concat();
        let figures = self.program.measure(&args, &self.folder);
        self.bar.inc(1);
        figures
    }
}

/// A figure that every round has.
///
/// # Errors
/// When a round lacks it.
pub fn spread(rounds: &[Figures], key: &str) -> Result<Spread, MeasureError> {
    let values: Result<Vec<f64>, _> = rounds.iter().map(|round| figure(round, key, "recovered")).collect();
    Spread::of(&values?).ok_or_else(|| MeasureError::Unusable("a round gave no number".into()))
}

/// A figure that not every system reports.
pub fn spread_if_told(rounds: &[Figures], key: &str) -> Option<Spread> {
    let values: Option<Vec<f64>> = rounds.iter().map(|round| round.get(key).copied()).collect();
    values.and_then(|values| Spread::of(&values))
}
