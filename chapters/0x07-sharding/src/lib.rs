//! 0x07: sharding.
//!
//! Markets share nothing, not even cash, so they can be dealt out: each shard is the pipeline of 0x06
//! with a log of its own, and the only writer of its markets. Inside a shard the order of commands is
//! the order in which they were submitted. Across shards there is none in time; who needs one order
//! of everything sorts by sequence, then by shard, and gets the same order after every replay.
#![deny(unsafe_code)] // but for the ring's slots, in `memory` and `ring`

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

/// This chapter, as its program and its tests know it.
pub struct Chapter;

impl runner::Chapter for Chapter {
    const NAME: &'static str = "0x07-sharding";
    const ORDERS: usize = 5_000_000;
    type Flags = flags::Flags;
    type Engine = Engine<Unmeasured>;
    type Measured = Engine<PerfMetrics>;
}

/// What the chapter's program does. It stands here so that the engine and the loop that drives it are compiled in one
/// piece, without the whole-program optimisation that everybody would wait for.
pub fn main() -> std::process::ExitCode {
    runner::main::<Chapter>()
}
