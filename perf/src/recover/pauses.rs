//! What orders wait for while snapshots are made: without snapshots, with the world stopped, and by the
//! shadow.

use results::error::MeasureError;
use results::figures::Figures;
use results::progress::say;
use results::record::PauseRecord;

use super::bench::{Bench, Plan, spread, spread_if_told};

/// One way to make snapshots, and its results so far.
pub struct Way {
    name: &'static str,
    rounds: Vec<Figures>,
}

/// All ways, in the record's order.
pub fn all() -> Vec<Way> {
    ["none", "stopped", "shadow"].map(|name| Way { name, rounds: Vec::new() }).into()
}

impl Way {
    /// Offers the orders once.
    ///
    /// # Errors
    /// When the program can't be run.
    pub fn round(&mut self, bench: &Bench, plan: &Plan, of: &str) -> Result<(), MeasureError> {
        say(&bench.bar, &format!("offering orders, snapshots: {}, {of}", self.name));
        let mut flags = plan.size.to_vec();
        for (flag, value) in [
            ("--copy", bench.folder.join("copy").display().to_string()),
            ("--rate", plan.offer.rate.to_string()),
            ("--seconds", plan.offer.seconds.to_string()),
            ("--every", plan.offer.every.to_string()),
            ("--snapshots", self.name.into()),
        ] {
            flags.extend([flag.to_string(), value]);
        }
        self.rounds.push(bench.run("offer", "state", &flags)?);
        Ok(())
    }

    /// The results of the rounds.
    ///
    /// # Errors
    /// When a round gave no number.
    pub fn record(&self) -> Result<PauseRecord, MeasureError> {
        let (of, told) = (|key: &str| spread(&self.rounds, key), |key: &str| spread_if_told(&self.rounds, key));
        Ok(PauseRecord {
            name: self.name.into(),
            achieved_per_s: of("achieved_per_s")?,
            p50_ns: of("p50_ns")?,
            p99_ns: of("p99_ns")?,
            p999_ns: of("p999_ns")?,
            max_ns: of("max_ns")?,
            processor_ns: told("processor_ns"),
            memory_bytes: told("memory_bytes"),
            snapshots: told("snapshots"),
            snapshot_ns: told("snapshot_ns"),
            behind_last_snapshot: told("behind_last_snapshot"),
        })
    }
}
