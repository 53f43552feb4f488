//! Reading a log back: every whole frame in order, and a clear word about where it ends.
//!
//! A log may end in three ways. *Clean*: after the last frame comes nothing, or only the zeros of
//! space reserved for later. *Torn*: there is what a crash leaves of a frame whose sync had not
//! returned; it was never acknowledged and is cut off. *Damaged*: there is more than that;
//! acknowledged commands are gone, and that is an error, never a shorter history.
//!
//! A reader needs memory for one frame, and reads each byte two or three times at most, whatever the bytes say.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::data_dir::check_shards;
use crate::frame::FrameHeader;
use crate::log::{RECORD_BYTES, ShardOf, decode_command, decode_header, encode_header, frame_crc};
use crate::log_input::Input;
use crate::log_tail::{self, Tail};
use crate::{Command, Disk, LogError, LogFile, Recovery, Sequence};

/// A log that was replayed and is ready to be appended to.
pub struct OpenedLog {
    /// The file.
    pub file: Box<dyn LogFile>,
    /// Where its last whole frame ends and the next will begin, in bytes from the start.
    pub end: u64,
    /// The sequence of the next command.
    pub next: Sequence,
    /// What was found.
    pub recovery: Recovery,
}

/// Opens the log at `path`, or makes it, and hands every command in it to `replay` in order.
/// A torn last frame is cut off. What was replayed is on disk when this returns.
///
/// # Errors
/// When the log can't be trusted or read, and what `replay` returns.
pub fn open_log<E: From<LogError>>(
    disk: &dyn Disk,
    path: &Path,
    shard: ShardOf,
    mut replay: impl FnMut(Sequence, Command) -> Result<(), E>,
) -> Result<OpenedLog, E> {
    let io = |what| move |source| LogError::Io { what, path: path.to_path_buf(), source };
    let is_new = check_shards(disk, path, shard.shards)?;
    let Some(mut file) = disk.open(path).map_err(io("open"))? else {
        if !is_new {
            return Err(LogError::Missing { path: path.to_path_buf() }.into());
        }
        let file = disk.create(path, &encode_header(shard)).map_err(io("create"))?;
        let (end, next) = (RECORD_BYTES as u64, Sequence::FIRST);
        return Ok(OpenedLog { file, end, next, recovery: Recovery::default() });
    };
    let mut reader = LogReader::new(&mut *file, path)?;
    if reader.shard != shard {
        return Err(LogError::OtherShard { path: path.to_path_buf(), found: reader.shard, asked: shard }.into());
    }
    let mut last = reader.offset;
    loop {
        let start = reader.offset;
        let Some(frame) = reader.next_frame()? else { break };
        for (sequence, command) in frame {
            replay(sequence, command)?;
        }
        last = start;
    }
    let (end, next, torn_bytes) = (reader.offset, reader.next, reader.torn_bytes);
    if torn_bytes > 0 {
        file.set_length(end).map_err(io("cut a torn frame off"))?;
    }
    if next > Sequence::FIRST {
        write_again(&mut *file, last, end).map_err(io("write the last frame of"))?;
    }
    if torn_bytes > 0 || next > Sequence::FIRST {
        file.sync().map_err(io("sync"))?;
    }
    let recovery = Recovery { commands: next.0 - Sequence::FIRST.0, torn_bytes };
    Ok(OpenedLog { file, end, next, recovery })
}

/// Writes the bytes from `start` to `end` over themselves.
///
/// Only the last frame can be in need of it: if its sync failed, the system may hold it in its
/// cache, believe that it is on disk, and never write it. It was read from that cache just now, and
/// commands will follow it; written again, it goes to disk with the next sync.
fn write_again(file: &mut dyn LogFile, start: u64, end: u64) -> std::io::Result<()> {
    let mut frame = Vec::new();
    Input { file, at: start }.take(end - start).read_to_end(&mut frame)?;
    file.write_all_at(start, &frame)
}

impl LogReader<'_> {
    /// How many bytes of a torn last frame there are, once there was no next frame.
    pub fn torn_bytes(&self) -> u64 {
        self.torn_bytes
    }
}

/// Reads a log frame by frame; it needs memory for one frame.
pub struct LogReader<'file> {
    file: BufReader<Input<'file>>,
    path: PathBuf,
    /// Which shard the log is of.
    pub shard: ShardOf,
    /// Where the next frame starts.
    offset: u64,
    /// The sequence that the next frame should start with.
    next: Sequence,
    frame: Vec<u8>,
    torn_bytes: u64,
}

