//! A whole set of logs, one a shard: read with suspicion, and written beside the one that it will replace.
//!
//! A name proves nothing: each log's header has to say what its name says, and each command's market has to
//! belong there. Cost: memory for one frame of each log, and a few bytes a market.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use crate::log::{HEADER_BYTES, LogHeader, RECORD_BYTES, ShardOf, encode_command, seal_frame};
use crate::log_chain::{Segment, segments};
use crate::log_reader::LogReader;
use crate::{Command, Disk, EngineError, LogError, LogFile, LogId, MarketId, Sequence, Stamp, UnixMs, watermark};

/// How many commands a frame has that is written here.
const FRAME_COMMANDS: usize = 1_024;

/// A file of this name and a number of shards says that the drafts of so many logs take the place of all others.
const SWITCH: &str = "SWITCH-TO-";

/// Whether a set has its name yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It is written; engines do not see it.
    Draft,
    /// It is complete.
    Complete,
}

/// Where a shard's log is.
fn path_of(folder: &Path, shard: ShardOf, state: State) -> PathBuf {
    let path = folder.join(shard.file_name());
    if state == State::Draft { path.with_extension("draft") } else { path }
}

/// Whether a file of this name is a log that was never finished.
fn is_draft(name: &str) -> bool {
    name.strip_suffix(".draft").is_some_and(|stem| ShardOf::of_file_name(&format!("{stem}.log")).is_some())
}

/// Hands every command of a set to `each`, with the time of its frame, in the order of these times: of frames with the
/// same time those of the first log first.
///
/// # Errors
/// A log that is missing, damaged, torn or another's, or that its watermark is ahead of, and what `each` returns.
pub fn read_set(
    disk: &dyn Disk,
    folder: &Path,
    shards: u16,
    state: State,
    mut each: impl FnMut(UnixMs, &Command) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let mut files = Vec::new();
    for shard in (0..shards).map(|shard| ShardOf { shard, shards }) {
        let path = path_of(folder, shard, state);
        refuse_segments(disk, folder, shard, state)?;
        let opened = disk.open(&path).map_err(io_error("open", &path))?;
        files.push((shard, opened.ok_or_else(|| LogError::Missing { path: path.clone() })?, path));
    }
    let mut logs = Vec::new();
    for (shard, file, path) in &mut files {
        let mut reader = LogReader::new(&mut **file, path)?;
        if reader.header.shard != *shard {
            return Err(LogError::OtherShard { path: path.clone(), found: reader.header.shard, asked: *shard }.into());
        }
        if reader.advance()? {
            logs.push(reader);
        } else {
            check_end(disk, &reader)?;
        }
    }
    // One frame of each log is in memory.
    while let Some((at, _)) = logs.iter().enumerate().min_by_key(|(_, log)| log.next().time) {
        logs[at].frame().try_for_each(|(stamp, command)| each(stamp.time, &command))?;
        if !logs[at].advance()? {
            check_end(disk, &logs.remove(at))?;
        }
    }
    Ok(())
}

/// Refuses a log that goes on in another file: what is read here is in one piece.
fn refuse_segments(disk: &dyn Disk, folder: &Path, shard: ShardOf, state: State) -> Result<(), EngineError> {
    let found = segments(disk, folder, shard).map_err(io_error("look for", folder))?;
    match found.into_iter().find(|segment| state == State::Complete && segment.first > Sequence::FIRST) {
        None => Ok(()),
        Some(Segment { path, .. }) => {
            let reason = "the log is in segments, and those are not dealt out to another number of shards".into();
            Err(EngineError::Unsound { path, reason })
        }
    }
}

/// Refuses a log that is torn, or ends before its watermark.
fn check_end(disk: &dyn Disk, log: &LogReader<'_>) -> Result<(), EngineError> {
    if log.torn_bytes() > 0 {
        let shards = log.header.shard.shards;
        let reason = format!("its last frame is torn: open it with `--shards {shards}` once, which mends that");
        return Err(EngineError::Unsound { path: log.path().to_path_buf(), reason });
    }
    let found = Sequence(log.next().sequence.0 - 1);
    match watermark::read(disk, log.path(), log.header.id) {
        Some(mark) if mark.last > found => {
            Err(LogError::Short { path: log.path().to_path_buf(), found, durable: mark.last }.into())
        }
        _ => Ok(()),
    }
}

