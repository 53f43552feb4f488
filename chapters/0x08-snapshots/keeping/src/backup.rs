//! A backup: a copy of a data directory that opens, taken beside a running engine, and the way back.
//!
//! It has the snapshots of each shard and its log up to the watermark, so nothing in it is torn, and nothing that was
//! acknowledged before it began is missing. Before the copy gets its name it is opened, and its log is read to its
//! last command. So there is either a tried copy or none. Restoring is copying too: what is restored was checked
//! before it gets its name. The engine is not involved, and does not wait.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use market::disk::copy_file;
use market::log::ShardOf;
use market::log_chain::{Segment, identity, read_chain, segments};
use market::log_reader::Place;
use market::snapshot::{list, of_file_name};
use market::watermark::{self, Mark};
use market::{Disk, EngineError, LogError, LogId, Options, Sequence};

use crate::engine::Shadow;
use crate::fit::check;
use crate::ledger_parts;
use crate::once::{read_mark, shard_count};

/// How often a copy is tried again because an engine changed the files meanwhile.
const TRIES: usize = 50;

/// How long to wait for the first command's watermark before looking again.
const REST: Duration = Duration::from_millis(10);

// ANCHOR: copy
/// Copies the set of logs and snapshots in the data directory of `from` to the folder `to`, which must be new or
/// empty, and returns a summary of the copy.
///
/// # Errors
/// When there is no log, when it can't be trusted, when something is at `to`, or the disk fails. Then there is
/// nothing new at `to`.
pub fn copy<S: Shadow>(from: &Options, to: &Path) -> Result<String, EngineError> {
    let shards = shard_count(from, "copy")?;
    let disk = &*from.disk;
    refuse_occupied(disk, to)?;
    make_room(to)?;
    let draft = draft_of(disk, to)?;
    let drafted = Options { data_dir: draft.clone(), ..from.clone() };
    let shards = (0..shards).map(|shard| ShardOf { shard, shards });
    let said = shards.map(|shard| copy_shard::<S>(from, &drafted, shard)).collect::<Result<Vec<String>, _>>();
    let named = said.and_then(|said| {
        // The ledger's parts were copied by the system, which syncs no names.
        disk.make_folder(&draft).map_err(io("make", &draft))?;
        disk.rename(&draft, to).map_err(io("name", to))?;
        Ok(said.join("\n"))
    });
    if named.is_err() {
        let _ = fs::remove_dir_all(&draft);
    }
    named
}
// ANCHOR_END: copy

/// Removes an empty folder at `to`, whose place the copy takes. What can't be removed now could not be replaced once
/// everything is copied.
fn make_room(to: &Path) -> Result<(), EngineError> {
    match fs::remove_dir(to) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(EngineError::Refused(format!(
            "{}: this folder is empty, but the copy can't take its place ({error}), as with a mount point, a link or the \
             current folder: name a new folder, such as {}",
            to.display(),
            to.join("market").display()
        ))),
        _ => Ok(()),
    }
}

/// Makes the folder in which the copy is made, beside `to`. Its name is a random one: the process that a killed one is
/// followed by may have the same number, as in a container, and would find its draft.
fn draft_of(disk: &dyn Disk, to: &Path) -> Result<PathBuf, EngineError> {
    let mut name = to.file_name().unwrap_or_default().to_owned();
    name.push(format!(".draft-{:016x}", disk.new_log_id().0));
    let draft = to.with_file_name(name);
    // The folders above are on disk before the first of them has something in it.
    disk.make_folder(draft.parent().unwrap_or(to)).map_err(io("make the folder of", to))?;
    fs::create_dir(&draft).map_err(io("make", &draft))?;
    Ok(draft)
}

fn refuse_occupied(disk: &dyn Disk, to: &Path) -> Result<(), EngineError> {
    match disk.list(to).map_err(io("look at", to))?.first() {
        None => Ok(()),
        Some(name) => Err(EngineError::Refused(format!(
            "{}: {name} is there already, and nothing is replaced: name a folder that is new or empty, or move this one \
             away",
            to.display()
        ))),
    }
}

/// Copies one shard, again if its log is trimmed meanwhile, and tries the copy.
fn copy_shard<S: Shadow>(from: &Options, to: &Options, shard: ShardOf) -> Result<String, EngineError> {
    let mut tries = 0;
    loop {
        let names = names(from, shard)?;
        let tried = copy_files(from, to, shard, &names).and_then(|mark| try_copy::<S>(to, shard, mark));
        tries += 1;
        if tried.is_ok() || tries == TRIES || names == self::names(from, shard)? {
            return tried;
        }
    }
}

/// The files of a shard that come and go.
fn names(options: &Options, shard: ShardOf) -> Result<Vec<String>, EngineError> {
    let mut names = options.disk.list(&options.data_dir).map_err(io("look at", &options.data_dir))?;
    let is_ours = |name: &String| {
        let of = ShardOf::of_segment_name(name).map(|(of, _)| of).or(of_file_name(name).map(|(of, _)| of));
        of == Some(shard)
    };
    names.retain(is_ours);
    names.sort_unstable();
    Ok(names)
}

