//! Opening a log: first it is read and judged, and only then is anything changed.
//!
//! The two steps are separate, because an engine with several logs must trust all of them before it
//! changes one.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::data_dir::check_shards;
use crate::log::{HEADER_BYTES, LogHeader, ShardOf};
use crate::log_chain::{ChainEnd, read_chain, segments};
use crate::log_durable::known_durable;
use crate::log_input::Input;
use crate::log_next::NextSegment;
use crate::log_reader::Place;
use crate::log_rewrite::rewrite;
use crate::{Command, LogError, LogFile, LogId, LogWriter, Options, Recovery, Sequence, Stamp};

/// A log's time that is ahead of the clock by more than this is remarked on, in milliseconds: clocks
/// normally differ by less.
const AHEAD_MAX_MS: u64 = 60_000;

/// A log that was read to its end and is trusted, or one that is to be created. Nothing has been
/// changed yet.
pub struct JudgedLog {
    options: Options,
    path: PathBuf,
    /// Whether there is no log yet.
    is_new: bool,
    header: LogHeader,
    /// Where its last whole frame starts and ends.
    last: (u64, u64),
    next: Stamp,
    torn_bytes: u64,
    /// The last command that was on disk once, if this log lacks it and that loss is accepted.
    lost: Option<Sequence>,
}

/// Reads the log of a shard and passes every command in it to `replay` in order. If the log is refused, the commands
/// before the damage have been passed on, and no file has changed.
///
/// # Errors
/// When the log can't be trusted or read, and what `replay` returns.
pub fn read_log<E: From<LogError>>(
    options: &Options,
    shard: ShardOf,
    replay: impl FnMut(Stamp, Command) -> Result<(), E>,
) -> Result<JudgedLog, E> {
    read_log_from(options, shard, None, replay)
}

/// The same from a place on, for a caller that has the state before it.
///
/// # Errors
/// As [`read_log`], and [`LogError::NoPlace`].
pub fn read_log_from<E: From<LogError>>(
    options: &Options,
    shard: ShardOf,
    from: Option<&Place>,
    replay: impl FnMut(Stamp, Command) -> Result<(), E>,
) -> Result<JudgedLog, E> {
    let path = options.data_dir.join(shard.file_name());
    let may_be_new = check_shards(&*options.disk, &path, shard.shards)?;
    let options = options.clone();
    let segments = segments(&*options.disk, &options.data_dir, shard);
    let segments = segments.map_err(|source| io_error("look for", &path, source))?;
    if segments.is_empty() {
        if !may_be_new {
            return Err(LogError::Missing { path }.into());
        }
        let header = LogHeader::new(shard, LogId::NONE);
        let (last, next) = ((0, 0), Stamp { sequence: header.first, time: header.last_time });
        return Ok(JudgedLog { options, path, is_new: true, header, last, next, torn_bytes: 0, lost: None });
    }
    let read = read_chain(&*options.disk, shard, &segments, from, None, replay)?;
    let ChainEnd { path, header, place: Place { last, next, .. }, torn_bytes } = read;
    let lost = lost(&options, &path, &header, next)?;
    Ok(JudgedLog { options, path, is_new: false, header, last, next, torn_bytes, lost })
}

/// The last command that was on disk once, if the log ends before it and that loss is accepted. A log in segments
/// can't go on without what it had: only a log in one file is rewritten.
fn lost(options: &Options, path: &Path, header: &LogHeader, next: Stamp) -> Result<Option<Sequence>, LogError> {
    let found = Sequence(next.sequence.0 - 1);
    match known_durable(&*options.disk, path, header)?.filter(|&durable| durable > found) {
        Some(durable) if header.first > Sequence::FIRST || !options.accept_loss.contains(&found) => {
            Err(LogError::short(path.to_path_buf(), header.first, found, durable))
        }
        durable => Ok(durable),
    }
}

