//! A log in segments: files that follow each other, each a log with the same identity whose header gives the
//! command that it begins with.
//!
//! The first has the name of a log in one piece, so a log without segments is a chain of one. Only the last segment
//! is written to, and a new one is begun when everything before it is on disk. So within a chain only the end of
//! the last segment can be torn; a segment that is missing, doubled or of another log is reported, and nothing is
//! loaded.

use std::io;
use std::path::{Path, PathBuf};

use crate::log_header::LogHeader;
use crate::log_reader::{LogReader, Place};
use crate::shard::ShardOf;
use crate::{Command, Disk, LogError, LogFile, LogId, Sequence, Stamp};

/// One file of a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The command that it begins with, according to its name.
    pub first: Sequence,
    /// Where it is.
    pub path: PathBuf,
}

/// The segments of a shard's log in `folder`, in their order; empty if there is no log.
///
/// # Errors
/// Errors of the disk.
pub fn segments(disk: &dyn Disk, folder: &Path, shard: ShardOf) -> io::Result<Vec<Segment>> {
    let names = disk.list(folder)?.into_iter();
    let ours = names.filter_map(|name| ShardOf::of_segment_name(&name).filter(|(of, _)| *of == shard));
    let mut segments: Vec<Segment> =
        ours.map(|(_, first)| Segment { first, path: folder.join(shard.segment_name(first)) }).collect();
    segments.sort_unstable_by_key(|segment| segment.first);
    Ok(segments)
}

/// The identity of a shard's log in `folder`; [`LogId::NONE`] for version 1.
///
/// # Errors
/// [`LogError::Missing`] when there is no log, and errors of its first header.
pub fn identity(disk: &dyn Disk, folder: &Path, shard: ShardOf) -> Result<LogId, LogError> {
    let path = folder.join(shard.file_name());
    let segments = segments(disk, folder, shard);
    let segments = segments.map_err(|source| LogError::Io { what: "look for", path: path.clone(), source })?;
    let first = segments.first().ok_or(LogError::Missing { path })?;
    Ok(LogReader::new(&mut *open(disk, first)?, &first.path)?.header.id)
}

/// How far a chain was read.
pub struct ChainEnd {
    /// The segment that was read last.
    pub path: PathBuf,
    /// What its header says.
    pub header: LogHeader,
    /// The place behind the last frame that was read.
    pub place: Place,
    /// How many bytes of a torn last frame there are, if the log was read to its end.
    pub torn_bytes: u64,
}

/// Reads the log in `segments`, of which there is at least one, and passes every command to `replay` in order.
///
/// It begins at `from`, or with the first command. It ends after command `until`, which has to be the last of a
/// frame that is on disk, and looks at nothing behind it; without `until` it ends at the log's end, which is
/// judged.
///
/// # Errors
/// [`LogError::Chain`], [`LogError::Beginning`], [`LogError::NoPlace`], those of [`LogReader`], and what `replay`
/// returns.
pub fn read_chain<E: From<LogError>>(
    disk: &dyn Disk,
    shard: ShardOf,
    segments: &[Segment],
    from: Option<&Place>,
    until: Option<Sequence>,
    mut replay: impl FnMut(Stamp, Command) -> Result<(), E>,
) -> Result<ChainEnd, E> {
    let mut before: Option<ChainEnd> = None;
    let mut following = segments.iter().skip_while(|segment| from.is_some_and(|from| segment.first < from.segment));
    let mut segment = match (following.next(), from) {
        (Some(segment), Some(from)) if segment.first != from.segment => return Err(no_segment(segments, from).into()),
        (None, _) => return Err(no_segment(segments, from.unwrap_or(&BEGINNING)).into()),
        (Some(segment), _) => segment,
    };
    loop {
        let next = following.next();
        let mut file = open(disk, segment)?;
        let mut reader = match (&before, from) {
            (None, Some(from)) => LogReader::resume(&mut *file, &segment.path, from)?,
            _ => LogReader::new(&mut *file, &segment.path)?,
        };
        check_header(&reader.header, shard, segment, before.as_ref(), from.is_some())?;
        let ends = |at: Sequence| until.is_some_and(|until| at > until || next.is_some_and(|next| at == next.first));
        while !ends(reader.next().sequence) && reader.advance()? {
            reader.frame().try_for_each(|(stamp, command)| replay(stamp, command))?;
        }
        let (header, place, torn_bytes) = (reader.header, reader.log_place(), reader.torn_bytes());
        let end = ChainEnd { path: segment.path.clone(), header, place, torn_bytes };
        match next {
            Some(next) if until.is_none_or(|until| place.next.sequence <= until) => {
                check_follows(&end, next)?;
                segment = next;
                before = Some(end);
            }
            _ => return Ok(end),
        }
    }
}

