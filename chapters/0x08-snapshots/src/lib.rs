//! 0x08: snapshots.
//!
//! A log that only grows takes longer to replay every day. Here a shadow replays it behind the engine, and writes the
//! state into a file; a start loads the newest one and replays what came after it. The log is cut into segments, and
//! matching never pauses. The truth is still the log: a snapshot saves time, and nothing else.
#![deny(unsafe_code)] // except for the ring's slots, in `memory` and `ring`

pub mod accounts;
pub mod book;
pub mod cores;
pub mod crew;
pub mod engine;
pub mod exchange;
pub mod flags;
pub mod id_table;
pub mod journal;
pub mod ledger;
pub mod log;
pub mod matcher;
#[allow(unsafe_code)]
pub mod memory;
pub mod metrics;
pub mod outbox;
pub mod pipeline;
pub mod reshard;
#[allow(unsafe_code)]
pub mod ring;
pub mod segments;
pub mod shadow;
pub mod shadowed;
pub mod slab;
pub mod start;
pub mod trading;
pub mod wait;

use metrics::{PerfMetrics, Unmeasured};
pub use shadowed::Engine;

/// This chapter, as its program and its tests see it.
pub struct Chapter;

impl runner::Chapter for Chapter {
    const NAME: &'static str = "0x08-snapshots";
    const ORDERS: usize = 5_000_000;
    type Flags = flags::Flags;
    type Engine = Engine<Unmeasured>;
    type Measured = Engine<PerfMetrics>;
}

/// What the chapter's program does. It is here so that the engine and the loop that drives it are compiled together,
/// without whole-program optimisation, which would slow every build.
pub fn main() -> std::process::ExitCode {
    runner::main::<Chapter>()
}
