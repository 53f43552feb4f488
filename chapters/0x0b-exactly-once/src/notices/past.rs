//! What the ring has no more: a shard's events since a place, replayed from the newest snapshot before it and the log.
//!
//! It runs on a thread of its own, beside the engine. Cost: the shard's state once in memory, and the work of matching since
//! the snapshot; so few may run at once.

use ch08::shadow::Shadow;
use market::log::ShardOf;
use market::{EngineError, Options, Sequence};

use super::place::{ALL, Notice, Place, concerns};
use market::AccountId;

/// Why a replay ended early.
pub enum Ended {
    /// The log's beginning was trimmed: the first command that can be had is this one.
    Gone(Sequence),
    /// The log can't be read.
    Unreadable(EngineError),
    /// The reader takes nothing any more.
    Left,
}

// ANCHOR: replay
/// Hands out what concerns an account in this shard behind `at` and up to `until`, in order.
///
/// # Errors
/// [`Ended`]. What was handed out before is right.
pub fn replay(
    options: &Options,
    shard: ShardOf,
    account: AccountId,
    at: Place,
    until: Place,
    mut each: impl FnMut(Notice) -> Result<(), Ended>,
) -> Result<(), Ended> {
    let options = Options { companions: None, ..options.clone() };
    // A snapshot stands between two commands, so the command of `at` comes behind it.
    let mut shadow = match Shadow::begin_before(&options, shard, at.sequence) {
        Ok(shadow) => shadow,
        Err(error) => return Err(gone(&options, shard).unwrap_or(Ended::Unreadable(error))),
    };
    let mut ended = Ok(());
    while shadow.next() <= until.sequence && ended.is_ok() {
        let before = shadow.next();
        let followed = shadow.follow(until.sequence, |stamp, events| {
            for (index, event) in (0..).zip(events) {
                let place = Place { sequence: stamp.sequence, index };
                if place <= at || place > until || ended.is_err() {
                    continue;
                }
                if let Some(&account) = concerns(event).iter().find(|one| [ALL, account].contains(one)) {
                    let notice = Notice { shard: shard.shard, place, time: stamp.time, account, event: *event };
                    ended = each(notice);
                }
            }
        });
        followed.map_err(Ended::Unreadable)?;
        if shadow.next() == before {
            break;
        }
    }
    ended
}
// ANCHOR_END: replay

/// That the log begins later than a reader asks, if that is why it can't be replayed.
fn gone(options: &Options, shard: ShardOf) -> Option<Ended> {
    let segments = market::log_chain::segments(&*options.disk, &options.data_dir, shard).ok()?;
    let first = segments.first()?.first;
    (first > Sequence::FIRST).then_some(Ended::Gone(first))
}
