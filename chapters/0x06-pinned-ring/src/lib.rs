//! 0x06: the pinned ring.
//!
//! In the chapters before, the disk waits while orders are matched, and matching waits while the
//! disk syncs. Now each has its own thread, and both read the same commands from a ring without a
//! lock. While matching works on one batch, the journal works on the next; nothing is applied
//! before it is durable.
#![deny(unsafe_code)] // except for the ring's slots, in `memory` and `ring`

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

/// This chapter, as its program and its tests see it.
pub struct Chapter;

impl runner::Chapter for Chapter {
    const NAME: &'static str = "0x06-pinned-ring";
    const ORDERS: usize = 5_000_000;
    type Flags = runner::PipelineFlags;
    type Engine = Engine<Unmeasured>;
    type Measured = Engine<PerfMetrics>;
}

/// What the chapter's program does. It is here so that the engine and the loop that drives it are compiled together,
/// without whole-program optimisation, which would slow every build.
pub fn main() -> std::process::ExitCode {
    runner::main::<Chapter>()
}
