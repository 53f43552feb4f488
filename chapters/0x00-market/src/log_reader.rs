//! Reading a log back: every whole frame in order, and a clear answer about where it ends.
//!
//! A log may end in three ways. *Clean*: after the last frame comes nothing, or only the zeros of reserved
//! space. *Torn*: the remains of a frame whose sync had not returned; it was never acknowledged and is cut off.
//! *Damaged*: anything else; acknowledged commands are gone, and that is an error, never a shorter history.
//!
//! A reader needs memory for one frame, and reads each byte two or three times at most, whatever the bytes are.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::frame::{FrameHeader, Framing};
use crate::log::{HEADER_BYTES, LogHeader, RECORD_BYTES, ShardOf, decode_command, frame_crc};
use crate::log_input::Input;
use crate::log_tail::{self, Tail};
use crate::{Command, LogError, LogFile, Sequence, Stamp, UnixMs};

/// A place in a log, behind a whole frame or at the beginning of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The first command of the segment that it is in.
    pub segment: Sequence,
    /// Where the frame before it starts and ends, in bytes from the start of the file; twice the same if there is
    /// none in this segment.
    pub last: (u64, u64),
    /// The checksum of that frame.
    pub crc: u32,
    /// The number of the next command, and the time of the frame before.
    pub next: Stamp,
}

impl Place {
    /// The place behind a file's header, where its first frame begins.
    pub fn behind(header: &LogHeader) -> Place {
        let (end, next) = (header.length() as u64, Stamp { sequence: header.first, time: header.last_time });
        Place { segment: header.first, last: (end, end), crc: 0, next }
    }
}

/// Reads a log frame by frame; it needs memory for one frame.
pub struct LogReader<'file> {
    file: BufReader<Input<'file>>,
    path: PathBuf,
    /// What the file's header says.
    pub header: LogHeader,
    framing: Framing,
    /// Where the current frame starts, and where the next one does.
    start: u64,
    end: u64,
    /// The sequence of the current frame's first command, and that of the next frame's.
    first: Sequence,
    next: Sequence,
    /// The time of the current frame, or the header's time before the first.
    time: UnixMs,
    /// The checksum of the last whole frame.
    crc: u32,
    frame: Vec<u8>,
    torn_bytes: u64,
}

