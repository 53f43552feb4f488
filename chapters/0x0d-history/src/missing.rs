//! Commands without rows.

use market::{Sequence, UnixMs};

use crate::bytes::{Reader, Writer};
use crate::rows::Row;

/// Commands whose rows can't be had, because the log was trimmed before they were derived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The first command.
    pub first: Sequence,
    /// The last.
    pub last: Sequence,
    /// The time before the first.
    pub from: UnixMs,
    /// The time of the last.
    pub to: UnixMs,
}

impl Row for Missing {
    fn encode(&self) -> Vec<u8> {
        let numbers = [self.first.0, self.last.0, self.from.0, self.to.0];
        numbers.iter().fold(Writer::default(), |row, number| row.put(number.to_le_bytes())).0
    }

    fn decode(bytes: &[u8]) -> Option<Missing> {
        let mut row = Reader(bytes);
        let (first, last) = (Sequence(row.u64()?), Sequence(row.u64()?));
        let (from, to) = (UnixMs(row.u64()?), UnixMs(row.u64()?));
        row.end(Missing { first, last, from, to })
    }
}