impl<'file> LogReader<'file> {
    /// Reads the header of the log in `file`; `path` is for messages.
    ///
    /// # Errors
    /// [`LogError::Empty`], [`LogError::Foreign`], [`LogError::UnknownVersion`], [`LogError::Io`].
    pub fn new(file: &'file mut dyn LogFile, path: &Path) -> Result<LogReader<'file>, LogError> {
        let path = path.to_path_buf();
        let io = |source| LogError::Io { what: "read", path: path.clone(), source };
        let mut file = BufReader::with_capacity(1 << 16, Input { file, at: 0 });
        let mut header = Vec::with_capacity(RECORD_BYTES);
        file.by_ref().take(RECORD_BYTES as u64).read_to_end(&mut header).map_err(io)?;
        if header.is_empty() {
            return Err(LogError::Empty { path });
        }
        let Ok(header) = <[u8; RECORD_BYTES]>::try_from(header) else {
            return Err(LogError::Foreign { path, reason: "it is shorter than a log's header" });
        };
        let shard = decode_header(&header, &path)?;
        let (offset, next) = (RECORD_BYTES as u64, Sequence::FIRST);
        Ok(LogReader { file, path, shard, offset, next, frame: Vec::new(), torn_bytes: 0 })
    }

    /// The commands of the next frame with their sequences, or `None` at the log's end.
    ///
    /// # Errors
    /// [`LogError::Corrupt`] where frames follow that can't be reached, [`LogError::Io`].
    pub fn next_frame(&mut self) -> Result<Option<impl Iterator<Item = (Sequence, Command)>>, LogError> {
        if let Err(reason) = self.read_frame()? {
            self.judge_tail(reason)?;
            return Ok(None);
        }
        let first = self.next;
        let (records, _) = self.frame[RECORD_BYTES..].as_chunks::<RECORD_BYTES>();
        let belongs = |command: Command| ShardOf::market(command.market(), self.shard.shards) == self.shard;
        if let Some(at) = records.iter().position(|record| !decode_command(record).is_some_and(belongs)) {
            return Err(self.corrupt(foreign_command(at + 1, &records[at], self.shard.shards)));
        }
        self.offset += self.frame.len() as u64;
        self.next = first.plus(records.len() as u64);
        let commands = records.iter().filter_map(decode_command);
        Ok(Some(commands.enumerate().map(move |(at, command)| (first.plus(at as u64), command))))
    }

    /// Reads one frame into `self.frame`. The inner error says why there is no whole frame here.
    fn read_frame(&mut self) -> Result<Result<(), String>, LogError> {
        if self.read_up_to(RECORD_BYTES)? < RECORD_BYTES {
            return Ok(Err("the file ends within a frame's header".into()));
        }
        let Some(header) = FrameHeader::decode(&self.frame) else {
            return Ok(Err("the parts of the frame's header do not agree".into()));
        };
        if header.first != self.next {
            return Ok(Err(format!("the frame says that it starts with command {}", header.first)));
        }
        if self.read_up_to(RECORD_BYTES + header.length)? < RECORD_BYTES + header.length {
            return Ok(Err("the file ends within the frame".into()));
        }
        if frame_crc(&self.frame) != header.crc {
            return Ok(Err("the frame's checksum is wrong".into()));
        }
        Ok(Ok(()))
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

    /// Goes on reading at byte `at`.
    fn read_from(&mut self, at: u64) {
        self.file.consume(self.file.buffer().len());
        self.file.get_mut().at = at;
    }

    /// Decides what the bytes from `self.offset` on are: reserved space, a torn frame, or damage.
    fn judge_tail(&mut self, reason: String) -> Result<(), LogError> {
        // Whoever asks for another frame gets the same answer.
        self.read_from(self.offset);
        let tail = log_tail::judge(self.file.get_mut().file, self.offset, self.next);
        match tail.map_err(|source| LogError::Io { what: "read", path: self.path.clone(), source })? {
            Tail::Torn(bytes) => self.torn_bytes = bytes,
            Tail::Damaged(damage) => return Err(self.corrupt(format!("{reason}, and {damage}"))),
        }
        Ok(())
    }

    fn corrupt(&self, reason: String) -> LogError {
        LogError::Corrupt { path: self.path.clone(), offset: self.offset, sequence: self.next, reason }
    }
}

/// Why a command of a frame with the right checksum can't be taken.
fn foreign_command(place: usize, record: &[u8; RECORD_BYTES], shards: u16) -> String {
    let what = match decode_command(record) {
        None => "none that this program knows".to_string(),
        Some(command) => {
            let market = command.market();
            format!("of market {market}, which belongs to shard {} of {shards}", ShardOf::market(market, shards).shard)
        }
    };
    format!("its checksum is right, but command {place} of the frame is {what}")
}
