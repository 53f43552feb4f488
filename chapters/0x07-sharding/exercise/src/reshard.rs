//! Resharding: rewriting the logs of a data directory for another number of shards.
//!
//! The order of the commands of a market is kept, and no other order means anything. It is safe to
//! cut short anywhere: the new logs are complete and read back before the first old one goes, shard 0's log
//! is named last and removed first, and a directory with two complete sets opens only after this was run again.

use std::path::Path;

use market::{Disk, EngineError};

/// Rewrites the logs in `data_dir` for `shards` shards, and says what was done.
///
/// # Errors
/// When there is no log, when a log can't be trusted, or the disk can't be written.
pub fn reshard(_disk: &dyn Disk, _data_dir: &Path, _shards: u16) -> Result<String, EngineError> {
    todo!("step 3: resharding; `market::log_set` reads and writes a whole set of logs")
}
