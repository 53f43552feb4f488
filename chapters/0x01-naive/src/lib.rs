//! 0x01: the naive engine.
//!
//! Every command is written to the log and synced before anything else happens to it. The book is
//! the one that most people would write first: a tree of price levels, a queue of orders at each, a
//! map to find an order by its id. Nothing about it is clever.
#![forbid(unsafe_code)]

pub mod accounts;
pub mod book;
pub mod engine;
pub mod exchange;
pub mod ledger;
pub mod log;
pub mod trading;

pub use engine::Engine;

/// This chapter, as its program and its tests see it.
pub struct Chapter;

impl runner::Chapter for Chapter {
    const NAME: &'static str = "0x01-naive";
    const ORDERS: usize = 100_000;
    type Flags = runner::NoFlags;
    type Engine = Engine;
    type Measured = Engine;
}

/// What the chapter's program does. It is here so that the engine and the loop that drives it are compiled together,
/// without whole-program optimisation, which would slow every build.
pub fn main() -> std::process::ExitCode {
    runner::main::<Chapter>()
}