/// Copies the snapshots and the log of a shard up to its watermark, and what there is of its ledger.
fn copy_files(from: &Options, to: &Options, shard: ShardOf, names: &[String]) -> Result<Mark, EngineError> {
    let (disk, folder, copied) = (&*from.disk, &from.data_dir, &to.data_dir);
    names_of_copy_removed(to, shard)?;
    let path = folder.join(shard.file_name());
    let log = identity(disk, folder, shard)?;
    let known = mark_of(disk, shard, &path, log)?;
    let mark = known.unwrap_or(Mark { end: 0, last: Sequence(0) });
    let mut snapshots =
        names.iter().filter(|name| of_file_name(name).is_some_and(|(_, next)| next <= mark.last.plus(1)));
    snapshots.try_for_each(|name| {
        let path = folder.join(name);
        copy_file(disk, &path, &copied.join(name), u64::MAX).map_err(io("copy", &path))
    })?;
    let there = segments(disk, folder, shard).map_err(io("look at", folder))?;
    let begin = beginning(to, shard, &there)?;
    let end = read_chain::<LogError>(disk, shard, &there, begin.as_ref(), Some(mark.last), |_, _| Ok(()))?.place;
    for Segment { first, path } in there.iter().filter(|segment| segment.first <= end.segment) {
        let length = if *first == end.segment { end.last.1 } else { u64::MAX };
        copy_file(disk, path, &copied.join(shard.segment_name(*first)), length).map_err(io("copy", path))?;
    }
    if known.is_some() {
        watermark::write(disk, &copied.join(shard.file_name()), log, mark)
            .map_err(io("copy the watermark to", copied))?;
    }
    ledger_parts::copy(shard, folder, copied).map_err(io("copy the ledger to", copied))?;
    Ok(mark)
}

/// The watermark of a log, or none when the log has no command yet, as that of a shard without markets.
fn mark_of(disk: &dyn Disk, shard: ShardOf, path: &Path, log: LogId) -> Result<Option<Mark>, EngineError> {
    let folder = path.parent().unwrap_or(path);
    for _ in 0..TRIES {
        if let Some(mark) = read_mark(disk, path, log) {
            return Ok(Some(mark));
        }
        // A snapshot would say that there were commands.
        let is_new = list(disk, folder, shard).map_err(io("look at", folder))?.is_empty();
        let there = segments(disk, folder, shard).map_err(io("look at", folder))?;
        let begun = read_chain::<LogError>(disk, shard, &there, None, Some(Sequence::FIRST), |_, _| Ok(()));
        if is_new && begun.is_ok_and(|end| end.place.next.sequence == Sequence::FIRST && end.torn_bytes == 0) {
            return Ok(None);
        }
        // An engine may be writing the first command, and notes it when it is on disk.
        sleep(REST);
    }
    let reason = "it has no watermark, so it is not known how much of it is on disk: start an engine once".into();
    Err(EngineError::Unsound { path: path.to_path_buf(), reason })
}

/// Opens the copy as a start does, follows its log to the end, and reads what the start did not.
fn try_copy<S: Shadow>(copy: &Options, shard: ShardOf, mark: Mark) -> Result<String, EngineError> {
    let (disk, folder) = (&*copy.disk, &copy.data_dir);
    let there = segments(disk, folder, shard).map_err(io("look at", folder))?;
    let begin = beginning(copy, shard, &there)?;
    read_chain::<LogError>(disk, shard, &there, begin.as_ref(), None, |_, _| Ok(()))?;
    let mut shadow = S::begin(copy, shard)?;
    let began = shadow.next().0 - Sequence::FIRST.0;
    while shadow.follow(Sequence(u64::MAX))? > 0 {}
    if shadow.next() != mark.last.plus(1) {
        let reason =
            format!("the copy continues with command {}, but {} commands were on disk", shadow.next(), mark.last);
        return Err(EngineError::Unsound { path: folder.clone(), reason });
    }
    let mut said = shadow.passed_over().to_vec();
    let (number, digest) = (shard.shard, shadow.digest());
    said.push(format!(
        "shard {number}: {} commands; it opens, with a snapshot of the first {began}; the state's digest is {digest:016x}",
        mark.last
    ));
    Ok(said.join("\n"))
}

/// Where reading begins: with the first command, or, when the log in `there` has lost it, at the oldest valid
/// snapshot of the copy.
fn beginning(copy: &Options, shard: ShardOf, there: &[Segment]) -> Result<Option<Place>, EngineError> {
    if there.first().is_none_or(|segment| segment.first == Sequence::FIRST) {
        return Ok(None);
    }
    let snapshots = list(&*copy.disk, &copy.data_dir, shard).map_err(io("look at", &copy.data_dir))?;
    let header = snapshots.iter().rev().find_map(|(_, path)| check(&*copy.disk, shard, there, path).ok());
    Ok(header.map(|header| header.place))
}

/// Removes what an attempt left of a shard.
fn names_of_copy_removed(to: &Options, shard: ShardOf) -> Result<(), EngineError> {
    let remove = |name: String| to.disk.remove(&to.data_dir.join(name)).map_err(io("clear", &to.data_dir));
    names(to, shard)?.into_iter().try_for_each(remove)
}

fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> EngineError + use<> {
    let path = path.to_path_buf();
    move |source| EngineError::Io { what, path, source }
}