/// What each market was told, as a number of commands and a hash over them and their times, in their order. Two sets
/// with the same histories answer the same, however many logs they have.
#[derive(Clone, Default)]
struct Histories(BTreeMap<MarketId, (u64, DefaultHasher)>);

impl Histories {
    /// Reads those of a set.
    ///
    /// # Errors
    /// As [`read_set`].
    fn read(disk: &dyn Disk, folder: &Path, shards: u16, state: State) -> Result<Histories, EngineError> {
        let mut histories = Histories::default();
        read_set(disk, folder, shards, state, |time, command| {
            histories.add(time, command);
            Ok(())
        })?;
        Ok(histories)
    }

    /// Adds the next command, of a frame of this time.
    fn add(&mut self, time: UnixMs, command: &Command) {
        let (count, hash) = self.0.entry(command.market()).or_default();
        *count += 1;
        hash.write_u64(time.0);
        hash.write(&encode_command(command));
    }

    /// How many commands there are.
    fn commands(&self) -> u64 {
        self.0.values().map(|(count, _)| count).sum()
    }

    /// How many commands a market was told, and the hash over them.
    fn of(&self, market: &MarketId) -> Option<(u64, u64)> {
        self.0.get(market).map(|(count, hash)| (*count, hash.finish()))
    }

    /// Refuses what is not the same.
    ///
    /// # Errors
    /// [`EngineError::Unsound`] with the first market that differs.
    fn must_be(&self, other: &Histories, folder: &Path) -> Result<(), EngineError> {
        let differs = |market: &&MarketId| self.of(market) != other.of(market);
        match self.0.keys().chain(other.0.keys()).find(differs) {
            None => Ok(()),
            Some(market) => Err(EngineError::Unsound {
                path: folder.to_path_buf(),
                reason: format!(
                    "the new logs do not read back as they were written, about market {market}; nothing was \
                     changed: mend the disk and try again"
                ),
            }),
        }
    }
}

/// A set that is being written. Engines see it when it is named, and nothing of it before; if it never is, it
/// goes with this value.
pub struct SetWriter<'disk> {
    disk: &'disk dyn Disk,
    folder: PathBuf,
    logs: Vec<LogDraft>,
    written: Histories,
}