impl<'file> LogReader<'file> {
    /// Reads the header of the log in `file`; `path` is for messages.
    ///
    /// # Errors
    /// [`LogError::Empty`], [`LogError::Foreign`], [`LogError::UnknownVersion`], [`LogError::Io`].
    pub fn new(file: &'file mut dyn LogFile, path: &Path) -> Result<LogReader<'file>, LogError> {
        let mut file = BufReader::with_capacity(1 << 16, Input { file, at: 0 });
        let mut start = Vec::with_capacity(HEADER_BYTES);
        let mut read_up_to = |length: usize, start: &mut Vec<u8>| {
            let read = file.by_ref().take((length - start.len()) as u64).read_to_end(start);
            read.map_err(|source| LogError::Io { what: "read", path: path.to_path_buf(), source })
        };
        read_up_to(RECORD_BYTES, &mut start)?;
        read_up_to(LogHeader::length_of(&start), &mut start)?;
        let header = LogHeader::decode(&start, path)?;
        let end = header.length() as u64;
        Ok(LogReader {
            file,
            path: path.to_path_buf(),
            header,
            framing: Framing::of(header.id),
            start: end,
            end,
            first: header.first,
            next: header.first,
            time: header.last_time,
            crc: 0,
            frame: Vec::new(),
            torn_bytes: 0,
        })
    }

    /// Reads the log in `file` from `place` on. The frame before it must exist, with the same checksum.
    ///
    /// # Errors
    /// [`LogError::NoPlace`] if that frame does not exist, and as [`new`](LogReader::new).
    pub fn resume(file: &'file mut dyn LogFile, path: &Path, place: &Place) -> Result<LogReader<'file>, LogError> {
        let mut reader = LogReader::new(file, path)?;
        let (start, end) = place.last;
        let no_place = |reason: String| LogError::NoPlace {
            path: path.to_path_buf(),
            sequence: Sequence(place.next.sequence.0.saturating_sub(1)),
            offset: end,
            reason,
        };
        let commands = end.saturating_sub(start) / RECORD_BYTES as u64;
        if commands > 0 {
            (reader.end, reader.next) = (start, Sequence(place.next.sequence.0.saturating_sub(commands - 1)));
            reader.read_from(start);
            match reader.advance() {
                Ok(true) => {}
                Ok(false) => return Err(no_place("it ends before that".into())),
                Err(error @ LogError::Io { .. }) => return Err(error),
                Err(error) => return Err(no_place(error.to_string())),
            }
        }
        if reader.log_place() == *place { Ok(reader) } else { Err(no_place("there is a different frame".into())) }
    }

    /// The commands of the next frame, each with its number and the frame's time, or `None` at the log's end.
    ///
    /// # Errors
    /// [`LogError::Corrupt`] where frames follow that can't be reached, [`LogError::Io`].
    pub fn next_frame(&mut self) -> Result<Option<impl Iterator<Item = (Stamp, Command)>>, LogError> {
        Ok(self.advance()?.then(|| self.frame()))
    }

    /// Moves to the next frame, and returns whether there is one.
    ///
    /// # Errors
    /// As [`next_frame`](LogReader::next_frame).
    pub fn advance(&mut self) -> Result<bool, LogError> {
        let header = match self.read_frame()? {
            Ok(header) => header,
            Err(reason) => {
                self.judge_tail(reason)?;
                self.frame.clear();
                return Ok(false);
            }
        };
        if let Err(reason) = self.check_frame(&header) {
            return Err(self.corrupt(format!("its checksum is right, but {reason}")));
        }
        (self.start, self.end) = (self.end, self.end + self.frame.len() as u64);
        (self.first, self.next) = (self.next, self.next.plus((header.length / RECORD_BYTES) as u64));
        (self.time, self.crc) = (header.time, header.crc);
        Ok(true)
    }

    /// The commands of the current frame; none before the first and after the last.
    pub fn frame(&self) -> impl Iterator<Item = (Stamp, Command)> {
        let first = Stamp { sequence: self.first, time: self.time };
        let (records, _) = self.frame.get(RECORD_BYTES..).unwrap_or_default().as_chunks::<RECORD_BYTES>();
        let commands = records.iter().filter_map(decode_command);
        commands.enumerate().map(move |(at, command)| (first.plus(at as u64), command))
    }

    /// The path of the log.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the current frame starts, and where it ends and the next one starts, in bytes from the file's start.
    pub fn place(&self) -> (u64, u64) {
        (self.start, self.end)
    }

    /// How far the log was read.
    pub fn log_place(&self) -> Place {
        Place { segment: self.header.first, last: self.place(), crc: self.crc, next: self.next() }
    }

    /// The number of the next command, and the time of the last frame.
    pub fn next(&self) -> Stamp {
        Stamp { sequence: self.next, time: self.time }
    }

    /// How many bytes of a torn last frame there are, once the last whole frame was read.
    pub fn torn_bytes(&self) -> u64 {
        self.torn_bytes
    }

    /// Reads one frame into `self.frame`. The inner error says why there is no whole frame here.
    fn read_frame(&mut self) -> Result<Result<FrameHeader, String>, LogError> {
        if self.read_up_to(RECORD_BYTES)? < RECORD_BYTES {
            return Ok(Err("the file ends within a frame's header".into()));
        }
        let Some(header) = FrameHeader::decode(&self.frame, self.framing) else {
            return Ok(Err("the parts of the frame's header contradict each other".into()));
        };
        if header.first != self.next {
            return Ok(Err(format!("the frame says that it starts with command {}", header.first)));
        }
        if self.read_up_to(RECORD_BYTES + header.length)? < RECORD_BYTES + header.length {
            return Ok(Err("the file ends within the frame".into()));
        }
        if frame_crc(&self.frame, self.header.id) != header.crc {
            return Ok(Err("the frame's checksum is wrong".into()));
        }
        Ok(Ok(header))
    }

    /// Refuses a whole frame that no engine would write into this log.
    fn check_frame(&self, header: &FrameHeader) -> Result<(), String> {
        let shards = self.header.shard.shards;
        let (records, _) = self.frame[RECORD_BYTES..].as_chunks::<RECORD_BYTES>();
        for (at, record) in records.iter().enumerate() {
            let what = match decode_command(record) {
                None => "of a kind that this program does not know".to_string(),
                Some(command) if self.framing == Framing::Version1 && command.request() != 0 => {
                    "not one of version 1, where unused bytes are zero".to_string()
                }
                Some(command) => match ShardOf::market(command.market(), shards) {
                    shard if shard == self.header.shard => continue,
                    other => {
                        format!("of market {}, which belongs to shard {} of {shards}", command.market(), other.shard)
                    }
                },
            };
            return Err(format!("command {} of the frame is {what}", at + 1));
        }
        if self.framing == Framing::Version2 && header.time < self.time {
            return Err(format!("its time, {}, is before {}, the time of the previous frame", header.time, self.time));
        }
        Ok(())
    }

    /// Fills `self.frame` up to `length` bytes, or less at the end of the file. A frame's header
    /// is read first and stays in front.
    fn read_up_to(&mut self, length: usize) -> Result<usize, LogError> {
        if length == RECORD_BYTES {
            self.frame.clear();
        }
        let missing = (length - self.frame.len()) as u64;
        let read = self.file.by_ref().take(missing).read_to_end(&mut self.frame);
        read.map_err(|source| LogError::Io { what: "read", path: self.path.clone(), source })?;
        Ok(self.frame.len())
    }

    /// Continues reading at byte `at`.
    fn read_from(&mut self, at: u64) {
        self.file.consume(self.file.buffer().len());
        self.file.get_mut().at = at;
    }

    /// Decides whether the bytes from `self.end` on are reserved space, a torn frame, or damage.
    fn judge_tail(&mut self, reason: String) -> Result<(), LogError> {
        // Another call gets the same answer.
        self.read_from(self.end);
        let tail = log_tail::judge(self.file.get_mut().file, self.end, self.header.id, self.next);
        match tail.map_err(|source| LogError::Io { what: "read", path: self.path.clone(), source })? {
            Tail::Torn(bytes) => self.torn_bytes = bytes,
            Tail::Damaged(damage) => return Err(self.corrupt(format!("{reason}, and {damage}"))),
        }
        Ok(())
    }

    fn corrupt(&self, reason: String) -> LogError {
        LogError::Corrupt { path: self.path.clone(), offset: self.end, sequence: self.next, reason }
    }
}
