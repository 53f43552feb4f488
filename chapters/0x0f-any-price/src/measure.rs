//! What `cargo run --release` does: runs all engines over all flows, in turn, and compares their events.
//!
//! A round runs every engine once over a flow, so that a slowdown of the machine affects all of them. There are two
//! kinds of passes: one without a clock inside, for messages per second, and one that reads it around each message, for
//! the kinds of message and the longest single one. An engine's events are combined into a digest; if two digests
//! differ the program stops, because an engine that does less work would win.

pub mod args;
pub mod classic;
pub mod contestant;
pub mod lines;
pub mod run;
pub mod table;
pub mod timed;
