//! The book as it is built and checked, and what its scripts make of records, side by side in one program: on its own each
//! part would leave a core idle for a while.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stderr, reason = "what was skipped is said to whoever runs the test")]

mod charts;
#[path = "../fixture/mod.rs"]
mod fixture;
mod guesses;
mod itself;
mod mini;
#[path = "../fixture/node.rs"]
mod node;
mod online;
mod records;
mod rules;