/// The place before the first command.
const BEGINNING: Place = Place {
    segment: Sequence::FIRST,
    last: (0, 0),
    crc: 0,
    next: Stamp { sequence: Sequence::FIRST, time: crate::UnixMs::UNKNOWN },
};

fn no_segment(segments: &[Segment], place: &Place) -> LogError {
    LogError::NoPlace {
        path: segments.first().map_or_else(PathBuf::new, |segment| segment.path.clone()),
        sequence: Sequence(place.next.sequence.0.saturating_sub(1)),
        offset: place.last.1,
        reason: format!("there is no segment that begins with command {}", place.segment),
    }
}

fn open(disk: &dyn Disk, segment: &Segment) -> Result<Box<dyn LogFile>, LogError> {
    let path = &segment.path;
    let opened = disk.open_to_read(path).map_err(|source| LogError::Io { what: "open", path: path.clone(), source })?;
    opened.ok_or_else(|| LogError::Missing { path: path.clone() })
}

/// Refuses a file whose header contradicts its name or the segment before it.
fn check_header(
    header: &LogHeader,
    shard: ShardOf,
    segment: &Segment,
    before: Option<&ChainEnd>,
    is_resumed: bool,
) -> Result<(), LogError> {
    let path = segment.path.clone();
    let chain = |reason: String| Err(LogError::Chain { path: path.clone(), reason });
    if header.shard != shard {
        return Err(LogError::OtherShard { path, found: header.shard, asked: shard });
    }
    match before {
        None if !is_resumed && header.first != Sequence::FIRST => {
            Err(LogError::Beginning { path, first: header.first })
        }
        Some(before) if before.header.id != header.id => {
            chain(format!("it belongs to another log than {}", before.path.display()))
        }
        _ if header.first != segment.first => chain(format!(
            "its name says that it begins with command {}, but its header says command {}",
            segment.first, header.first
        )),
        Some(before) if before.place.next.time != header.last_time => chain(format!(
            "its header says that the time before it is {}, but {} ends with {}",
            header.last_time,
            before.path.display(),
            before.place.next.time
        )),
        _ => Ok(()),
    }
}

/// Refuses a segment that does not end where the next one begins.
fn check_follows(end: &ChainEnd, next: &Segment) -> Result<(), LogError> {
    let (last, first) = (end.place.next.sequence, next.first);
    let chain = |reason| Err(LogError::Chain { path: next.path.clone(), reason });
    if end.torn_bytes > 0 {
        return Err(LogError::Corrupt {
            path: end.path.clone(),
            offset: end.place.last.1,
            sequence: last,
            reason: format!("a frame is torn there, but {} was begun after it", next.path.display()),
        });
    }
    let path = end.path.display();
    if last < first {
        let missing = Sequence(first.0 - 1);
        return chain(format!(
            "commands {last} to {missing} are missing between {path}, which comes before it, and this segment"
        ));
    }
    if last > first {
        let doubled = Sequence(last.0 - 1);
        return chain(format!("commands {first} to {doubled} are also in {path}, which comes before it"));
    }
    Ok(())
}
