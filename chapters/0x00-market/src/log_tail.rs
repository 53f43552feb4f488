//! The end of a log: what follows the last whole frame, and whether a crash can have left it.
//!
//! A frame is written when everything before it is synced. So a crash leaves at most one incomplete frame, which
//! begins where the last whole one ends. It was never acknowledged, and is cut off. The log is refused if its end
//! proves that an unreadable frame was acknowledged, or could hide one that was:
//!
//! - a header that no crash leaves: when the power fails, the whole sector that is being written may be spoiled, and
//!   acknowledged frames with it; a failing disk spoils any sector;
//! - the header of another frame further on, with or without its commands, because the remains of a command never
//!   look like a header;
//! - anything behind the end that the frame's own header names, and anything further away than a frame can reach.
//!
//! Among the commands of the frame a crash and a bad disk look alike, so rot in the last frame alone is taken for a
//! crash. Only the [watermark](crate::watermark) tells them apart.
//!
//! Each byte is read once, into 60 KiB of memory, whatever the bytes are.

use std::io::{self, Read};

use crate::frame::{FrameHeader, Framing, is_rest_of_header};
use crate::log::{FRAME_COMMANDS_MAX, RECORD_BYTES, frame_crc};
use crate::log_input::Input;
use crate::{LogFile, LogId, Sequence};

/// How much is read at once; whole records.
const READ_BYTES: usize = 2_560 * RECORD_BYTES;

/// What the end of a log turned out to be.
pub(crate) enum Tail {
    /// This many bytes of a torn frame, up to the last that is not zero. The zeros after it are reserved
    /// space.
    Torn(u64),
    /// More than a crash leaves; with the reason.
    Damaged(String),
}

/// Judges the bytes from `offset` of `file` on, where the frame of command `next` should be but no whole
/// one is.
pub(crate) fn judge(file: &mut dyn LogFile, offset: u64, log: LogId, next: Sequence) -> io::Result<Tail> {
    let mut input = Input { file, at: offset };
    let mut bytes = Vec::with_capacity(READ_BYTES);
    let mut judge = Judge { log, framing: Framing::of(log), next, slot: 0, used: 0, slots_max: 0, suspect: None };
    loop {
        bytes.clear();
        input.by_ref().take(READ_BYTES as u64).read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            return Ok(Tail::Torn(judge.used));
        }
        // Beyond the end of the file counts as zeros, as in reserved space.
        bytes.resize(bytes.len().next_multiple_of(RECORD_BYTES), 0);
        for record in bytes.as_chunks().0 {
            if let Err(damage) = judge.see(record) {
                return Ok(Tail::Damaged(damage));
            }
        }
    }
}

/// What is known after some of the records.
struct Judge {
    log: LogId,
    framing: Framing,
    next: Sequence,
    /// How many records there were.
    slot: u64,
    /// How many bytes, up to the last that is not zero.
    used: u64,
    /// How many records the torn frame has at most, including its header.
    slots_max: u64,
    suspect: Option<Suspect>,
}

impl Judge {
    /// Takes the next record into account. The error describes the damage.
    fn see(&mut self, record: &[u8; RECORD_BYTES]) -> Result<(), String> {
        let slot = self.slot;
        self.slot += 1;
        // Most of a long tail is reserved space.
        if *record == [0; RECORD_BYTES] && slot > 0 && self.suspect.is_none() {
            return Ok(());
        }
        let header = FrameHeader::decode(record, self.framing);
        match &header {
            _ if slot == 0 => self.see_own_header(header.as_ref(), record)?,
            Some(header) => self.see_other_header(slot, header, record)?,
            None => self.see_command(record)?,
        }
        let Some(last) = record.iter().rposition(|&byte| byte != 0) else { return Ok(()) };
        self.used = slot * RECORD_BYTES as u64 + last as u64 + 1;
        if slot >= self.slots_max {
            return Err("there are bytes beyond where the frame can end".into());
        }
        Ok(())
    }

    /// The frame's own header says where it ends.
    fn see_own_header(&mut self, header: Option<&FrameHeader>, record: &[u8; RECORD_BYTES]) -> Result<(), String> {
        if !is_rest_of_header(record, self.next, self.framing) {
            return Err("no crash leaves such a header".into());
        }
        let named = header.filter(|header| header.names_its_end(self.framing));
        self.slots_max = 1 + named.map_or(FRAME_COMMANDS_MAX, |header| header.length / RECORD_BYTES) as u64;
        Ok(())
    }

    /// Any other header belongs to an acknowledged frame, if its number is possible here, or else if its checksum
    /// is right.
    fn see_other_header(&mut self, slot: u64, header: &FrameHeader, record: &[u8; RECORD_BYTES]) -> Result<(), String> {
        // Frames hold no headers: something with a header inside it was not a frame.
        self.suspect = match header.first.0.checked_sub(self.next.0) {
            None => None,
            Some(ahead) if ahead <= slot => return Err(format!("a frame with command {} follows", header.first)),
            Some(_) => Some(Suspect::new(header, record, self.log)),
        };
        Ok(())
    }

    fn see_command(&mut self, record: &[u8; RECORD_BYTES]) -> Result<(), String> {
        let Some(suspect) = &mut self.suspect else { return Ok(()) };
        suspect.crc = crc32c::crc32c_append(suspect.crc, record);
        suspect.missing -= 1;
        if suspect.missing > 0 {
            return Ok(());
        }
        let (is_whole, first) = (suspect.crc == suspect.crc_said, suspect.first);
        self.suspect = None;
        if is_whole { Err(format!("a whole frame with command {first} follows")) } else { Ok(()) }
    }
}

/// What may be a frame, with a number that is impossible at this place: bytes before it may be
/// missing.
struct Suspect {
    first: Sequence,
    /// How many of its commands are still to come.
    missing: usize,
    /// The checksum over the part read so far.
    crc: u32,
    /// The checksum that it should have at its end.
    crc_said: u32,
}

impl Suspect {
    fn new(header: &FrameHeader, record: &[u8; RECORD_BYTES], log: LogId) -> Suspect {
        let (first, missing) = (header.first, header.length / RECORD_BYTES);
        Suspect { first, missing, crc: frame_crc(record, log), crc_said: header.crc }
    }
}
