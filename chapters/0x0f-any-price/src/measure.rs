//! What `cargo run --release` does: all engines over all flows, in turn, with their answers compared.
//!
//! A round runs every engine once over a flow, so that a machine that gets slower gets slower for all. Two kinds of
//! passes: one without a clock inside, for messages a second, and one that reads it around each message, for the
//! kinds of message and the longest single one. An engine's answers are summed up in a digest; where two differ, the
//! program stops: who does less would win.

pub mod args;
pub mod classic;
pub mod contestant;
pub mod lines;
pub mod run;
pub mod table;
pub mod timed;
