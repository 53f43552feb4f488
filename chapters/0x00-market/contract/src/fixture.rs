//! Logs made by hand: the format's own writer, with frames of any size and reserved space behind
//! them, so that every engine is tested on logs that other engines would write.

use std::io;
use std::sync::Arc;

use crate::streams::Random;
use crate::through::{Meddle, Through};
use market::log::{HEADER_BYTES, LogHeader, RECORD_BYTES, ShardOf, encode_command, frame_crc, seal_frame};
use market::{Command, Disk, LogFile, LogId, RealDisk, Stamp, UnixMs};

/// The header of a log of version 1, of the only shard: magic, version, shard, shards, checksum, zero.
pub const HEADER_1: [u8; RECORD_BYTES] = *b"99CENTS\n\x01\0\0\0\0\0\x01\0\x51\xb2\x25\x67\0\0\0\0";

/// The time of the first frame of a log made by hand. The clock of engines in tests stands still at this
/// time.
pub const TIME: UnixMs = UnixMs(1_700_000_000_000);

/// The header of a log made by hand: each shard's header has its own identity.
pub fn header(shard: ShardOf) -> LogHeader {
    LogHeader::new(shard, LogId(0x99 + u64::from(shard.shard)))
}

/// Real files without the wait for the disk. A test that only reads back what it wrote does not need the
/// wait, because the machine does not lose power.
pub fn unsynced_disk() -> impl Disk + Clone {
    Through::new(Arc::new(RealDisk), Unsynced)
}

#[derive(Clone)]
struct Unsynced;

impl Meddle for Unsynced {
    fn sync(&self, _: &mut dyn LogFile) -> io::Result<()> {
        Ok(())
    }
}

/// How a log's commands are divided into frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Framing {
    /// One command a frame, as 0x01 writes.
    One,
    /// This many, as group commit writes under load.
    Many(usize),
    /// Between one and this many, at random.
    Mixed(usize),
}

/// A log and where its frames are.
pub struct Fixture {
    /// The log's identity; `None` for a log of version 1.
    pub id: LogId,
    /// The file's contents.
    pub bytes: Vec<u8>,
    /// Its frames in order.
    pub frames: Vec<Frame>,
}

/// Where a frame is and what it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Its first byte in the file.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
    /// How many commands come before it.
    pub before: usize,
    /// How many commands the log has up to its end.
    pub after: usize,
}

impl Fixture {
    /// The log of these commands.
    pub fn new(commands: &[Command], framing: Framing, shard: ShardOf) -> Fixture {
        let header = header(shard);
        Fixture { id: header.id, bytes: header.encode().to_vec(), frames: Vec::new() }.filled(commands, framing)
    }

    /// The log of these commands in version 1, of the only shard. Logs of version 1 have no identity.
    pub fn version_1(commands: &[Command], framing: Framing) -> Fixture {
        Fixture { id: LogId::NONE, bytes: HEADER_1.to_vec(), frames: Vec::new() }.filled(commands, framing)
    }

    fn filled(mut self, commands: &[Command], framing: Framing) -> Fixture {
        let mut random = Random::new(commands.len() as u64);
        let mut rest = commands;
        while !rest.is_empty() {
            let count = match framing {
                Framing::One => 1,
                Framing::Many(count) => count,
                Framing::Mixed(most) => 1 + random.below(most as u64) as usize,
            };
            let (frame, later) = rest.split_at(count.min(rest.len()));
            self.push(frame);
            rest = later;
        }
        self
    }

    fn push(&mut self, commands: &[Command]) {
        let (start, before) = (self.bytes.len(), self.commands());
        self.bytes.resize(start + RECORD_BYTES, 0);
        commands.iter().for_each(|command| self.bytes.extend(encode_command(command)));
        let first = Stamp { sequence: header(ShardOf::ONLY).first.plus(before as u64), time: TIME };
        match self.id {
            LogId::NONE => seal_version_1(&mut self.bytes[start..], first, commands.len()),
            id => seal_frame(&mut self.bytes[start..], id, first),
        }
        self.frames.push(Frame { start, end: self.bytes.len(), before, after: before + commands.len() });
    }

    /// The same log with `length` zeros behind it: space that was reserved for later.
    pub fn reserved(mut self, length: usize) -> Fixture {
        self.bytes.resize(self.bytes.len() + length, 0);
        self
    }

    /// How many commands there are.
    pub fn commands(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.after)
    }

    /// Where the last frame ends.
    pub fn end(&self) -> usize {
        self.frames.last().map_or(self.header_bytes(), |frame| frame.end)
    }

    /// How long its header is, in bytes.
    pub fn header_bytes(&self) -> usize {
        if self.id == LogId::NONE { RECORD_BYTES } else { HEADER_BYTES }
    }

    /// How many commands are in the frames that are still whole at the beginning of `bytes`, a copy of the
    /// log.
    pub fn commands_in(&self, bytes: &[u8]) -> usize {
        let whole = |frame: &&Frame| bytes.get(frame.start..frame.end) == Some(&self.bytes[frame.start..frame.end]);
        self.frames.iter().take_while(whole).last().map_or(0, |frame| frame.after)
    }

    /// The frame that holds this byte, if one does.
    pub fn frame_at(&self, byte: usize) -> Option<Frame> {
        self.frames.iter().copied().find(|frame| (frame.start..frame.end).contains(&byte))
    }
}

/// Writes a header of version 1 into the first record of a frame.
fn seal_version_1(frame: &mut [u8], first: Stamp, count: usize) {
    let length = (count * RECORD_BYTES) as u32;
    frame[..4].copy_from_slice(&length.to_le_bytes());
    frame[8..16].copy_from_slice(&first.sequence.0.to_le_bytes());
    frame[16..20].copy_from_slice(&(count as u32).to_le_bytes());
    let crc = frame_crc(frame, LogId::NONE);
    frame[4..8].copy_from_slice(&crc.to_le_bytes());
}
