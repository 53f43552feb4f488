//! The parts of a ledger. An engine that begins with a snapshot does not see what came before it, so it begins a part.
//!
//! A part's name says with which command it goes on, and how many entries come before it. So the parts of a shard, one
//! after the other in the order of their names, are the ledger: where the next part begins, the one before is cut.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

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

    /// Ends the parts before this one, which is at `path`, where it begins. Those that begin behind it are removed: what
    /// is in them is in this one, or will be.
    ///
    /// # Errors
    /// What the system says.
    pub fn ends_those_before(self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(path);
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let Some(part) = entry.file_name().to_str().and_then(Part::of_file_name) else { continue };
            if part.shard != self.shard || part.first == self.first {
                continue;
            }
            if part.first > self.first {
                fs::remove_file(entry.path())?;
                continue;
            }
            let length = self.entry.saturating_sub(part.entry) * Event::BYTES as u64;
            if entry.metadata()?.len() > length {
                OpenOptions::new().write(true).open(entry.path())?.set_len(length)?;
            }
        }
        Ok(())
    }
}
