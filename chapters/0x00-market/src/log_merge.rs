//! The logs of all shards side by side, as one stream in the order of their frames' times.
//!
//! A name proves nothing: each log's header has to say what its name says, segments have to follow each other, and
//! each command's market has to belong to that shard. Cost: memory for some thousand commands, or for one frame, of
//! each log.

use std::collections::VecDeque;
use std::io;
use std::path::Path;

use crate::log::ShardOf;
use crate::log_chain::{ChainEnd, Segment, read_chain, segments};
use crate::log_durable::known_durable;
use crate::log_reader::Place;
use crate::{Command, Disk, EngineError, LogError, Sequence, Stamp, UnixMs};

/// How many commands of a log are read ahead at once; reading continues to the end of a frame.
const AHEAD_COMMANDS: u64 = 4_096;

/// Passes every command of a set to `each`, with the time of its frame, in the order of these times. Frames with the
/// same time come in the order of their logs.
///
/// # Errors
/// Those of [`LogMerge`], and what `each` returns.
pub fn read_set(
    disk: &dyn Disk,
    folder: &Path,
    shards: u16,
    mut each: impl FnMut(UnixMs, &Command) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let mut logs = LogMerge::open(disk, folder, &vec![None; shards.into()])?;
    while let Some((_, stamp, command)) = logs.next_command()? {
        each(stamp.time, &command)?;
    }
    Ok(())
}

/// A set of logs that is being read.
///
/// It refuses a log that is missing, damaged, torn or of another set, that begins at the wrong place, or that ends
/// before its watermark or a snapshot.
pub struct LogMerge<'disk> {
    disk: &'disk dyn Disk,
    logs: Vec<LogAhead>,
    /// The log whose turn it is, and up to which time.
    turn: Option<(usize, UnixMs)>,
}

/// What a reader of a set needs to start: the segments of a shard's log, and the place where reading
/// begins.
pub struct LogStart {
    /// The shard.
    pub shard: ShardOf,
    /// Its segments, in their order.
    pub segments: Vec<Segment>,
    /// Where reading begins; `None` for the first command.
    pub from: Option<Place>,
}

impl<'disk> LogMerge<'disk> {
    /// Opens the set in `folder`, with one log for each of `places`, to read each from its place on, or from its
    /// first command.
    ///
    /// # Errors
    /// What is refused, and errors of the disk.
    pub fn open(
        disk: &'disk dyn Disk,
        folder: &Path,
        places: &[Option<Place>],
    ) -> Result<LogMerge<'disk>, EngineError> {
        let mut starts = Vec::new();
        for (shard, from) in places.iter().enumerate() {
            let shard = ShardOf { shard: shard as u16, shards: places.len() as u16 };
            let segments = segments(disk, folder, shard).map_err(|source| io_error("look for", folder, source))?;
            starts.push(LogStart { shard, segments, from: *from });
        }
        if let Some(LogStart { shard, .. }) = starts.iter().find(|start| start.segments.is_empty()) {
            return Err(LogError::Missing { path: folder.join(shard.file_name()) }.into());
        }
        LogMerge::of(disk, starts)
    }

    /// The same for logs whose segments are known; each has at least one.
    ///
    /// # Errors
    /// What is refused, and errors of the disk.
    pub fn of(disk: &'disk dyn Disk, starts: Vec<LogStart>) -> Result<LogMerge<'disk>, EngineError> {
        let mut logs: Vec<LogAhead> =
            starts.into_iter().map(|start| LogAhead { start, commands: VecDeque::new() }).collect();
        logs.iter_mut().try_for_each(|log| log.fill(disk))?;
        Ok(LogMerge { disk, logs, turn: None })
    }

    /// The next command of the set: its shard, its stamp there, and itself.
    ///
    /// # Errors
    /// What is refused, and errors of the disk.
    pub fn next_command(&mut self) -> Result<Option<(u16, Stamp, Command)>, EngineError> {
        self.next_until(UnixMs(u64::MAX))
    }

    /// The same, or `None` when the next command's frame is later than `last`.
    ///
    /// # Errors
    /// As [`next_command`](LogMerge::next_command).
    pub fn next_until(&mut self, last: UnixMs) -> Result<Option<(u16, Stamp, Command)>, EngineError> {
        let goes_on = self.turn.filter(|&(at, time)| self.logs[at].time() == Some(time));
        let earliest = || {
            let times = self.logs.iter().enumerate().filter_map(|(at, log)| Some((at, log.time()?)));
            times.min_by_key(|&(_, time)| time)
        };
        self.turn = goes_on.or_else(earliest);
        let Some((at, _)) = self.turn.filter(|&(_, time)| time <= last) else { return Ok(None) };
        let log = &mut self.logs[at];
        let Some((stamp, command)) = log.commands.pop_front() else { return Ok(None) };
        if log.commands.is_empty() {
            log.fill(self.disk)?;
        }
        Ok(Some((log.start.shard.shard, stamp, command)))
    }
}

/// Commands of one log that were read ahead.
struct LogAhead {
    /// Its place is behind these commands.
    start: LogStart,
    /// Empty when the log is at its end.
    commands: VecDeque<(Stamp, Command)>,
}

impl LogAhead {
    /// The time of the next command's frame.
    fn time(&self) -> Option<UnixMs> {
        self.commands.front().map(|(stamp, _)| stamp.time)
    }

    /// Reads the next commands; none are left only at the log's end.
    fn fill(&mut self, disk: &dyn Disk) -> Result<(), EngineError> {
        let (LogStart { shard, segments, from }, commands) = (&mut self.start, &mut self.commands);
        let next = from.map_or(Sequence::FIRST, |from| from.next.sequence);
        let until = next.plus(AHEAD_COMMANDS);
        let end = read_chain::<EngineError>(disk, *shard, segments, from.as_ref(), Some(until), |stamp, command| {
            commands.push_back((stamp, command));
            Ok(())
        })?;
        *from = Some(end.place);
        if commands.is_empty() { check_end(disk, &end) } else { Ok(()) }
    }
}

/// Refuses a log that is torn, or ends before what is known to have been on disk.
fn check_end(disk: &dyn Disk, end: &ChainEnd) -> Result<(), EngineError> {
    let path = end.path.clone();
    if end.torn_bytes > 0 {
        let shards = end.header.shard.shards;
        let reason = format!("its last frame is torn: open it with `--shards {shards}` once, which repairs that");
        return Err(EngineError::Unsound { path, reason });
    }
    let found = Sequence(end.place.next.sequence.0 - 1);
    match known_durable(disk, &path, &end.header)? {
        Some(durable) if durable > found => Err(LogError::short(path, end.header.first, found, durable).into()),
        _ => Ok(()),
    }
}

fn io_error(what: &'static str, path: &Path, source: io::Error) -> EngineError {
    LogError::Io { what, path: path.to_path_buf(), source }.into()
}
