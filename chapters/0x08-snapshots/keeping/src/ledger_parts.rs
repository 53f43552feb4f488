//! The parts of a ledger. An engine that begins with a snapshot does not see what came before it, so it begins a part.
//!
//! A part's name says with which command it goes on, and how many entries come before it. So the parts of a shard, one
//! after the other in the order of their names, are the ledger: where the next part begins, the one before is cut.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use market::log::ShardOf;
use market::{Event, Sequence};

/// A part of the ledger of a shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Whose it is.
    pub shard: ShardOf,
    /// The command that it goes on with.
    pub first: Sequence,
    /// How many entries come before it.
    pub entry: u64,
}

impl Part {
    /// The only part, when all of the log was replayed.
    pub fn whole(shard: ShardOf) -> Part {
        Part { shard, first: Sequence::FIRST, entry: 0 }
    }

    /// Its name in a data directory.
    pub fn file_name(self) -> String {
        let stem = match self.shard {
            ShardOf::ONLY => "ledger".to_string(),
            ShardOf { shard, shards } => format!("ledger-{shard}-of-{shards}"),
        };
        match self.first {
            Sequence::FIRST => format!("{stem}.bin"),
            first => format!("{stem}.from-{first:020}-entry-{:020}.bin", self.entry),
        }
    }

    /// Which part a file of this name is, if it is one.
    pub fn of_file_name(name: &str) -> Option<Part> {
        let rest = name.strip_suffix(".bin")?.strip_prefix("ledger")?;
        let (shard, from) = rest.split_once(".from-").map_or((rest, None), |(shard, from)| (shard, Some(from)));
        let shard = match shard.strip_prefix('-') {
            None => ShardOf::ONLY,
            Some(shard) => {
                let (shard, shards) = shard.split_once("-of-")?;
                ShardOf { shard: shard.parse().ok()?, shards: shards.parse().ok()? }
            }
        };
        let part = match from {
            None => Part::whole(shard),
            Some(from) => {
                let (first, entry) = from.split_once("-entry-")?;
                Part { shard, first: Sequence(first.parse().ok()?), entry: entry.parse().ok()? }
            }
        };
        (part.file_name() == name).then_some(part)
    }

    /// Ends the parts before this one, which is at `path`, where it begins. Parts that begin after it are removed:
    /// their content is in this one, or will be.
    ///
    /// # Errors
    /// What the system reports.
    pub fn ends_those_before(self, path: &Path) -> io::Result<()> {
        self.cut(path.parent().unwrap_or(path), |part| part.first > self.first)
    }

    /// Ends the ledger in `folder` where this part would begin, without making the part.
    ///
    /// # Errors
    /// What the system reports.
    pub fn ends(self, folder: &Path) -> io::Result<()> {
        self.cut(folder, |part| part.first >= self.first)
    }

    fn cut(self, folder: &Path, is_needless: impl Fn(Part) -> bool) -> io::Result<()> {
        for (part, path, bytes) in parts(self.shard, folder)? {
            if is_needless(part) {
                fs::remove_file(path)?;
                continue;
            }
            let length = self.entry.saturating_sub(part.entry) * Event::BYTES as u64;
            if part.first < self.first && bytes > length {
                OpenOptions::new().write(true).open(path)?.set_len(length)?;
            }
        }
        Ok(())
    }
}

/// The parts of a shard's ledger in a folder in their order, with path and size in bytes.
///
/// # Errors
/// What the system reports.
pub fn parts(shard: ShardOf, folder: &Path) -> io::Result<Vec<(Part, PathBuf, u64)>> {
    let mut parts = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let part = entry.file_name().to_str().and_then(Part::of_file_name).filter(|part| part.shard == shard);
        if let Some(part) = part {
            parts.push((part, entry.path(), entry.metadata()?.len()));
        }
    }
    parts.sort_unstable_by_key(|(part, ..)| part.first);
    Ok(parts)
}

/// Whether the parts that are there have all entries before this one, without a hole; the first `on_disk` of them
/// survived any crash. An engine that is killed loses what it had not yet written; and of what was written and not
/// synced, a power failure may leave zeros. So those behind `on_disk` are read.
///
/// # Errors
/// What the system reports.
pub fn reach(shard: ShardOf, folder: &Path, entry: u64, on_disk: u64) -> io::Result<bool> {
    let parts = parts(shard, folder)?;
    let is_there = entry == 0 || without_hole(&parts).is_some_and(|there| there.start <= entry && entry <= there.end);
    Ok(is_there && are_events(&parts, on_disk..entry)?)
}

/// Which entries are in the parts, as far as there is no hole.
fn without_hole(parts: &[(Part, PathBuf, u64)]) -> Option<Range<u64>> {
    let first = parts.first()?.0.entry;
    let ends = |end, (part, _, bytes): &(Part, PathBuf, u64)| {
        (part.entry <= end).then(|| part.entry + bytes / Event::BYTES as u64).ok_or(end)
    };
    Some(first..parts.iter().try_fold(first, ends).unwrap_or_else(|end| end))
}

/// Whether the entries in `range` are events, each of which the parts have.
fn are_events(parts: &[(Part, PathBuf, u64)], range: Range<u64>) -> io::Result<bool> {
    let mut at = range.start;
    let behind = parts.iter().skip(1).map(|(part, ..)| part.entry).chain([range.end]);
    for ((part, path, _), end) in parts.iter().zip(behind) {
        let end = end.min(range.end);
        if end <= at {
            continue;
        }
        let mut file = BufReader::new(File::open(path)?);
        file.seek(SeekFrom::Start((at.saturating_sub(part.entry)) * Event::BYTES as u64))?;
        for _ in at.max(part.entry)..end {
            let mut bytes = [0; Event::BYTES];
            file.read_exact(&mut bytes)?;
            if Event::decode(&bytes).is_none() {
                return Ok(false);
            }
        }
        at = end;
    }
    Ok(true)
}

/// Returns when everything in the parts survives a crash, and returns how many entries that are from the first on,
/// without a hole.
///
/// # Errors
/// What the system reports.
pub fn sync(shard: ShardOf, folder: &Path) -> io::Result<u64> {
    let parts = parts(shard, folder)?;
    for (_, path, _) in &parts {
        // Some systems sync only files that are open for writing. A start may have removed this
        // one meanwhile.
        match OpenOptions::new().write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            file => file?.sync_all()?,
        }
    }
    Ok(without_hole(&parts).map_or(0, |there| there.end))
}

/// Copies the parts to another folder, as far as they are written, and returns when the copies are on disk.
///
/// # Errors
/// What the system reports.
pub fn copy(shard: ShardOf, from: &Path, to: &Path) -> io::Result<()> {
    for (part, path, _) in parts(shard, from)? {
        // Without its permissions: a backup may be on a medium that can't be written.
        io::copy(&mut File::open(path)?, &mut File::create(to.join(part.file_name()))?)?;
    }
    sync(shard, to).map(drop)
}
