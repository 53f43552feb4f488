//! A frame's header, and what a crash can leave of a frame that was not synced.
//!
//! Of such a frame any sectors may be on disk, in part: each of its bytes is there, or it is zero, or the file ends
//! before it. What is left of a command is told from a header by its first bytes and its last, whatever is missing: a
//! header begins with a length that is its count times 24, and a command whose first bytes could be a length
//! ends with zeros, where a header has its count.

use crate::Sequence;
use crate::bytes::{u32_at, u64_at};
use crate::log::{FRAME_COMMANDS_MAX, RECORD_BYTES, decode_command};

/// What a frame's header says, if its parts agree with each other.
pub(crate) struct FrameHeader {
    pub(crate) length: usize,
    pub(crate) crc: u32,
    pub(crate) first: Sequence,
}

impl FrameHeader {
    /// Reads the header at the start of `bytes`. `None` where its parts contradict each other.
    pub(crate) fn decode(bytes: &[u8]) -> Option<FrameHeader> {
        let (length, count, zero) = (u32_at(bytes, 0) as usize, u32_at(bytes, 16) as usize, u32_at(bytes, 20));
        let coherent = (1..=FRAME_COMMANDS_MAX).contains(&count) && length == count * RECORD_BYTES && zero == 0;
        coherent.then(|| FrameHeader { length, crc: u32_at(bytes, 4), first: Sequence(u64_at(bytes, 8)) })
    }
}

/// Whether a crash can have left this of the header of a frame that starts with `next`.
pub(crate) fn is_rest_of_header(bytes: &[u8; RECORD_BYTES], next: Sequence) -> bool {
    let is_rest = |at: usize, whole: &[u8]| bytes[at..].iter().zip(whole).all(|(&byte, &of)| byte == 0 || byte == of);
    let fits =
        |count: u32| is_rest(16, &count.to_le_bytes()) && is_rest(0, &(count * RECORD_BYTES as u32).to_le_bytes());
    is_rest(8, &next.0.to_le_bytes()) && is_rest(20, &[0; 4]) && (1..=FRAME_COMMANDS_MAX as u32).any(fits)
}

/// How many bytes of commands a header names whose parts do not agree: the header of the frame that starts with
/// `next`, where its number shows that it was written.
///
/// The length stands before the number, in one sector with it or with all that comes before: if the number is whole
/// and the length's first byte there, so are the others. And no single bit makes one multiple of 24 another. So the
/// length is believed first, and the count where the length is gone.
pub(crate) fn length_claimed(bytes: &[u8; RECORD_BYTES], next: Sequence) -> Option<usize> {
    if u64_at(bytes, 8) != next.0 {
        return None;
    }
    let possible = |count: usize| (1..=FRAME_COMMANDS_MAX).contains(&count).then_some(count * RECORD_BYTES);
    let length = u32_at(bytes, 0) as usize;
    let said = possible(length / RECORD_BYTES).filter(|_| length.is_multiple_of(RECORD_BYTES));
    let counted = possible(u32_at(bytes, 16) as usize);
    if bytes[0] == 0 { said.max(counted) } else { said.or(counted) }
}

/// Whether a crash can have left this of a command.
pub(crate) fn is_rest_of_command(bytes: &[u8; RECORD_BYTES]) -> bool {
    // Ids, prices and amounts may be 0; kinds, intents, outcomes and times in force are counted from 1.
    (1..=6).any(|kind| {
        let mut whole = *bytes;
        let codes = [0, 1, 2].map(|at| if bytes[at] == 0 { 1 } else { bytes[at] });
        match kind {
            4 => whole[1..3].copy_from_slice(&codes[1..]),
            6 => whole[1] = codes[1],
            _ => {}
        }
        whole[0] = if bytes[0] == 0 { kind } else { bytes[0] };
        whole[0] == kind && decode_command(&whole).is_some()
    })
}
