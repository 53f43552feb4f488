//! 0x03: group commit.
//!
//! Nearly all the time of 0x02 is waiting for the disk, and a sync takes as long for a thousand
//! commands as for one. So commands wait for each other: a batch is one frame in the log and one
//! sync, and only then are its commands applied and acknowledged.
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
    const NAME: &'static str = "0x03-group-commit";
    const ORDERS: usize = 1_000_000;
    type Flags = runner::BatchFlags;
    type Engine = Engine<Unmeasured>;
    type Measured = Engine<PerfMetrics>;
}

/// What the chapter's program does. It is here so that the engine and the loop that drives it are compiled together,
/// without whole-program optimisation, which would slow every build.
pub fn main() -> std::process::ExitCode {
    runner::main::<Chapter>()
}
