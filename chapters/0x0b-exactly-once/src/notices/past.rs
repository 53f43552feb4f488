//! What the ring no longer has: a shard's events since a place, replayed from the newest snapshot before it and the log.
//!
//! It runs on a thread of its own, beside the engine. Cost: the shard's state once in memory, and the work of matching since
//! the snapshot; so few may run at once.

use std::thread::sleep;
use std::time::Duration;

use ch08::shadow::Shadow;
use gateway::reply::Refused;
use market::log::ShardOf;
use market::log_chain::segments;
use market::{AccountId, EngineError, Options, Sequence, snapshot};

use super::place::{ALL, Notice, Place, concerns};

/// How often a step is tried again: the watermark may be read while it is written, and then says nothing.
const TRIES: usize = 50;

/// How long to wait before that.
const PAUSE: Duration = Duration::from_millis(2);

/// Why it ended early.
pub enum Ended {
    /// The log's beginning was trimmed.
    Gone {
        /// Which shard's.
        shard: u16,
        /// The first command whose events can be had.
        first: Sequence,
    },
    /// The archive says why.
    Refused(&'static Refused),
    /// The log can't be read.
    Unreadable(EngineError),
    /// The reader no longer takes anything.
    Left,
}

// ANCHOR: replay
/// Hands out what concerns an account in this shard after `at` and up to `until`, in order, as long as the reader
/// has not left.
///
/// # Errors
/// [`Ended`]. What was handed out before is correct.
pub fn replay(
    options: &Options,
    shard: ShardOf,
    account: AccountId,
    at: Place,
    until: Place,
    has_left: impl Fn() -> bool,
    mut each: impl FnMut(Notice) -> Result<(), Ended>,
) -> Result<(), Ended> {
    let options = Options { companions: None, ..options.clone() };
    // A snapshot is taken between two commands, and the first event that is missing comes after it.
    let next = if at == Place::end_of(at.sequence) { at.sequence.plus(1) } else { at.sequence };
    let mut shadow = match Shadow::begin_before(&options, shard, next) {
        Ok(shadow) => shadow,
        Err(error) => return Err(gone(&options, shard).unwrap_or(Ended::Unreadable(error))),
    };
    let (mut ended, mut tries) = (Ok(()), 0);
    while shadow.next() <= until.sequence && ended.is_ok() {
        let before = shadow.next();
        let followed = shadow.follow(until.sequence, |stamp, _, events| {
            for (index, event) in (0..).zip(events) {
                let place = Place { sequence: stamp.sequence, index };
                if place <= at || place > until || ended.is_err() {
                    continue;
                }
                if let Some(&whom) = concerns(event).iter().find(|one| [ALL, Some(account)].contains(one)) {
                    let notice = Notice { shard: shard.shard, place, time: stamp.time, whom, event: *event };
                    ended = each(notice);
                }
            }
        });
        followed.map_err(Ended::Unreadable)?;
        if has_left() {
            return Err(Ended::Left);
        }
        if shadow.next() > before {
            tries = 0;
            continue;
        }
        // `until` was acknowledged, so it is on disk: to end here would leave notices out.
        tries += 1;
        if tries > TRIES {
            return Err(Ended::Unreadable(stuck(&options, shard, before, until)));
        }
        sleep(PAUSE);
    }
    ended
}
// ANCHOR_END: replay

/// The error that the log can't be followed as far as it was acknowledged.
fn stuck(options: &Options, shard: ShardOf, next: Sequence, until: Place) -> EngineError {
    let last = until.sequence;
    let reason = format!("command {last} was on disk, but the watermark can't be read, or ends before command {next}");
    EngineError::Unsound { path: options.data_dir.join(shard.file_name()), reason }
}

/// The error that what a reader asks for was trimmed, if that is why it can't be replayed: everything after the
/// oldest snapshot is there, because a replay begins with one.
fn gone(options: &Options, shard: ShardOf) -> Option<Ended> {
    let (disk, folder) = (&*options.disk, &options.data_dir);
    let first = segments(disk, folder, shard).ok()?.first()?.first;
    let oldest = snapshot::list(disk, folder, shard).ok()?.last()?.0;
    (first > Sequence::FIRST).then_some(Ended::Gone { shard: shard.shard, first: oldest })
}
