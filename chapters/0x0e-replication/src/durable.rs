//! When a frame counts as durable.

use clap::ValueEnum;

/// How many frames the stream may be behind in `local`, before the disk waits for it.
pub const BEHIND_MAX: u64 = 1_024;

/// When a frame counts as durable, and its commands are acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Durable {
    /// This machine's disk and a majority of the stream's servers have it
    Both,
    /// A majority of the stream's servers have it; this machine's disk follows later
    Majority,
    /// This machine's disk has it; the stream follows, and what it does not have yet is lost with the machine
    Local,
}
