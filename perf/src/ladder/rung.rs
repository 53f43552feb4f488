//! A rung of the ladder: a chapter on a flow, and how much it runs.

use std::path::Path;

use catalogue::Chapter;
use results::error::MeasureError;
use results::figures::{Figures, figure};
use results::programs::Program;

use crate::flow_args::FlowArgs;

/// The maximum rate of the latency pass, so that fast chapters are compared at the same rate.
const RATE_MAX: f64 = 1_000_000.0;

/// How long things take.
pub struct Plan {
    /// How often each chapter runs.
    pub rounds: u32,
    /// How long the throughput pass of a round may take.
    seconds: f64,
    /// How long the latency pass takes.
    latency_seconds: f64,
    orders_max: u32,
}

impl Plan {
    /// The plan of a full run or of a quick one, with the user's own values.
    pub fn new(quick: bool, rounds: Option<u32>, orders: Option<u32>) -> Plan {
        let plan = if quick {
            Plan { rounds: 2, seconds: 0.25, latency_seconds: 0.15, orders_max: 1_000_000 }
        } else {
            Plan { rounds: 4, seconds: 0.8, latency_seconds: 0.5, orders_max: 4_000_000 }
        };
        Plan { rounds: rounds.unwrap_or(plan.rounds), orders_max: orders.unwrap_or(plan.orders_max), ..plan }
    }
}

/// A chapter, and what it is measured on.
pub struct Run {
    /// The chapter.
    pub chapter: Chapter,
    /// The flow.
    pub flow: FlowArgs,
    /// Whether it runs beside the ladder, on many markets, for its throughput alone.
    pub on_venue: bool,
    /// How many shards, where the ladder chooses that.
    pub shards: Option<u16>,
}

impl Run {
    /// The passes that it is measured with. A chapter refuses a pass that it does not have.
    fn passes(&self) -> &'static str {
        match (self.on_venue, self.chapter.measures) {
            (true, _) => "throughput",
            (false, true) => "throughput,breakdown,latency",
            (false, false) => "throughput,latency",
        }
    }

    fn measure(&self, orders: u32, settings: &[(&str, String)], output: &Path) -> Result<Figures, MeasureError> {
        let mut flags = self.flow.flags();
        flags.extend(self.flow.orders_flags(orders));
        let shards = self.shards.map(|shards| ("--shards", shards.to_string()));
        for (flag, value) in settings.iter().chain(&shards) {
            flags.extend([(*flag).to_string(), value.clone()]);
        }
        // A run with fewer passes must not overwrite the report of the full one.
        let folder = if self.on_venue { output.join("venue") } else { output.to_path_buf() };
        Program::from(&self.chapter).measure(&flags, &folder.join(self.chapter.number.to_string()))
    }
}

/// A run on the ladder, and how many orders it gets.
pub struct Rung {
    /// What runs.
    pub run: Run,
    /// Orders in a round.
    pub orders: u64,
    /// The offered rate of the latency pass, per second.
    pub rate: u64,
    /// The results so far.
    pub rounds: Vec<Figures>,
}

/// Finds out how many orders a chapter does in a round's time, with a short run.
pub fn calibrate(run: Run, plan: &Plan, output: &Path) -> Result<Rung, MeasureError> {
    let settings = [("--pass", "throughput".to_string()), ("--max-seconds", "0.15".to_string())];
    let figures = run.measure(plan.orders_max.min(500_000), &settings, output)?;
    let per_s = figure(&figures, "throughput_ops", &run.chapter.folder)?;
    let orders = (per_s * plan.seconds).clamp(64.0, f64::from(plan.orders_max));
    // Two digits are enough, and read better.
    let step = 10_f64.powf(orders.log10().floor() - 1.0);
    let orders = ((orders / step).round() * step).min(f64::from(plan.orders_max)) as u64;
    let rate = (per_s / 2.0).clamp(1.0, RATE_MAX) as u64;
    Ok(Rung { run, orders, rate, rounds: Vec::new() })
}

/// Runs one round.
pub fn measure(rung: &Rung, plan: &Plan, output: &Path) -> Result<Figures, MeasureError> {
    let mut settings =
        vec![("--pass", rung.run.passes().to_string()), ("--max-seconds", (3.0 * plan.seconds).to_string())];
    if !rung.run.on_venue {
        settings.extend([("--rate", rung.rate.to_string()), ("--seconds", plan.latency_seconds.to_string())]);
    }
    rung.run.measure(rung.orders as u32, &settings, output)
}
