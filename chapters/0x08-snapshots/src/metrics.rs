//! The stopwatch: how long each stage of the pipeline took.
//!
//! A stage ends with a lap, and its time is the time since the lap before. A lap is one clock
//! read, about 25 ns: nothing beside a sync, and several times the work itself in a fast engine. So
//! the engine is built twice, and only one of the two has laps in its code.

use std::time::Instant;

use market::{Stage, StageTimes};

// ANCHOR: metrics
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
// ANCHOR_END: metrics

/// Measures every stage.
pub struct PerfMetrics {
    last: Instant,
    times: StageTimes,
}

impl Default for PerfMetrics {
    fn default() -> PerfMetrics {
        PerfMetrics { last: Instant::now(), times: StageTimes::default() }
    }
}

impl Metrics for PerfMetrics {
    fn start(&mut self) {
        self.last = Instant::now();
    }

    fn lap(&mut self, stage: Stage) {
        let now = Instant::now();
        self.times.add(stage, now - self.last);
        self.last = now;
    }

    fn times(&self) -> Option<StageTimes> {
        Some(self.times)
    }
}
