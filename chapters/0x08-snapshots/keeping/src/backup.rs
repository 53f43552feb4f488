//! A backup: a copy of a data directory that opens, taken beside a running engine, and the way back.
//!
//! It has the snapshots of each shard and its log up to the watermark, so nothing in it is torn, and nothing that was
//! acknowledged before it began is missing. Before the copy gets its name it is opened, and its log is read to its
//! last command. So there is either a tried copy or none. Restoring is copying too: what is restored was checked
//! before it gets its name. The engine is not involved, and does not wait.

use std::fs;
use std::path::{Path, PathBuf};

use market::disk::copy_file;
use market::log::ShardOf;
use market::log_chain::{Segment, identity, read_chain, segments};
use market::log_reader::Place;
use market::snapshot::{list, of_file_name};
use market::watermark::{self, Mark};
use market::{Disk, EngineError, LogError, Options, Sequence};

use crate::engine::Shadow;
use crate::fit::check;
use crate::ledger_parts;
use crate::once::shard_count;

/// How often a copy is tried again because an engine changed the files meanwhile.
const TRIES: usize = 50;

// ANCHOR: copy
/// Copies the set of logs and snapshots in the data directory of `from` to the folder `to`, which must be new or
/// empty, and returns a summary of the copy.
///
/// # Errors
/// When there is no log, when it can't be trusted, when something is at `to`, or the disk fails. Then there is
/// nothing new at `to`.
pub fn copy<S: Shadow>(from: &Options, to: &Path) -> Result<String, EngineError> {
    let shards = shard_count(from, "copy")?;
    refuse_occupied(&*from.disk, to)?;
    let draft = draft_of(to);
    let drafted = Options { data_dir: draft.clone(), ..from.clone() };
    fs::create_dir_all(&draft).map_err(io("make", &draft))?;
    let shards = (0..shards).map(|shard| ShardOf { shard, shards });
    let said = shards.map(|shard| copy_shard::<S>(from, &drafted, shard)).collect::<Result<Vec<String>, _>>();
    let named = said.and_then(|said| {
        // The ledger's parts were copied by the system, which syncs no names.
        from.disk.make_folder(&draft).map_err(io("make", &draft))?;
        // An empty folder makes room for the name; another stays, and is an error.
        let _ = fs::remove_dir(to);
        from.disk.rename(&draft, to).map_err(io("name", to))?;
        Ok(said.join("\n"))
    });
    if named.is_err() {
        let _ = fs::remove_dir_all(&draft);
    }
    named
}
// ANCHOR_END: copy

/// The folder in which the copy is made. No other process has one of this name.
fn draft_of(to: &Path) -> PathBuf {
    let mut name = to.file_name().unwrap_or_default().to_owned();
    name.push(format!(".draft-{}", std::process::id()));
    to.with_file_name(name)
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
    // The file may be read while it is written, and then holds no valid mark.
    let Some(mark) = (0..TRIES).find_map(|_| watermark::read(disk, &path, log)) else {
        let reason = "it has no watermark, so it is not known how much of it is on disk: start an engine once".into();
        return Err(EngineError::Unsound { path, reason });
    };
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
    watermark::write(disk, &copied.join(shard.file_name()), log, mark).map_err(io("copy the watermark to", copied))?;
    ledger_parts::copy(shard, folder, copied).map_err(io("copy the ledger to", copied))?;
    Ok(mark)
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
