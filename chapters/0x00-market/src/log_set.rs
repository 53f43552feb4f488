//! A whole set of logs, one for each shard, written beside the set that it will replace.
//!
//! It is read back before it replaces the other set, and replaces it with one rename. Cost: memory for a frame of
//! each log, and a few bytes a market.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use crate::log::{HEADER_BYTES, LogHeader, RECORD_BYTES, ShardOf, encode_command, seal_frame};
use crate::log_chain::Segment;
use crate::log_gap::refuse_gap;
use crate::log_merge::{LogMerge, LogStart};
use crate::log_reader::Place;
use crate::{Command, Disk, EngineError, LogError, LogFile, MarketId, Sequence, Stamp, UnixMs, snapshot, watermark};

/// How many commands are written to a frame here.
const FRAME_COMMANDS: usize = 1_024;

/// A file named with this and a number of shards says that the drafts of that many logs replace all other logs.
const SWITCH: &str = "SWITCH-TO-";

/// If a file of this name is a draft of a log or snapshot: its shard, and the name that it will have.
fn of_draft(name: &str) -> Option<(ShardOf, String)> {
    let stem = name.strip_suffix(".draft")?;
    let (log, snapshot) = (format!("{stem}.log"), format!("{stem}.bin"));
    let shard = ShardOf::of_segment_name(&log).map(|(shard, _)| (shard, log));
    shard.or_else(|| snapshot::of_file_name(&snapshot).map(|(shard, _)| (shard, snapshot)))
}

/// The shard that a file of this name belongs to: a segment of its log, perhaps not begun, a snapshot, or a draft of
/// either.
fn owner(name: &str) -> Option<ShardOf> {
    let laid_out = name.strip_suffix(".next").and_then(|stem| ShardOf::of_file_name(&format!("{stem}.log")));
    let log = || ShardOf::of_segment_name(name).map(|(shard, _)| shard);
    let snapshot = || snapshot::of_file_name(name).map(|(shard, _)| shard);
    laid_out.or_else(log).or_else(snapshot).or_else(|| of_draft(name).map(|(shard, _)| shard))
}

/// The history of each market, as a number of commands and a hash over them and their times, in order. Two sets with
/// the same histories are equal here, however many logs they have.
#[derive(Clone, Default)]
struct Histories(BTreeMap<MarketId, (u64, DefaultHasher)>);

impl Histories {
    /// Reads the histories of a set.
    ///
    /// # Errors
    /// As [`LogMerge`].
    fn read(mut logs: LogMerge<'_>) -> Result<Histories, EngineError> {
        let mut histories = Histories::default();
        while let Some((_, stamp, command)) = logs.next_command()? {
            histories.add(stamp.time, &command);
        }
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

    /// How many commands a market had, and the hash over them.
    fn of(&self, market: &MarketId) -> Option<(u64, u64)> {
        self.0.get(market).map(|(count, hash)| (*count, hash.finish()))
    }

    /// Refuses a difference.
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
                     changed: fix the disk and try again"
                ),
            }),
        }
    }
}

/// A set that is being written. Engines see it when it is switched to, and nothing of it before; if that
/// never happens, it is removed with this value, and so is what was written to go with it.
pub struct SetWriter<'disk> {
    disk: &'disk dyn Disk,
    folder: PathBuf,
    logs: Vec<LogDraft>,
    snapshots: Vec<PathBuf>,
    written: Histories,
}

impl<'disk> SetWriter<'disk> {
    /// Begins a set of empty logs in `folder`.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn create(disk: &'disk dyn Disk, folder: &Path, shards: u16) -> Result<SetWriter<'disk>, EngineError> {
        let beginning = Stamp { sequence: Sequence::FIRST, time: UnixMs::UNKNOWN };
        SetWriter::create_at(disk, folder, &vec![beginning; shards.into()])
    }

    /// Begins a set in which each log continues after a given command and time, because snapshots hold what comes
    /// before.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn create_at(
        disk: &'disk dyn Disk,
        folder: &Path,
        beginnings: &[Stamp],
    ) -> Result<SetWriter<'disk>, EngineError> {
        remove_drafts(disk, folder).map_err(io_error("remove the drafts of", folder))?;
        let (snapshots, written) = (Vec::new(), Histories::default());
        let mut set = SetWriter { disk, folder: folder.to_path_buf(), logs: Vec::new(), snapshots, written };
        for (shard, &Stamp { sequence: first, time: last_time }) in beginnings.iter().enumerate() {
            let shard = ShardOf { shard: shard as u16, shards: beginnings.len() as u16 };
            let path = folder.join(shard.segment_name(first)).with_extension("draft");
            let header = LogHeader { shard, id: disk.new_log_id(), first, last_time };
            let file = disk.create(&path, &header.encode()).map_err(io_error("write", &path))?;
            let (end, first) = (HEADER_BYTES as u64, Stamp { sequence: first, time: last_time });
            set.logs.push(LogDraft { file, path, header, end, first, frame: Vec::new() });
        }
        Ok(set)
    }

    /// The headers of the logs, by shard.
    pub fn headers(&self) -> Vec<LogHeader> {
        self.logs.iter().map(|log| log.header).collect()
    }

    /// Takes over the draft of a snapshot: it gets its name together with the logs, or is removed
    /// with them.
    pub fn goes_with(&mut self, snapshot: PathBuf) {
        self.snapshots.push(snapshot);
    }

    /// Adds the next command, of a frame with this time, to the log of its shard. Times must not
    /// decrease.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn push(&mut self, time: UnixMs, command: &Command) -> Result<(), EngineError> {
        self.written.add(time, command);
        let shard = ShardOf::market(command.market(), self.logs.len() as u16).shard;
        let log = &mut self.logs[usize::from(shard)];
        log.push(time, command).map_err(io_error("write", &log.path))
    }

    /// Makes the set durable and reads it back. Returns how many commands it holds.
    ///
    /// # Errors
    /// Errors of the disk, and [`EngineError::Unsound`] when it does not read back as it was written.
    pub fn finish(&mut self) -> Result<u64, EngineError> {
        for log in &mut self.logs {
            log.finish().map_err(io_error("write", &log.path))?;
        }
        let starts = self.logs.iter().map(LogDraft::start).collect();
        let read = Histories::read(LogMerge::of(self.disk, starts)?)?;
        read.must_be(&self.written, &self.folder)?;
        Ok(self.written.commands())
    }

    /// Replaces all other logs with the finished set, by one rename: of the file that declares it. From then on, the
    /// next program that opens the directory completes the switch.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn switch(mut self) -> Result<(), EngineError> {
        let shards = self.logs.len() as u16;
        let mark = self.folder.join(format!("{SWITCH}{shards}"));
        let io = |source| EngineError::Io { what: "switch to the new logs", path: self.folder.clone(), source };
        remove_leftovers(self.disk, &self.folder, shards).map_err(io)?;
        let made = self.disk.create(&mark, &[]).map(drop);
        // A rename that failed may have taken place.
        self.logs.clear();
        self.snapshots.clear();
        made.map_err(io)?;
        complete_switch(self.disk, &self.folder)
    }
}

