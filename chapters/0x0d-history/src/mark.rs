//! Marks: when some of a shard's commands came.
//!
//! Rows are sorted by time. The cursor of a reader of notices names a command, and no time. So the reader's rows are read from
//! the time of the last mark before that command. The bounds below limit how many of them are read unnecessarily: those of a
//! minute, or of a few thousand commands. Cost: a row of 19 bytes for as many commands.

use market::{Sequence, Stamp, UnixMs};

use crate::bytes::{Reader, Writer};
use crate::error::HistoryError;
use crate::key;
use crate::rows::Row;
use crate::store::Store;

/// A mark is due after so many commands.
const COMMANDS: u64 = 4_096;

/// It is due after this time as well, in milliseconds, with the next command.
const MS: u64 = 60_000;

// ANCHOR: due
/// Whether this command gets a mark, if `last` got the last one. That follows from the log alone.
pub fn is_due(last: Option<Stamp>, now: Stamp) -> bool {
    last.is_none_or(|last| {
        now.sequence.0.saturating_sub(last.sequence.0) >= COMMANDS || now.time.0.saturating_sub(last.time.0) >= MS
    })
}
// ANCHOR_END: due

/// The last mark of a shard up to a command.
///
/// # Errors
/// When the store can't be read.
pub fn last(store: &Store, shard: u16, up_to: Sequence) -> Result<Option<Stamp>, HistoryError> {
    let (first, end) = (key::mark(shard, Sequence(0)), key::mark(shard, Sequence(up_to.0.saturating_add(1))));
    let found = store.range::<UnixMs>(&first, &end).next_back().transpose()?;
    Ok(found.and_then(|(key, time)| Some(Stamp { sequence: key::sequence_of(&key)?, time })))
}

impl Row for UnixMs {
    fn encode(&self) -> Vec<u8> {
        Writer::default().put(self.0.to_le_bytes()).0
    }

    fn decode(bytes: &[u8]) -> Option<UnixMs> {
        let mut row = Reader(bytes);
        let time = UnixMs(row.u64()?);
        row.end(time)
    }
}
