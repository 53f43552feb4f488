//! 0x02: where does the time go?
//!
//! The engine of 0x01, unchanged in what it does. A stopwatch is new: it reads the clock when a
//! stage of the pipeline ends. An engine that is not measured has no trace of it in its code.
#![forbid(unsafe_code)]

pub mod accounts;
pub mod book;
pub mod engine;
pub mod exchange;
pub mod ledger;
pub mod log;
pub mod metrics;
pub mod trading;

pub use engine::Engine;
use metrics::{PerfMetrics, Unmeasured};

/// This chapter, as its program and its tests see it.
pub struct Chapter;

impl runner::Chapter for Chapter {
    const NAME: &'static str = "0x02-perf-metrics";
    const ORDERS: usize = 100_000;
    type Flags = runner::NoFlags;
    type Engine = Engine<Unmeasured>;
    type Measured = Engine<PerfMetrics>;
}

/// What the chapter's program does. It is here so that the engine and the loop that drives it are compiled together,
/// without whole-program optimisation, which would slow every build.
pub fn main() -> std::process::ExitCode {
    runner::main::<Chapter>()
}