/// Removes drafts of earlier reshardings.
fn remove_drafts(disk: &dyn Disk, folder: &Path) -> io::Result<()> {
    let names = disk.list(folder)?;
    names.iter().filter(|name| of_draft(name).is_some()).try_for_each(|name| disk.remove(&folder.join(name)))
}

/// Removes files that have a name of the new set and are not part of it: no engine has opened them, because a set
/// without the log of shard 0 does not count.
fn remove_leftovers(disk: &dyn Disk, folder: &Path, shards: u16) -> io::Result<()> {
    let names = disk.list(folder)?;
    let left =
        names.iter().filter(|name| of_draft(name).is_none() && owner(name).is_some_and(|of| of.shards == shards));
    left.into_iter().try_for_each(|name| disk.remove(&folder.join(name)))
}

/// Completes a switch that [`SetWriter::switch`] began.
///
/// # Errors
/// [`EngineError::Unsound`] when a log of the new set is gone, and errors of the disk.
pub(crate) fn complete_switch(disk: &dyn Disk, folder: &Path) -> Result<(), EngineError> {
    let io =
        |source| EngineError::Io { what: "complete an interrupted resharding", path: folder.to_path_buf(), source };
    let names = disk.list(folder).map_err(io)?;
    let Some((mark, shards)) = names.iter().find_map(|name| Some((name, name.strip_prefix(SWITCH)?.parse().ok()?)))
    else {
        return Ok(());
    };
    let whole = names.iter().map(|name| of_draft(name).map_or_else(|| name.clone(), |(_, name)| name));
    // The log of shard 0 gets its name last, and what the set replaces is removed after that.
    let is_named = names.contains(&ShardOf { shard: 0, shards }.file_name());
    refuse_gap(&folder.join(mark), &whole.collect::<Vec<_>>(), shards, is_named)?;
    replace(disk, folder, &names, mark, shards).map_err(io)
}

/// Gives the new logs their names, and removes all other logs and then the mark.
fn replace(disk: &dyn Disk, folder: &Path, names: &[String], mark: &str, shards: u16) -> io::Result<()> {
    let is_log = |name: &str| ShardOf::of_segment_name(name).is_some();
    let drafts = names.iter().filter_map(|draft| of_draft(draft).map(|(of, name)| (draft, of, name)));
    let mut new: Vec<_> = drafts.filter(|(_, of, _)| of.shards == shards).collect();
    // The log of shard 0 last: if it exists, the set is complete.
    new.sort_unstable_by_key(|(_, of, name)| (is_log(name), Reverse(of.shard)));
    for (draft, _, name) in &new {
        disk.rename(&folder.join(draft), &folder.join(name))?;
    }
    let mut others: Vec<_> = names.iter().filter_map(|name| Some((owner(name)?, name))).collect();
    others.retain(|(of, _)| of.shards != shards);
    others.sort_unstable_by_key(|&(of, name)| (of.shard, name));
    for path in others.into_iter().map(|(_, name)| folder.join(name)) {
        if path.file_name().and_then(|name| name.to_str()).is_some_and(is_log) {
            watermark::remove(disk, &path)?;
        }
        disk.remove(&path)?;
    }
    disk.remove(&folder.join(mark))
}

impl Drop for SetWriter<'_> {
    fn drop(&mut self) {
        for path in self.logs.iter().map(|log| &log.path).chain(&self.snapshots) {
            // The failed step has reported why; a draft that stays is removed by the next
            // resharding.
            let _ = self.disk.remove(path);
        }
    }
}

/// One log of the set.
struct LogDraft {
    file: Box<dyn LogFile>,
    path: PathBuf,
    header: LogHeader,
    end: u64,
    /// The number of the current frame's first command, and its time.
    first: Stamp,
    /// The current frame: empty, or a header and some commands.
    frame: Vec<u8>,
}

impl LogDraft {
    /// Where to start reading it back.
    fn start(&self) -> LogStart {
        let LogHeader { shard, first, .. } = self.header;
        let segments = vec![Segment { first, path: self.path.clone() }];
        LogStart { shard, segments, from: Some(Place::behind(&self.header)) }
    }

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
        seal_frame(&mut self.frame, self.header.id, self.first);
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
