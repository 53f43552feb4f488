//! Where an event stands, in a form that sorts: by time, then by shard, command and event.
//!
//! A cursor is a place as text. Rows that are added later stand at later places of their shard, so a page that continues from a
//! cursor is the same page whenever it is asked for.

use std::fmt;

use market::{Sequence, UnixMs};

/// Where an event stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    /// The time of the command's frame.
    pub time: UnixMs,
    /// The shard.
    pub shard: u16,
    /// The command.
    pub sequence: Sequence,
    /// Which of the command's events it is, from 0.
    pub index: u32,
}

impl Place {
    /// The bytes of a place in a key.
    pub const BYTES: usize = 22;

    /// The first place of a millisecond.
    pub fn from(time: UnixMs) -> Place {
        Place { time, ..Place::default() }
    }

    /// Bytes that sort as places do.
    pub fn encode(self) -> [u8; Place::BYTES] {
        todo!("step 1: encode")
    }

    /// Reads what [`encode`](Place::encode) wrote.
    pub fn decode(_bytes: &[u8; Place::BYTES]) -> Place {
        todo!("step 1: decode")
    }

    /// Reads a cursor: `time.shard.sequence.index`.
    pub fn read(text: &str) -> Option<Place> {
        let mut parts = text.split('.');
        let mut next = || parts.next().filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
        let place = Place {
            time: UnixMs(next()?.parse().ok()?),
            shard: next()?.parse().ok()?,
            sequence: Sequence(next()?.parse().ok()?),
            index: next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(place)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { time, shard, sequence, index } = self;
        write!(f, "{}.{shard}.{sequence}.{index}", time.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(time: u64, shard: u16, sequence: u64, index: u32) -> Place {
        Place { time: UnixMs(time), shard, sequence: Sequence(sequence), index }
    }

    #[test]
    fn bytes_sort_as_places_do_and_are_read_back() {
        let places = [
            place(0, 0, 0, 0),
            place(0, 0, 0, 255),
            place(0, 0, 256, 1),
            place(0, 1, 1, 0),
            place(256, 0, 1, 0),
            place(u64::MAX, u16::MAX, u64::MAX, u32::MAX),
        ];
        assert!(places.is_sorted() && places.map(Place::encode).is_sorted());
        for place in places {
            assert_eq!(Place::decode(&place.encode()), place);
            assert_eq!(Place::read(&place.to_string()), Some(place));
        }
    }

    #[test]
    fn what_is_no_cursor_is_none() {
        for wrong in [
            "",
            "1",
            "1.2.3",
            "1.2.3.4.5",
            "1.2.3.",
            "1.65536.3.4",
            "+1.2.3.4",
            "1.2.3.-4",
            "99999999999999999999.0.1.0",
        ] {
            assert_eq!(Place::read(wrong), None, "{wrong}");
        }
    }
}
