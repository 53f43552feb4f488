//! A frame's header, and what a crash can leave of a frame that was not synced.
//!
//! Of such a frame any sectors may be on disk, in part: each of its bytes is there, or it is zero, or the file ends
//! before it. A sector may be missing its beginning or its end; between two bytes that were written, everything was
//! written.
//!
//! The remains of a command never look like a header, whatever is missing: a header begins with an `F`, a command
//! with 1 to 6, and a missing byte is 0.

use crate::bytes::{u32_at, u64_at};
use crate::clock::{Stamp, UnixMs};
use crate::ids::{LogId, Sequence};
use crate::record::{FRAME_COMMANDS_MAX, RECORD_BYTES};

/// The first byte of a frame.
const MARK: u8 = b'F';

/// How a version of the log writes frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Framing {
    /// A header with a length and a count, and no time.
    Version1,
    /// The current version.
    Version2,
}

impl Framing {
    /// The framing of a log with this identity.
    pub(crate) fn of(log: LogId) -> Framing {
        if log == LogId::NONE { Framing::Version1 } else { Framing::Version2 }
    }
}

/// A frame's header, if its parts are consistent.
pub(crate) struct FrameHeader {
    /// The size of the commands, in bytes.
    pub(crate) length: usize,
    pub(crate) crc: u32,
    pub(crate) first: Sequence,
    pub(crate) time: UnixMs,
}

impl FrameHeader {
    /// Reads the header at the start of `bytes`. `None` where its parts contradict each other.
    pub(crate) fn decode(bytes: &[u8], framing: Framing) -> Option<FrameHeader> {
        let (start, crc, first) = (u32_at(bytes, 0), u32_at(bytes, 4), Sequence(u64_at(bytes, 8)));
        let (length, time) = match framing {
            Framing::Version1 => (start as usize, UnixMs::UNKNOWN),
            Framing::Version2 => ((start >> 8) as usize, UnixMs(u64_at(bytes, 16))),
        };
        let agrees = match framing {
            Framing::Version1 => u64_at(bytes, 16) == (length / RECORD_BYTES) as u64,
            Framing::Version2 => bytes[0] == MARK,
        };
        let possible =
            length.is_multiple_of(RECORD_BYTES) && (1..=FRAME_COMMANDS_MAX).contains(&(length / RECORD_BYTES));
        (agrees && possible).then_some(FrameHeader { length, crc, first, time })
    }

    /// Whether the header was written up to its checksum, so that its length can be trusted.
    pub(crate) fn names_its_end(&self, framing: Framing) -> bool {
        framing == Framing::Version1 || self.crc != 0
    }
}

/// The first four bytes of a frame with so many bytes of commands.
fn start_of(length: usize, framing: Framing) -> [u8; 4] {
    let length = (length as u32).to_le_bytes();
    match framing {
        Framing::Version1 => length,
        Framing::Version2 => [MARK, length[0], length[1], length[2]],
    }
}

/// Whether a crash can leave these bytes of the header of a frame that starts with `next`.
pub(crate) fn is_rest_of_header(bytes: &[u8; RECORD_BYTES], next: Sequence, framing: Framing) -> bool {
    let is_rest = |at: usize, whole: &[u8]| bytes[at..].iter().zip(whole).all(|(&byte, &of)| byte == 0 || byte == of);
    let fits = |count: usize| {
        let counted = framing == Framing::Version2 || is_rest(16, &(count as u64).to_le_bytes());
        counted && is_rest(0, &start_of(count * RECORD_BYTES, framing))
    };
    // The length stands between the mark and the checksum.
    let length_came = framing == Framing::Version2 && bytes[0] == MARK && u32_at(bytes, 4) != 0;
    is_rest(8, &next.0.to_le_bytes())
        && if length_came { FrameHeader::decode(bytes, framing).is_some() } else { (1..=FRAME_COMMANDS_MAX).any(fits) }
}

/// Writes a frame's header into the first [`RECORD_BYTES`] of `frame`; the commands follow them.
///
/// # Panics
/// When `frame` is not a header and 1 to [`FRAME_COMMANDS_MAX`] records. Engines only seal frames
/// that they have filled.
pub fn seal_frame(frame: &mut [u8], log: LogId, first: Stamp) {
    let length = frame.len() - RECORD_BYTES;
    assert!(length.is_multiple_of(RECORD_BYTES) && (1..=FRAME_COMMANDS_MAX).contains(&(length / RECORD_BYTES)));
    frame[0..4].copy_from_slice(&start_of(length, Framing::Version2));
    frame[8..16].copy_from_slice(&first.sequence.0.to_le_bytes());
    frame[16..24].copy_from_slice(&first.time.0.to_le_bytes());
    let crc = frame_crc(frame, log);
    frame[4..8].copy_from_slice(&crc.to_le_bytes());
}

/// What the header of a sealed frame says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SealedFrame {
    /// The number and the time of its first command.
    pub first: Stamp,
    /// How many commands it has.
    pub commands: u64,
    /// Its checksum.
    pub crc: u32,
}

impl SealedFrame {
    /// Reads the header of `bytes`; `None` if they are anything else than one whole frame. The checksum is not checked.
    pub fn of(bytes: &[u8]) -> Option<SealedFrame> {
        SealedFrame::split_first(bytes).filter(|(.., rest)| rest.is_empty()).map(|(frame, ..)| frame)
    }

    /// Splits `bytes` behind the whole frame that they begin with, and reads its header; `None` if they begin with
    /// anything else. The checksum is not checked.
    pub fn split_first(bytes: &[u8]) -> Option<(SealedFrame, &[u8], &[u8])> {
        let header = bytes.first_chunk::<RECORD_BYTES>()?;
        let FrameHeader { length, crc, first, time } = FrameHeader::decode(header, Framing::Version2)?;
        let (frame, rest) = bytes.split_at_checked(RECORD_BYTES + length)?;
        let (first, commands) = (Stamp { sequence: first, time }, (length / RECORD_BYTES) as u64);
        Some((SealedFrame { first, commands, crc }, frame, rest))
    }
}

/// The checksum of a whole frame of a log. It leaves out its own four bytes.
pub fn frame_crc(frame: &[u8], log: LogId) -> u32 {
    let seed = if log == LogId::NONE { 0 } else { crc32c::crc32c(&log.0.to_le_bytes()) };
    crc32c::crc32c_append(crc32c::crc32c_append(seed, &frame[..4]), &frame[8..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;
    use crate::ids::MarketId;
    use crate::log::{LogHeader, encode_log};
    use crate::shard::ShardOf;

    #[test]
    fn a_sealed_frame_is_read_when_it_is_whole_and_alone() {
        let header = LogHeader::new(ShardOf::ONLY, LogId(7));
        let commands = [1, 2, 3].map(|market| Command::Open { market: MarketId(market) });
        let log = encode_log(&header, UnixMs(5), &commands);
        let frame = &log[log.len() - 4 * RECORD_BYTES..];
        let first = Stamp { sequence: Sequence(1), time: UnixMs(5) };
        assert_eq!(SealedFrame::of(frame), Some(SealedFrame { first, commands: 3, crc: frame_crc(frame, LogId(7)) }));
        assert_eq!(SealedFrame::of(&[frame, frame].concat()), None, "two frames");
        for other in [&frame[..frame.len() - 1], &frame[..RECORD_BYTES], &frame[RECORD_BYTES..], &[0; 96], &log, &[]] {
            assert_eq!(SealedFrame::of(other), None, "{} bytes", other.len());
        }
    }
}
