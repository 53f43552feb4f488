//! Starts on logs of several lengths: by replay alone, with a snapshot, and with a snapshot when nothing is cached.

use results::error::MeasureError;
use results::figures::{Figures, figure};
use results::progress::say;
use results::record::{StartRecord, Started};
use results::units::grouped;

use super::bench::{Bench, Plan, spread, spread_if_told};

/// A log, and the results of its starts so far.
pub struct Log {
    commands: u64,
    laid: Figures,
    replay: Vec<Figures>,
    snapshot: Vec<Figures>,
    cold: Vec<Figures>,
}

/// Lays out the logs.
///
/// # Errors
/// When there is not enough space, or the program can't be run.
pub fn lay(bench: &Bench, plan: &Plan) -> Result<Vec<Log>, MeasureError> {
    let one = |&commands: &u64| {
        say(&bench.bar, &format!("laying out a log of {} commands", grouped(commands as f64)));
        let tail = plan.tail.min(commands / 2);
        let mut flags = plan.size.to_vec();
        flags.extend(["--commands".into(), commands.to_string(), "--tail".into(), tail.to_string()]);
        let laid = bench.run("lay", &commands.to_string(), &flags)?;
        Ok(Log { commands, laid, replay: Vec::new(), snapshot: Vec::new(), cold: Vec::new() })
    };
    plan.commands.iter().map(one).collect()
}

impl Log {
    /// Starts once in each way.
    ///
    /// # Errors
    /// When the program can't be run.
    pub fn round(&mut self, bench: &Bench, of: &str) -> Result<(), MeasureError> {
        let start = |way: &str, flags: &[&str]| {
            say(&bench.bar, &format!("a start after {} commands, {way}, {of}", grouped(self.commands as f64)));
            let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
            bench.run("start", &self.commands.to_string(), &flags)
        };
        let replay = start("by replay alone", &["--replay-alone"])?;
        let snapshot = start("with a snapshot", &[])?;
        if cfg!(target_os = "linux") {
            self.cold.push(start("with a snapshot, cold", &["--cold"])?);
        }
        self.replay.push(replay);
        self.snapshot.push(snapshot);
        Ok(())
    }

    /// The results of the rounds.
    ///
    /// # Errors
    /// When a round gave no number.
    pub fn record(&self) -> Result<StartRecord, MeasureError> {
        let laid = |key: &str| figure(&self.laid, key, "recovered").map(|value| value as u64);
        Ok(StartRecord {
            commands: self.commands,
            log_bytes: laid("log_bytes")?,
            snapshot_bytes: laid("snapshot_bytes")?,
            replay: started(&self.replay)?,
            snapshot: started(&self.snapshot)?,
            cold: (!self.cold.is_empty()).then(|| started(&self.cold)).transpose()?,
        })
    }
}

fn started(rounds: &[Figures]) -> Result<Started, MeasureError> {
    Ok(Started {
        start_ns: spread(rounds, "start_ns")?,
        processor_ns: spread_if_told(rounds, "processor_ns"),
        memory_bytes: spread_if_told(rounds, "memory_bytes"),
    })
}
