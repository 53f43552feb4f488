//! The archive of 0x0b: what its ring no longer has comes out of the rows, even where the log was trimmed.
//!
//! The rows are read on the thread of the reader that asks, in pages. They go as far as the follower has come; from there on,
//! the ring or the log has the notices. If commands were trimmed before rows were derived from them, the reader learns that,
//! and from which command on nothing is missing. If the rows are late, it learns that. Nothing is skipped silently.

use exactly_once::notices::archive::{Archive, Each, Stretch};
use exactly_once::notices::past::Ended;
use exactly_once::notices::place::Place as InShard;
use market::{AccountId, Sequence, UnixMs};
use program::lines::tell_often;

use crate::error::HistoryError;
use crate::history::{DAMAGED, History, LATE, Opened};
use crate::key;
use crate::mark;
use crate::missing::Missing;
use crate::notices::{Page, Wanted, page};
use crate::place::Place;
use crate::store::Store;

/// How many rows a page looks at.
const ROWS: usize = 4_096;

impl Archive for History {
    fn read(&self, account: AccountId, stretches: &mut [Stretch], each: &mut Each<'_>) -> Result<(), Ended> {
        let Some(opened) = self.followed() else { return Ok(()) };
        let asked = Asked::of(&opened, stretches).map_err(damaged)?;
        asked.read(&opened.store, account, each)?;
        for stretch in stretches {
            stretch.at = stretch.at.max(asked.shards[usize::from(stretch.shard.shard)].1);
        }
        asked.gone.map_or(Ok(()), |(shard, first)| Err(Ended::Gone { shard, first }))
    }

    fn lacks(&self, shard: u16, first: Sequence) -> Ended {
        if self.opened().is_some() { Ended::Refused(&LATE) } else { Ended::Gone { shard, first } }
    }
}

/// What is asked of the rows, as far as they have it.
struct Asked {
    /// For each shard, what comes after one place, up to another.
    shards: Vec<(InShard, InShard)>,
    /// From which time on, and before which.
    times: (UnixMs, UnixMs),
    /// A shard whose rows lack commands in between, and the first command after those.
    gone: Option<(u16, Sequence)>,
}

impl Asked {
    // ANCHOR: asked
    /// How far the rows go in these stretches.
    fn of(Opened { store, progress, .. }: &Opened, stretches: &[Stretch]) -> Result<Asked, HistoryError> {
        // Read first, because the follower goes on meanwhile: the rows have at least what this says.
        let through = progress.through();
        let shards = vec![<_>::default(); through.len()];
        let mut asked = Asked { shards, times: (UnixMs(u64::MAX), UnixMs(0)), gone: None };
        for &Stretch { shard, at, until, .. } in stretches {
            let (shard, number) = (shard.shard, usize::from(shard.shard));
            let mut to = until.min(InShard::end_of(through[number]));
            if let Some(gap) = first_gap(store, shard, at)?.filter(|gap| gap.first <= until.sequence) {
                to = to.min(InShard::end_of(Sequence(gap.first.0 - 1)));
                asked.gone = Some((shard, gap.last.plus(1)));
            }
            // No command has the number 0, so no row stands there.
            if to > at && to.sequence.0 > 0 {
                asked.shards[number] = (at, to);
                let from = mark::last(store, shard, at.sequence)?.map_or(UnixMs(0), |mark| mark.time);
                let end = UnixMs(store.followed(shard)?.time.0.saturating_add(1));
                asked.times = (asked.times.0.min(from), asked.times.1.max(end));
            }
        }
        Ok(asked)
    }
    // ANCHOR_END: asked

    /// Hands the notices out, page by page. If the rows have none of them, nothing is read.
    fn read(&self, store: &Store, account: AccountId, each: &mut Each<'_>) -> Result<(), Ended> {
        let wanted = Wanted { account, shards: &self.shards, to: self.times.1, rows: ROWS };
        let mut from = (self.times.0 < self.times.1).then(|| Place::from(self.times.0));
        while let Some(place) = from {
            let Page { notices, next } = page(store, &wanted, place).map_err(damaged)?;
            notices.into_iter().try_for_each(&mut *each)?;
            from = next;
        }
        Ok(())
    }
}

/// The first commands of a shard after a place that the rows lack.
fn first_gap(store: &Store, shard: u16, at: InShard) -> Result<Option<Missing>, HistoryError> {
    let (first, end) = (key::missing(shard, Sequence(0)), key::missing(shard, Sequence(u64::MAX)));
    for gap in store.range::<Missing>(&first, &end) {
        let (_, gap) = gap?;
        if InShard::end_of(gap.last) > at {
            return Ok(Some(gap));
        }
    }
    Ok(None)
}

/// The operator sees the error, a client does not.
fn damaged(error: HistoryError) -> Ended {
    tell_often("notices-unreadable", format_args!("error: notices could not be read: {error}"));
    Ended::Refused(&DAMAGED)
}
