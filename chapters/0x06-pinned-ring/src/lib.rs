//! 0x06: the pinned ring.
//!
//! Until here the disk waits while orders are matched, and matching waits while the disk syncs. Now
//! each has a thread of its own, and both read the same commands from a ring without a lock. While
//! matching is at one batch, the journal is at the next; nothing is applied that is not durable.
#![deny(unsafe_code)] // but for the ring's slots, in `memory` and `ring`

pub mod accounts;
pub mod book;
pub mod cores;
pub mod crew;
pub mod engine;
pub mod exchange;
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
    const NAME: &'static str = "0x06-pinned-ring";
    const ORDERS: usize = 5_000_000;
    type Flags = runner::PipelineFlags;
    type Engine = Engine<Unmeasured>;
    type Measured = Engine<PerfMetrics>;
}

/// What the chapter's program does. It stands here so that the engine and the loop that drives it are compiled in one
/// piece, without the whole-program optimisation that everybody would wait for.
pub fn main() -> std::process::ExitCode {
    runner::main::<Chapter>()
}
