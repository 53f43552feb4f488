//! Whether the rows and a log have the same past.
//!
//! A log that was restored from an older copy, or cut by a takeover, has the same identity and goes on with other commands under
//! numbers that the rows have already. So the last command that the rows know has to be in the log, in a frame of the same time.

use keeping::fit;
use market::log::ShardOf;
use market::log_chain::{read_chain, segments};
use market::{EngineError, LogError, Options, Sequence, Stamp, snapshot};

use crate::error::HistoryError;
use crate::store::{FOLDER, Followed, Store};

/// Refuses rows of another past: the log has to have the command before their place, in a frame of the time that they
/// know. It is looked for in the log, from the newest snapshot before it on. The watermark may be old after a power
/// cut, so it decides nothing here.
///
/// # Errors
/// [`HistoryError::Unusable`] when the log does not have it, and errors of the disk.
pub fn check(options: &Options, store: &Store, shard: ShardOf, at: &Followed) -> Result<(), HistoryError> {
    if at.next == Sequence::FIRST {
        return Ok(());
    }
    let (disk, folder) = (&*options.disk, &options.data_dir);
    let snapshots = snapshot::list(disk, folder, shard).map_err(HistoryError::io("look for snapshots", folder))?;
    let segments = segments(disk, folder, shard).map_err(HistoryError::io("look for the log", folder))?;
    let mut before = snapshots.iter().filter(|(next, _)| *next <= at.next);
    let place = before.find_map(|(_, path)| Some(fit::open(disk, shard, &segments, path).ok()?.header.place));
    let last = Sequence(at.next.0 - 1);
    let end = read_chain::<LogError>(disk, shard, &segments, place.as_ref(), Some(last), |_, _| Ok(()));
    let end = end.map_err(EngineError::from)?.place.next;
    if end == (Stamp { sequence: at.next, time: at.time }) { Ok(()) } else { Err(other_past(store, at.next)) }
}

/// Refuses rows that go further than the logs, each of which goes on with its `next` command.
///
/// # Errors
/// [`HistoryError::Unusable`] when some do, and when they can't be read.
pub fn check_ends(store: &Store, next: &[Sequence]) -> Result<(), HistoryError> {
    (0..).zip(next).try_for_each(|(shard, next)| match store.followed(shard)?.next {
        reached if reached > *next => Err(other_past(store, reached)),
        _ => Ok(()),
    })
}

/// Removes the rows, and the columns with them, if they know commands from `next` on: a log is about to be cut there, because these
/// commands did not become part of what a majority has. The rest of the log leads to rows again. Returns whether they did.
///
/// # Errors
/// When the rows can't be read or removed.
pub fn forget(options: &Options, shard: u16, next: Sequence) -> Result<bool, HistoryError> {
    if !options.data_dir.join(FOLDER).exists() {
        return Ok(false);
    }
    let is_beyond = Store::open(options, false)?.followed(shard)?.next > next;
    if is_beyond {
        Store::open(options, true)?;
    }
    Ok(is_beyond)
}

fn other_past(store: &Store, next: Sequence) -> HistoryError {
    let reason = format!(
        "the rows go up to command {}, and the log does not have that command as they know it: the rows are of another past, \
         perhaps because the log was restored from an older copy",
        next.0 - 1
    );
    HistoryError::Unusable { path: store.path().to_path_buf(), reason }
}
