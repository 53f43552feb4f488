//! 0x04: allocation reuse.
//!
//! The engine of 0x03 asks the heap for memory several times a command: a list of events, a list of
//! fills, a level's queue, a tree's node. Here memory that was needed once is kept and reused. In
//! the steady state a command allocates nothing, and a test proves it by counting.
#![forbid(unsafe_code)]

pub mod accounts;
pub mod book;
pub mod engine;
pub mod exchange;
pub mod ledger;
pub mod log;
pub mod metrics;
pub mod slab;
pub mod trading;

pub use engine::Engine;
use metrics::{PerfMetrics, Unmeasured};

/// This chapter, as its program and its tests see it.
pub struct Chapter;

impl runner::Chapter for Chapter {
    const NAME: &'static str = "0x04-allocation-reuse";
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
