//! 0x05: the array book.
//!
//! There are 99 prices, so a side of the book is 99 slots and a word of bits that says which of them
//! have orders. Queues are links through the slab, and ids lead to their slots without a hash. A
//! command touches a handful of cache lines, and finds each in a few instructions.
#![forbid(unsafe_code)]

pub mod accounts;
pub mod book;
pub mod engine;
pub mod exchange;
pub mod id_table;
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
    const NAME: &'static str = "0x05-array-book";
    const ORDERS: usize = 5_000_000;
    type Flags = runner::BatchFlags;
    type Engine = Engine<Unmeasured>;
    type Measured = Engine<PerfMetrics>;
}

/// What the chapter's program does. It is here so that the engine and the loop that drives it are compiled together,
/// without whole-program optimisation, which would slow every build.
pub fn main() -> std::process::ExitCode {
    runner::main::<Chapter>()
}
