//! The contract's tests, written once: whatever an engine does for speed, these check what it must still do.
//!
//! A chapter's `tests/contract.rs` is one line that names the chapter ([`contract!`]); the tests know its engine only
//! as an [`Engine`](market::Engine). They ask:
//!
//! - Are its answers the model's ([`differential`], [`snapshots`]), and does a stopwatch miss none of them
//!   ([`measuring`])?
//! - Is a log that was cut or damaged recovered as promised, or refused with an error ([`crash`], [`damage`],
//!   [`logs`], [`opening`], [`segments`], [`versions`], [`watermarks`])?
//! - What does the engine report to the program that runs it ([`times`])?
//! - Does every promise hold on a disk that loses, tears and refuses ([`failing`], [`reading`], [`stopping`],
//!   [`simulation`], on the simulated disk of [`sim_disk`])?
//!
//! The chapter's program has to answer the last question as well, on the real system ([`program`]) and on every state
//! that a crash may leave of its files ([`traced`]), and its output is compared with files ([`words`]). Whatever
//! takes bytes from outside is also tested with arbitrary input ([`fuzz`]).
//!
//! With one shard the whole stream of events is compared; with more, each market's own stream, because the order
//! between markets of different shards is not part of the contract.

#![forbid(unsafe_code)]
// These are tests: an `unwrap` here is an assertion, and what is printed is for runs with `--nocapture`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

pub mod aftermath;
pub mod by_hand;
pub mod counted;
pub mod crash;
pub mod damage;
pub mod decay;
pub mod differential;
pub mod failing;
pub mod faults;
pub mod fixture;
pub mod folder;
mod frames;
pub mod fuzz;
mod fuzz_snapshot;
pub mod harness;
mod list;
mod lives;
pub mod logs;
pub mod measuring;
pub mod opening;
pub mod oracle;
pub mod program;
pub mod reading;
pub mod segments;
pub mod sim_disk;
mod sim_file;
mod sim_world;
pub mod simulation;
pub mod snapshots;
pub mod stopping;
pub mod streams;
pub mod through;
pub mod times;
pub mod trace;
pub mod traced;
pub mod turns;
pub mod versions;
pub mod watermarks;
pub mod words;

pub use ::program::rounds::Rounds;
pub use faults::Faults;
pub use runner::{Chapter, has_flag};
pub use sim_disk::SimDisk;
pub use simulation::simulate;
