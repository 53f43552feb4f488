//! Parts: where a shard's trades are cut, so that each part makes one file of columns.
//!
//! The follower decides it, command by command, and writes it with its rows. So the same log is cut at the same commands
//! whenever it is followed, and the rows say of every trade in which file it belongs.

use market::{Sequence, Stamp, UnixMs};

use crate::bytes::{Reader, Writer};
use crate::error::HistoryError;
use crate::key;
use crate::rows::Row;
use crate::store::Store;

/// Where a part begins. It ends where the next one begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its first command.
    pub first: Sequence,
    /// The time of the command before that.
    pub time: UnixMs,
    /// How many trades of the shard are before it.
    pub trades: u64,
}

impl Part {
    /// The first part of a log.
    const FIRST: Part = Part { first: Sequence::FIRST, time: UnixMs::UNKNOWN, trades: 0 };

    // ANCHOR: cut
    /// The next part, which begins after this command, up to which the shard has so many `trades`; none as long as
    /// this part has fewer than `most`.
    pub fn cut(&self, behind: Stamp, trades: u64, most: u64) -> Option<Part> {
        let is_full = trades.saturating_sub(self.trades) >= most;
        is_full.then_some(Part { first: behind.sequence.plus(1), time: behind.time, trades })
    }
    // ANCHOR_END: cut

    /// A part of a shard, if it has begun.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn numbered(store: &Store, shard: u16, number: u32) -> Result<Option<Part>, HistoryError> {
        if number == 0 { Ok(Some(Part::FIRST)) } else { store.get(&key::part(shard, number)) }
    }

    /// The last part of a shard, with its number.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn last(store: &Store, shard: u16) -> Result<(u32, Part), HistoryError> {
        let last = store.range(&key::part(shard, 0), &key::part(shard, u32::MAX)).next_back().transpose()?;
        Ok(last.map_or((0, Part::FIRST), |(key, part)| (key::number_of(&key).unwrap_or(0), part)))
    }
}

impl Row for Part {
    fn encode(&self) -> Vec<u8> {
        let numbers = [self.first.0, self.time.0, self.trades];
        numbers.iter().fold(Writer::default(), |row, number| row.put(number.to_le_bytes())).0
    }

    fn decode(bytes: &[u8]) -> Option<Part> {
        let mut row = Reader(bytes);
        let part = Part { first: Sequence(row.u64()?), time: UnixMs(row.u64()?), trades: row.u64()? };
        row.end(part)
    }
}