impl<'disk> SetWriter<'disk> {
    /// Begins a set of empty logs in `folder`.
    ///
    /// # Errors
    /// What the disk says.
    pub fn create(disk: &'disk dyn Disk, folder: &Path, shards: u16) -> Result<SetWriter<'disk>, EngineError> {
        let mut logs = Vec::new();
        for shard in (0..shards).map(|shard| ShardOf { shard, shards }) {
            let path = path_of(folder, shard, State::Draft);
            let header = LogHeader::new(shard, disk.new_log_id());
            let file = disk.create(&path, &header.encode()).map_err(io_error("write", &path))?;
            let (end, first) = (HEADER_BYTES as u64, Stamp { sequence: header.first, time: header.last_time });
            logs.push(LogDraft { file, path, id: header.id, end, first, frame: Vec::new() });
        }
        Ok(SetWriter { disk, folder: folder.to_path_buf(), logs, written: Histories::default() })
    }

    /// Adds the next command, of a frame of this time, to the log of its shard. Times must not run back.
    ///
    /// # Errors
    /// What the disk says.
    pub fn push(&mut self, time: UnixMs, command: &Command) -> Result<(), EngineError> {
        self.written.add(time, command);
        let shard = ShardOf::market(command.market(), self.logs.len() as u16).shard;
        let log = &mut self.logs[usize::from(shard)];
        log.push(time, command).map_err(io_error("write", &log.path))
    }

    /// Makes the set durable and reads it back. Says how many commands it holds.
    ///
    /// # Errors
    /// What the disk says, and [`EngineError::Unsound`] when it does not read back as it was written.
    pub fn finish(&mut self) -> Result<u64, EngineError> {
        for log in &mut self.logs {
            log.finish().map_err(io_error("write", &log.path))?;
        }
        let shards = self.logs.len() as u16;
        let read = Histories::read(self.disk, &self.folder, shards, State::Draft)?;
        read.must_be(&self.written, &self.folder)?;
        Ok(self.written.commands())
    }

    /// Puts the finished set in place of all others, by one rename: that of a file that says so. From then on, whoever
    /// opens the directory completes it.
    ///
    /// # Errors
    /// What the disk says.
    pub fn switch(mut self) -> Result<(), EngineError> {
        let mark = self.folder.join(format!("{SWITCH}{}", self.logs.len()));
        let io = |source| EngineError::Io { what: "switch to the new logs", path: self.folder.clone(), source };
        let made = self.disk.create(&mark, &[]).map(drop);
        // Whether the rename took place is not known when it fails.
        self.logs.clear();
        made.and_then(|()| complete_switch(self.disk, &self.folder)).map_err(io)
    }
}

/// Completes what [`SetWriter::switch`] began, if it did.
///
/// # Errors
/// What the disk says.
pub(crate) fn complete_switch(disk: &dyn Disk, folder: &Path) -> io::Result<()> {
    let names = disk.list(folder)?;
    let Some((mark, shards)) = names.iter().find_map(|name| Some((name, name.strip_prefix(SWITCH)?.parse().ok()?)))
    else {
        return Ok(());
    };
    for shard in (0..shards).rev().map(|shard| ShardOf { shard, shards }) {
        let (draft, path) = (path_of(folder, shard, State::Draft), path_of(folder, shard, State::Complete));
        if names.iter().any(|name| draft.ends_with(name)) {
            disk.rename(&draft, &path)?;
        }
    }
    let mut others: Vec<ShardOf> = names.iter().filter_map(|name| ShardOf::of_file_name(name)).collect();
    others.retain(|log| log.shards != shards);
    others.sort_unstable_by_key(|log| log.shard);
    for path in others.into_iter().map(|log| path_of(folder, log, State::Complete)) {
        watermark::remove(disk, &path)?;
        disk.remove(&path)?;
    }
    for draft in names.iter().filter(|name| is_draft(name)) {
        disk.remove(&folder.join(draft))?;
    }
    disk.remove(&folder.join(mark))
}

impl Drop for SetWriter<'_> {
    fn drop(&mut self) {
        for log in &self.logs {
            // Whoever failed has said why; a draft that stays is overwritten, or removed, by the next resharding.
            let _ = self.disk.remove(&log.path);
        }
    }
}

/// One log of the set.
struct LogDraft {
    file: Box<dyn LogFile>,
    path: PathBuf,
    id: LogId,
    end: u64,
    /// The number of the first command of the frame at hand, and its time.
    first: Stamp,
    /// The frame at hand; empty, or a header and some commands.
    frame: Vec<u8>,
}

impl LogDraft {
    fn push(&mut self, time: UnixMs, command: &Command) -> io::Result<()> {
        if time != self.first.time || self.frame.len() > FRAME_COMMANDS * RECORD_BYTES {
            self.write_frame()?;
            self.first.time = time;
        }
        if self.frame.is_empty() {
            self.frame.extend([0; RECORD_BYTES]);
        }
        self.frame.extend(encode_command(command));
        Ok(())
    }

    fn write_frame(&mut self) -> io::Result<()> {
        if self.frame.is_empty() {
            return Ok(());
        }
        seal_frame(&mut self.frame, self.id, self.first);
        self.file.write_all_at(self.end, &self.frame)?;
        self.end += self.frame.len() as u64;
        self.first = self.first.plus((self.frame.len() / RECORD_BYTES - 1) as u64);
        self.frame.clear();
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.write_frame()?;
        self.file.sync()
    }
}

fn io_error(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> EngineError + use<> {
    let path = path.to_path_buf();
    move |source| LogError::Io { what, path, source }.into()
}
