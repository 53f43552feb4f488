//! What a new set of logs may lack.

use std::path::Path;

use crate::shard::ShardOf;
use crate::{EngineError, Sequence, snapshot};

/// Refuses to switch to a set that lacks a log, or a snapshot without which a log has no beginning: what the set replaces
/// would be removed, and its history is nowhere else. `names` are there, or will be; `is_named` says that the switch has gone
/// too far to be taken back.
///
/// # Errors
/// [`EngineError::Unsound`], with what to do.
pub(crate) fn refuse_gap(mark: &Path, names: &[String], shards: u16, is_named: bool) -> Result<(), EngineError> {
    let gone = |shard: ShardOf| {
        let segments = names.iter().filter_map(|name| ShardOf::of_segment_name(name)).filter(|(of, _)| *of == shard);
        let needed = match segments.map(|(_, first)| first).min() {
            None => shard.file_name(),
            Some(Sequence::FIRST) => return None,
            Some(first) => snapshot::file_name(shard, first),
        };
        (!names.contains(&needed)).then_some(needed)
    };
    let Some(gone) = (0..shards).find_map(|shard| gone(ShardOf { shard, shards })) else { return Ok(()) };
    let or = if is_named { "" } else { ", or delete this file to go on with the logs before the resharding" };
    Err(EngineError::Unsound {
        path: mark.to_path_buf(),
        reason: format!(
            "a resharding to {shards} shards was interrupted, and {gone} of its new files is gone, so nothing was \
             changed: put it back, or its `.draft`{or}"
        ),
    })
}
