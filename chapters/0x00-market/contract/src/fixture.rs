//! Logs made by hand: the format's own writer, with frames of any size and reserved space behind
//! them, so that every engine is tested on logs that other engines would write.

use std::io;
use std::path::Path;

use crate::streams::Random;
use market::log::{RECORD_BYTES, ShardOf, encode_command, encode_header, seal_frame};
use market::{Command, Disk, LogFile, RealDisk, Sequence};

/// Real files without the wait for the disk. A test that only reads back what it wrote needs none,
/// for nobody pulls the plug.
#[derive(Clone, Copy, Default, Debug)]
pub struct UnsyncedDisk;

struct UnsyncedFile(Box<dyn LogFile>);

impl Disk for UnsyncedDisk {
    fn open(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        let file = RealDisk.open(path)?;
        Ok(file.map(|file| Box::new(UnsyncedFile(file)) as Box<dyn LogFile>))
    }

    fn create(&self, path: &Path, header: &[u8]) -> io::Result<Box<dyn LogFile>> {
        Ok(Box::new(UnsyncedFile(RealDisk.create(path, header)?)))
    }
}

impl LogFile for UnsyncedFile {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(at, buffer)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_at(at, bytes)
    }

    fn length(&mut self) -> io::Result<u64> {
        self.0.length()
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.0.set_length(length)
    }

    fn sync(&mut self) -> io::Result<()> {
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
    /// From one to this many, as it comes.
    Mixed(usize),
}

/// A log and where its frames are.
pub struct Fixture {
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
        let mut random = Random::new(commands.len() as u64);
        let mut fixture = Fixture { bytes: encode_header(shard).to_vec(), frames: Vec::new() };
        let mut rest = commands;
        while !rest.is_empty() {
            let count = match framing {
                Framing::One => 1,
                Framing::Many(count) => count,
                Framing::Mixed(most) => 1 + random.below(most as u64) as usize,
            };
            let (frame, later) = rest.split_at(count.min(rest.len()));
            fixture.push(frame);
            rest = later;
        }
        fixture
    }

    fn push(&mut self, commands: &[Command]) {
        let (start, before) = (self.bytes.len(), self.commands());
        self.bytes.resize(start + RECORD_BYTES, 0);
        commands.iter().for_each(|command| self.bytes.extend(encode_command(command)));
        seal_frame(&mut self.bytes[start..], Sequence::FIRST.plus(before as u64));
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
        self.frames.last().map_or(RECORD_BYTES, |frame| frame.end)
    }

    /// How many commands are in the frames that `bytes`, which was a copy of the log, still begins with.
    pub fn commands_in(&self, bytes: &[u8]) -> usize {
        let whole = |frame: &&Frame| bytes.get(frame.start..frame.end) == Some(&self.bytes[frame.start..frame.end]);
        self.frames.iter().take_while(whole).last().map_or(0, |frame| frame.after)
    }

    /// The frame that holds this byte, if one does.
    pub fn frame_at(&self, byte: usize) -> Option<Frame> {
        self.frames.iter().copied().find(|frame| (frame.start..frame.end).contains(&byte))
    }
}
