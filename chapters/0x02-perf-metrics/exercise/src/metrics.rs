//! The stopwatch: how long each stage of the pipeline took.
//!
//! A stage ends with a lap, and its time is the time since the lap before. The engine is built twice, and only one of
//! the two has laps in its code.

use market::{Stage, StageTimes};

/// What an engine reports about the time that it takes.
pub trait Metrics: Default + Send + 'static {
    /// A command enters the pipeline; the time since the last lap belongs to no stage.
    fn start(&mut self) {}

    /// A stage has ended.
    fn lap(&mut self, _stage: Stage) {}

    /// What was measured, if anything.
    fn times(&self) -> Option<StageTimes> {
        None
    }
}

/// Measures nothing and costs nothing: its calls are empty and are compiled away.
#[derive(Default)]
pub struct Unmeasured;

impl Metrics for Unmeasured {}

/// Measures every stage.
#[derive(Default)]
pub struct PerfMetrics;

// Yours to write: what it has to remember, and its three methods.
impl Metrics for PerfMetrics {}
