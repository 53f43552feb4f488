//! Resharding: rewriting the logs of a data directory for another number of shards.
//!
//! The order of a market's commands is kept; no other order means anything. It can be interrupted anywhere: the
//! new logs are complete and read back before the first old one is removed, shard 0's log is named last and
//! removed first, and a directory with two complete sets opens only after this has run again.

use std::path::Path;

use market::{Disk, EngineError};

/// Rewrites the logs in `data_dir` for `shards` shards, and returns a report.
///
/// # Errors
/// When there is no log, when a log can't be trusted, or the disk can't be written.
pub fn reshard(_disk: &dyn Disk, _data_dir: &Path, _shards: u16) -> Result<String, EngineError> {
    todo!("step 3: resharding; `market::log_set` reads and writes a whole set of logs")
}
