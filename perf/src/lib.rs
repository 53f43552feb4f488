//! The measuring tool's subcommands, as a library so that tests can use them: each module is a subcommand, or shared
//! by several. What they write and draw is in the crate `results`.
#![forbid(unsafe_code)]

pub mod command;
pub mod compare;
pub mod disks;
pub mod exercise;
pub mod feed;
pub mod flame;
pub mod flow_args;
pub mod generate;
pub mod git;
pub mod guard;
mod handed_on;
pub mod history_of_figures;
pub mod lab;
pub mod ladder;
pub mod latency;
pub mod mutants;
pub mod race;
pub mod recover;
pub mod scale;
pub mod sweep;
pub mod venue;
pub mod verify;
