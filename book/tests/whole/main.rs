//! The book as it is built and checked, and what its scripts make of records, in parallel in one program: separately
//! each part would leave a core idle for a while.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]
#![allow(clippy::print_stderr, reason = "the person who runs the test sees what was skipped")]

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
