//! 0x07: sharding.
//!
//! Markets share nothing, not even cash, so they can be divided: each shard is the pipeline of 0x06
//! with its own log, and the only writer of its markets. Inside a shard the order of commands is the
//! order in which they were submitted. Across shards there is no order in time; a program that needs
//! one order of everything sorts by sequence, then by shard: it is the same after every replay.
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
pub mod slab;
pub mod trading;
pub mod wait;

pub use engine::Engine;
use metrics::{PerfMetrics, Unmeasured};

/// This chapter, as its program and its tests see it.
pub struct Chapter;

impl runner::Chapter for Chapter {
    const NAME: &'static str = "0x07-sharding";
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
