//! `output/load.json`: a load of the reader's choice on a venue, as an open loop.

use serde::{Deserialize, Serialize};

use super::venue::LateRecord;
use crate::json::Record;
use crate::machine::Machine;

/// One run of `load`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadRecord {
    /// Where it ran.
    pub machine: Machine,
    /// The commit that was built, with `-dirty` when the tree had changes.
    pub commit: String,
    /// The command line that repeats the run.
    pub command: String,
    /// The engine behind the door.
    pub engine: String,
    /// Connections that asked.
    pub connections: usize,
    /// How many of a hundred requests cancelled an order.
    pub cancels: u64,
    /// For how long requests were offered.
    pub seconds: u64,
    /// Processor time of the server's process, in cores. `None` where the system does not report
    /// it.
    pub server_cores: Option<f64>,
    /// What was offered and answered, how late, and what the load itself did.
    pub late: LateRecord,
}

impl Record for LoadRecord {
    const VERB: &'static str = "load";

    fn check(&self) -> Result<(), String> {
        match self.late.achieved_per_s > 0.0 {
            true => Ok(()),
            false => Err("nothing was answered".into()),
        }
    }
}

impl LoadRecord {
    /// Whether the load itself was the limit.
    pub fn is_void(&self) -> bool {
        self.late.load.as_ref().is_some_and(|load| load.is_void)
    }
}
