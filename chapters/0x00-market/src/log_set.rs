//! A whole set of logs, one a shard: read with suspicion, and written beside the one that it will replace.
//!
//! A name proves nothing: each log's header has to say what its name says, and each command's market has to
//! belong there. Cost: memory for one frame of each log, and a few bytes a market.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use crate::log::{RECORD_BYTES, ShardOf, encode_command, encode_header, seal_frame};
use crate::log_reader::LogReader;
use crate::{Command, Disk, EngineError, LogError, LogFile, MarketId, Sequence};

/// How many commands a frame has that is written here.
const FRAME_COMMANDS: usize = 1_024;

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
pub fn is_draft(name: &str) -> bool {
    name.strip_suffix(".draft").is_some_and(|stem| ShardOf::of_file_name(&format!("{stem}.log")).is_some())
}

/// Hands every command of a set to `each`, log by log.
///
/// # Errors
/// A log that is missing, damaged, torn or another's, and what `each` returns.
pub fn read_set(
    disk: &dyn Disk,
    folder: &Path,
    shards: u16,
    state: State,
    mut each: impl FnMut(&Command) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    for shard in (0..shards).map(|shard| ShardOf { shard, shards }) {
        let path = path_of(folder, shard, state);
        let opened = disk.open(&path).map_err(io_error("open", &path))?;
        let mut file = opened.ok_or_else(|| LogError::Missing { path: path.clone() })?;
        let mut reader = LogReader::new(&mut *file, &path)?;
        if reader.shard != shard {
            return Err(LogError::OtherShard { path, found: reader.shard, asked: shard }.into());
        }
        while let Some(frame) = reader.next_frame()? {
            for (sequence, command) in frame {
                let belongs = ShardOf::market(command.market(), shards).shard;
                if belongs != shard.shard {
                    let reason = format!(
                        "command {sequence} is for market {}, which belongs to shard {belongs}: restore the log from a copy",
                        command.market()
                    );
                    return Err(EngineError::Unsound { path, reason });
                }
                each(&command)?;
            }
        }
        if reader.torn_bytes() > 0 {
            let reason = format!("its last frame is torn: open it with `--shards {shards}` once, which mends that");
            return Err(EngineError::Unsound { path, reason });
        }
    }
    Ok(())
}

/// What each market was told, as a number of commands and a hash over them in their order. Two sets with the
/// same histories answer the same, however many logs they have.
#[derive(Clone, Default)]
pub struct Histories(BTreeMap<MarketId, (u64, DefaultHasher)>);

impl Histories {
    /// Reads those of a set.
    ///
    /// # Errors
    /// As [`read_set`].
    pub fn read(disk: &dyn Disk, folder: &Path, shards: u16, state: State) -> Result<Histories, EngineError> {
        let mut histories = Histories::default();
        read_set(disk, folder, shards, state, |command| {
            histories.add(command);
            Ok(())
        })?;
        Ok(histories)
    }

    /// Adds the next command.
    pub fn add(&mut self, command: &Command) {
        let (count, hash) = self.0.entry(command.market()).or_default();
        *count += 1;
        hash.write(&encode_command(command));
    }

    /// How many commands there are.
    pub fn commands(&self) -> u64 {
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
    pub fn must_be(&self, other: &Histories, folder: &Path) -> Result<(), EngineError> {
        let differs = |market: &&MarketId| self.of(market) != other.of(market);
        match self.0.keys().chain(other.0.keys()).find(differs) {
            None => Ok(()),
            Some(market) => Err(EngineError::Unsound {
                path: folder.to_path_buf(),
                reason: format!(
                    "the two sets of logs do not tell the same about market {market}; nothing was removed: move the \
                     set that is wrong to another folder"
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
            let file = disk.create(&path, &encode_header(shard)).map_err(io_error("write", &path))?;
            logs.push(LogDraft { file, path, end: RECORD_BYTES as u64, next: Sequence::FIRST, frame: Vec::new() });
        }
        Ok(SetWriter { disk, folder: folder.to_path_buf(), logs, written: Histories::default() })
    }

    /// Adds the next command to the log of its shard.
    ///
    /// # Errors
    /// What the disk says.
    pub fn push(&mut self, command: &Command) -> Result<(), EngineError> {
        self.written.add(command);
        let shard = ShardOf::market(command.market(), self.logs.len() as u16).shard;
        let log = &mut self.logs[usize::from(shard)];
        log.push(command).map_err(io_error("write", &log.path))
    }

    /// Makes the set durable, reads it back, and gives it its name: the log of shard 0 last, for where that
    /// is, all are. Says how many commands it holds.
    ///
    /// # Errors
    /// What the disk says, and [`EngineError::Unsound`] when it does not read back as it was written.
    pub fn finish(mut self) -> Result<u64, EngineError> {
        let shards = self.logs.len() as u16;
        for log in &mut self.logs {
            log.finish().map_err(io_error("write", &log.path))?;
        }
        Histories::read(self.disk, &self.folder, shards, State::Draft)?.must_be(&self.written, &self.folder)?;
        for shard in (0..shards).rev().map(|shard| ShardOf { shard, shards }) {
            let path = path_of(&self.folder, shard, State::Complete);
            let draft = path_of(&self.folder, shard, State::Draft);
            self.disk.rename(&draft, &path).map_err(io_error("name", &path))?;
        }
        self.logs.clear();
        Ok(self.written.commands())
    }
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
    end: u64,
    next: Sequence,
    /// The frame at hand; empty, or a header and some commands.
    frame: Vec<u8>,
}

impl LogDraft {
    fn push(&mut self, command: &Command) -> io::Result<()> {
        if self.frame.is_empty() {
            self.frame.extend([0; RECORD_BYTES]);
        }
        self.frame.extend(encode_command(command));
        if self.frame.len() > FRAME_COMMANDS * RECORD_BYTES { self.write_frame() } else { Ok(()) }
    }

    fn write_frame(&mut self) -> io::Result<()> {
        seal_frame(&mut self.frame, self.next);
        self.file.write_all_at(self.end, &self.frame)?;
        self.end += self.frame.len() as u64;
        self.next = self.next.plus((self.frame.len() / RECORD_BYTES - 1) as u64);
        self.frame.clear();
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        if !self.frame.is_empty() {
            self.write_frame()?;
        }
        self.file.sync()
    }
}

fn io_error(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> EngineError + use<> {
    let path = path.to_path_buf();
    move |source| LogError::Io { what, path, source }.into()
}
