//! A cursor: how far a reader has come, in each shard's log.
//!
//! ```text
//! 5f3a9c01.130.2            the logs' identity, then sequence and index of the last event that was read
//! 5f3a9c01.130.2-77.0       the same of two shards
//! ```
//!
//! The identity is made of those of all logs, so a cursor of another venue, or of logs that were resharded since, is named
//! and refused. A place that the log has not reached yet is refused too: the client has it from elsewhere.

use std::fmt;

use market::{LogId, Sequence};

use super::place::Place;

/// How far a reader has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cursor {
    /// Of all logs.
    pub logs: u32,
    /// The last event that was read of each shard.
    pub at: Vec<Place>,
}

/// Why a text is not a cursor here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// It has another form.
    Form,
    /// It is of other logs, or of another number of shards.
    OtherLogs,
    /// It names events that did not happen yet.
    Future,
}

impl Wrong {
    /// What is wrong, in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Wrong::Form => "A cursor is the id of a notice, exactly as the venue sent it.",
            Wrong::OtherLogs => {
                "This cursor belongs to other logs: to another venue's, or to this venue's before it was resharded."
            }
            Wrong::Future => "This cursor names events that have not happened yet.",
        }
    }
}

/// The identity of all logs of a venue together.
pub fn identity(logs: impl Iterator<Item = LogId>) -> u32 {
    let mixed = logs.fold(0x9e37_79b9_7f4a_7c15_u64, |mixed, LogId(log)| {
        (mixed ^ log).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(29)
    });
    (mixed >> 32) as u32 ^ mixed as u32
}

impl Cursor {
    /// Reads a cursor for these logs, which have come to `ends`.
    ///
    /// # Errors
    /// Why it is not one.
    pub fn read(text: &str, logs: u32, ends: &[Place]) -> Result<Cursor, Wrong> {
        let (identity, places) = text.split_once('.').ok_or(Wrong::Form)?;
        let is_hexadecimal = identity.len() == 8 && identity.bytes().all(|byte| byte.is_ascii_hexdigit());
        let identity = u32::from_str_radix(identity, 16).ok().filter(|_| is_hexadecimal).ok_or(Wrong::Form)?;
        // A venue has at most 256 shards; more is not even looked at.
        let at: Option<Vec<Place>> = places.split('-').take(257).map(place).collect();
        let at = at.ok_or(Wrong::Form)?;
        if identity != logs || at.len() != ends.len() {
            return Err(Wrong::OtherLogs);
        }
        if at.iter().zip(ends).any(|(at, end)| at.sequence > end.sequence) {
            return Err(Wrong::Future);
        }
        Ok(Cursor { logs, at })
    }
}

fn place(text: &str) -> Option<Place> {
    let (sequence, index) = text.split_once('.')?;
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let sequence = Some(sequence).filter(|text| is_digits(text))?.parse().ok()?;
    let index = Some(index).filter(|text| is_digits(text))?.parse().ok()?;
    Some(Place { sequence: Sequence(sequence), index })
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.logs)?;
        for (shard, Place { sequence, index }) in self.at.iter().enumerate() {
            let separator = if shard == 0 { '.' } else { '-' };
            write!(f, "{separator}{sequence}.{index}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(sequence: u64, index: u32) -> Place {
        Place { sequence: Sequence(sequence), index }
    }

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        for places in [vec![at(0, 0)], vec![at(130, 2)], vec![at(130, 2), at(u64::MAX, u32::MAX), at(1, 0)]] {
            let cursor = Cursor { logs: 0x00c0_ffee, at: places.clone() };
            let ends = vec![at(u64::MAX, 0); places.len()];
            assert_eq!(Cursor::read(&cursor.to_string(), cursor.logs, &ends), Ok(cursor));
        }
    }

    #[test]
    fn what_is_no_cursor_here_is_named() {
        let read = |text: &str| Cursor::read(text, 0x5f3a_9c01, &[at(130, 0)]).err();
        for wrong in
            ["", "5f3a9c01", "5f3a9c01.", "5f3a9c01.1", "5f3a9c01.1.", "5f3a9c01.+1.0", "+f3a9c01.1.0", "x.1.0"]
        {
            assert_eq!(read(wrong), Some(Wrong::Form), "{wrong}");
        }
        assert_eq!(read(&format!("5f3a9c01.{}", "1.0-".repeat(100_000))), Some(Wrong::OtherLogs));
        assert_eq!(read("5f3a9c02.1.0"), Some(Wrong::OtherLogs));
        assert_eq!(read("5f3a9c01.1.0-1.0"), Some(Wrong::OtherLogs));
        assert_eq!(read("5f3a9c01.131.0"), Some(Wrong::Future));
        assert_eq!(read("5f3a9c01.18446744073709551616.0"), Some(Wrong::Form), "no number has as many digits");
        assert_eq!(read("5f3a9c01.130.7"), None);
    }
}
