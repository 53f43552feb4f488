//! What the charts read of `output/replicas.json`, which 0x0e's `measure` writes: a sync and an append, by the size of
//! the frame. The rest of the file is ignored.

use serde::{Deserialize, Serialize};

use crate::json::Record;
use crate::machine::Machine;

/// One run, as far as the charts need it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplicasRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built.
    pub commit: String,
    /// One entry for each size, the smallest first.
    pub sizes: Vec<FrameSizeRecord>,
}

impl Record for ReplicasRecord {
    const VERB: &'static str = "replicas";
}

/// How long a frame of one size takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameSizeRecord {
    /// Bytes in the frame.
    pub bytes: u64,
    /// A sync to one disk, in nanoseconds.
    pub sync_p50_ns: f64,
    /// The same of one in a hundred.
    pub sync_p99_ns: f64,
    /// An append that a majority of the servers has synced, in nanoseconds.
    pub append_p50_ns: f64,
    /// The same of one in a hundred.
    pub append_p99_ns: f64,
}