impl JudgedLog {
    /// What was found, and what opening will do about it.
    pub fn recovery(&self) -> Recovery {
        let commands = self.next.sequence.0 - Sequence::FIRST.0;
        let mut remarks = Vec::new();
        if self.torn_bytes > 0 {
            remarks.push(format!(
                "cut off {} bytes of a torn last frame, which was never acknowledged; they are kept in {}",
                self.torn_bytes,
                self.torn_path().display()
            ));
        }
        if let Some(lost) = self.lost {
            remarks.push(format!("continued without command {} and those after it, up to {lost}", self.next.sequence));
        }
        if !self.is_new && self.header.id == LogId::NONE {
            remarks.push(format!("{} was of version 1 and was converted", self.path.display()));
        }
        let ahead_ms = self.next.time.0.saturating_sub(self.options.clock.now().0);
        if ahead_ms > AHEAD_MAX_MS {
            remarks.push(format!(
                "the clock is {} seconds behind the last time in the log: is it right? Until it has caught up, the \
                 log's time stands still",
                ahead_ms / 1_000
            ));
        }
        Recovery { commands, replayed: commands, torn_bytes: self.torn_bytes, remarks }
    }

    /// Makes the log ready for appending. Torn bytes are moved to a file beside it. A log of version 1, and one
    /// that continues without commands that it once had, is rewritten with a new identity; a missing log is
    /// created. When this returns, everything replayed is on disk.
    ///
    /// # Errors
    /// Errors of the disk. Another attempt starts from the same commands.
    pub fn open(mut self) -> Result<LogWriter, LogError> {
        let path = &self.path.clone();
        let io = |what| move |source| io_error(what, path, source);
        let mut end = self.last.1;
        NextSegment::remove_leftover(&self.options, self.header.shard)?;
        let file = if self.is_new {
            end = HEADER_BYTES as u64;
            self.header.id = self.options.disk.new_log_id();
            let created = self.options.disk.create(&self.path, &self.header.encode());
            created.map_err(io("create"))?
        } else {
            let opened = self.options.disk.open(path).map_err(io("open"))?;
            let mut file = opened.ok_or_else(|| LogError::Missing { path: path.clone() })?;
            self.keep_torn(&mut *file).map_err(io("keep the torn end of"))?;
            if self.header.id == LogId::NONE || self.lost.is_some() {
                self.header.id = self.options.disk.new_log_id();
                let rewritten = rewrite(&*self.options.disk, &self.path, file, &self.header)?;
                end = rewritten.1;
                rewritten.0
            } else {
                self.settle(&mut *file)?;
                file
            }
        };
        LogWriter::new(&self.options, self.path, file, self.header.id, end, self.next)
    }

    /// Cuts off torn bytes, and makes sure that what was read is on disk.
    fn settle(&self, file: &mut dyn LogFile) -> Result<(), LogError> {
        let io = |what| move |source| io_error(what, &self.path, source);
        if self.torn_bytes > 0 {
            file.set_length(self.last.1).map_err(io("cut a torn frame off"))?;
        }
        write_again(file, self.last).map_err(io("write the last frame of"))?;
        file.sync().map_err(io("sync"))
    }

    /// Copies the torn end into its own file. It was never acknowledged, but may help to find out what happened.
    fn keep_torn(&self, file: &mut dyn LogFile) -> io::Result<()> {
        if self.torn_bytes == 0 {
            return Ok(());
        }
        let mut torn = Vec::new();
        Input { file, at: self.last.1 }.take(self.torn_bytes).read_to_end(&mut torn)?;
        self.options.disk.create(&self.torn_path(), &torn).map(drop)
    }

    fn torn_path(&self) -> PathBuf {
        self.path.with_extension(format!("torn-at-{}", self.next.sequence))
    }
}

/// Rewrites the bytes of the last frame in place, if there is one.
///
/// Only the last frame can need this: if its sync failed, the system may hold it in its cache,
/// believe that it is on disk, and never write it. It was just read from that cache, and commands
/// will follow it; written again, it reaches the disk with the next sync.
fn write_again(file: &mut dyn LogFile, (start, end): (u64, u64)) -> io::Result<()> {
    let mut frame = vec![0; (end - start) as usize];
    Input { file: &mut *file, at: start }.read_exact(&mut frame)?;
    file.write_all_at(start, &frame)
}

fn io_error(what: &'static str, path: &Path, source: io::Error) -> LogError {
    LogError::Io { what, path: path.to_path_buf(), source }
}
