//! Keeping a market over months: what stays of its log and its snapshots, and how all of it is copied, or dealt out to
//! another number of shards.
//!
//! A snapshot makes a start short, and the rest follows: a log may lose its beginning, a ledger comes in parts, and a
//! layer may keep something of its own in a snapshot. Code that trims, copies or deals out has to know these rules. They
//! stand here, apart from the engine that teaches snapshots. What needs markets that can be replayed asks for them with
//! two traits, [`Exchange`] and [`Shadow`]; the rest is files.
#![forbid(unsafe_code)]

pub mod backup;
pub mod companions;
pub mod deal;
pub mod engine;
pub mod fit;
pub mod flags;
pub mod ledger_parts;
pub mod once;
pub mod reshard;
pub mod trim;

pub use engine::{Exchange, Shadow};
