//! What stands in a stream: frames of the log, byte for byte, and the beginnings of epochs.
//!
//! ```text
//! frames = frames as they are in the log, from the `F` of the first to the last command of the last; at least one
//! epoch  = magic (8) · epoch u64 · the log's header (48) · length u32 · CRC-32C u32 · the primary's name
//! ```
//!
//! Frames that wait while a message is under way share the next one. A frame needs nothing around it: it has its sequence, and its
//! checksum is seeded with the log's identity. An epoch's number is the place in the stream at which its message stands, so no two
//! epochs have the same, and each is above the one before. The checksum of an epoch covers everything else in it, and is seeded
//! with the identity too.

use std::path::Path;

use market::LogId;
use market::log::{FRAME_COMMANDS_MAX, HEADER_BYTES, LogHeader, RECORD_BYTES};

/// The first bytes of an epoch. No frame begins like this: a frame begins with an `F`.
const MAGIC: [u8; 8] = *b"99EPOCH\n";

/// How many bytes come before the name.
const FIXED: usize = 16 + HEADER_BYTES + 8;

/// The longest name of a primary, in bytes.
pub const NAME_MAX: usize = 64;

/// How many bytes of frames a message takes; one frame may be longer. The servers take eight times as much.
const FRAMES_BYTES: usize = 1 << 20;

/// The longest message, in bytes: a frame with as many commands as it may have, and what the client says with it.
pub const MESSAGE_MAX: usize = RECORD_BYTES * (1 + FRAME_COMMANDS_MAX) + 1_024;

/// Whether a message of so many bytes has room for one more frame of so many.
pub fn has_room(message: usize, frame: usize) -> bool {
    message == 0 || message + frame <= FRAMES_BYTES
}

/// From here on, a primary is the only one that appends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Epoch {
    /// Its number: the place of its message in the stream.
    pub number: u64,
    /// The header of the log that all frames belong to.
    pub header: LogHeader,
    /// The primary's name, for people. At most [`NAME_MAX`] bytes.
    pub name: String,
}

impl Epoch {
    /// The message.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FIXED + self.name.len());
        bytes.extend(MAGIC);
        bytes.extend(self.number.to_le_bytes());
        bytes.extend(self.header.encode());
        bytes.extend((self.name.len() as u32).to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(self.name.as_bytes());
        let crc = checksum(&bytes, self.header.id);
        bytes[FIXED - 4..FIXED].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Whether a message means to be an epoch.
    pub fn is_one(message: &[u8]) -> bool {
        message.starts_with(&MAGIC)
    }

    /// Reads a message. The error says what is wrong with it.
    ///
    /// # Errors
    /// When it is no epoch, or a damaged one.
    pub fn decode(message: &[u8]) -> Result<Epoch, String> {
        let damaged = || "it begins like an epoch, but it is damaged".to_owned();
        let (fixed, name) = message.split_at_checked(FIXED).ok_or_else(damaged)?;
        if !Epoch::is_one(message) {
            return Err("it does not begin an epoch".into());
        }
        let header = LogHeader::decode(&fixed[16..16 + HEADER_BYTES], Path::new("epoch")).map_err(|_| damaged())?;
        let number = fixed[8..].first_chunk().map_or(0, |number| u64::from_le_bytes(*number));
        let [length, crc] =
            [FIXED - 8, FIXED - 4].map(|at| fixed[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)));
        let name = str::from_utf8(name).map_err(|_| damaged())?.to_owned();
        let is_sound = checksum(message, header.id) == crc && length as usize == name.len();
        (is_sound && name.len() <= NAME_MAX).then_some(Epoch { number, header, name }).ok_or_else(damaged)
    }
}

/// The checksum of an epoch, which leaves out the four bytes in which it stands.
fn checksum(message: &[u8], log: LogId) -> u32 {
    let seed = crc32c::crc32c(&log.0.to_le_bytes());
    crc32c::crc32c_append(crc32c::crc32c_append(seed, &message[..FIXED - 4]), &message[FIXED..])
}

#[cfg(test)]
mod tests {
    use market::log::ShardOf;

    use super::*;

    fn epoch() -> Epoch {
        Epoch { number: 7, header: LogHeader::new(ShardOf::ONLY, LogId(42)), name: "ann".into() }
    }

    #[test]
    fn an_epoch_reads_back() {
        assert_eq!(Epoch::decode(&epoch().encode()), Ok(epoch()));
    }

    #[test]
    fn a_changed_bit_and_a_missing_byte_are_noticed() {
        let whole = epoch().encode();
        for bit in 0..8 * whole.len() {
            let mut changed = whole.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(Epoch::decode(&changed).is_err(), "bit {bit}");
        }
        for length in 0..whole.len() {
            assert!(Epoch::decode(&whole[..length]).is_err(), "{length} bytes");
        }
    }
}
