//! Reading: a book as the changes since a cursor, and trades one after the other.
//!
//! A new reader, one that was away for an hour and one that read a millisecond ago all take the same path. The only
//! state per reader is a [`Cursor`]. One [`Reader`] serves any number of them on one thread: if many are at the same
//! position, it builds an update or a row of trades only once. Cost: one comparison if nothing is new.

use std::hint::spin_loop;

use market::{MarketId, Sequence};

use crate::depth::{Depth, Prices};
use crate::shown::{Entry, Shown, decode};
use crate::trade::{Heard, Missed, TradeCursor, TradeId};
use crate::update::{BookUpdate, Cursor, Status, Summary, Version, Volume};

/// How often to retry a book that is being written before doing something else.
const TRIES: u32 = 64;

/// The most trades that are taken at once.
const BATCH: usize = 256;

/// Takes updates and trades for any number of cursors.
pub struct Reader {
    /// The last update that was built.
    update: BookUpdate,
    /// The last trades that were read, with their market, epoch, start and end.
    heard: Vec<Heard>,
    taken: (MarketId, u64, TradeCursor, TradeCursor),
}

impl Default for Reader {
    fn default() -> Reader {
        let summary = Summary {
            sequence: Sequence(0),
            best_bid: None,
            best_ask: None,
            last_trade: None,
            volume: Volume { shares: 0, since: Sequence(0) },
            open_interest: 0,
            status: Status::Open,
            is_fresh: false,
        };
        let (from, to, prices, depth) = (Version::NONE, Version::NONE, Prices::NONE, Depth::default());
        let nothing = (MarketId(0), 0, TradeCursor::default(), TradeCursor::default());
        let update = BookUpdate { market: MarketId(0), from, to, prices, depth, summary };
        Reader { update, heard: Vec::with_capacity(BATCH), taken: nothing }
    }
}

impl Reader {
    // ANCHOR: book
    /// What has changed in this market's book since the cursor, which moves forward. `None` if nothing has, or if the
    /// book is being written at the moment: try again.
    pub fn book(&mut self, shown: &Shown, cursor: &mut Cursor) -> Option<&BookUpdate> {
        let version = shown.slate.version();
        let Version { epoch, counter } = cursor.book;
        // A version from another epoch, or one that was never published, is worthless.
        let since = if epoch == shown.epoch && counter <= version { counter } else { 0 };
        if since == version {
            return None;
        }
        let from = if since == 0 { Version::NONE } else { cursor.book };
        let made = &self.update;
        let to = Version { epoch: shown.epoch, counter: version };
        if (made.market, made.from, made.to) != (shown.market, from, to) {
            self.take(shown, from)?;
        }
        cursor.book = self.update.to;
        Some(&self.update)
    }

    /// Builds the update from this version to the current one.
    fn take(&mut self, shown: &Shown, from: Version) -> Option<()> {
        // Invalidate the old update first, so that a failed attempt is never mistaken for an update.
        self.update.to = Version::NONE;
        let amounts = self.update.depth.amounts_mut();
        let taken = (0..TRIES).find_map(|_| {
            let taken = shown.slate.take(from.counter, amounts);
            taken.or_else(|| {
                spin_loop();
                None
            })
        })?;
        let to = Version { epoch: shown.epoch, counter: taken.version };
        let prices = Prices::from_bits(taken.which << 1)?;
        self.update =
            BookUpdate { market: shown.market, from, to, prices, summary: decode(taken.words), ..self.update };
        Some(())
    }
    // ANCHOR_END: book

    // ANCHOR: trades
    /// The next trades after the cursor, which moves forward, and the gaps between them; at most a few hundred at a
    /// time. Empty if there are none yet.
    pub fn trades(&mut self, shown: &Shown, cursor: &mut TradeCursor) -> &[Heard] {
        if cursor.epoch == shown.epoch && cursor.position == shown.trades.head() {
            return &[];
        }
        let (market, epoch, from, to) = self.taken;
        if (market, epoch, from) == (shown.market, shown.epoch, *cursor) && !self.heard.is_empty() {
            *cursor = to;
            return &self.heard;
        }
        let from = *cursor;
        self.heard.clear();
        self.heard.extend(std::iter::from_fn(|| next_trade(shown, cursor)).take(BATCH));
        self.taken = (shown.market, shown.epoch, from, *cursor);
        &self.heard
    }
    // ANCHOR_END: trades
}

/// The next trade of this market after the cursor, or the gap before it. The cursor moves forward. `None` if there is
/// none yet.
pub fn next_trade(shown: &Shown, cursor: &mut TradeCursor) -> Option<Heard> {
    let TradeCursor { epoch, mut position, next } = *cursor;
    let mut was_lapped = false;
    if epoch != shown.epoch {
        // Positions start again from 0; which trades were seen is still known.
        position = 0;
    }
    while position < shown.trades.head() {
        let Some(entry) = shown.entry(position) else {
            position = shown.trades.oldest().max(position + 1);
            was_lapped = true;
            continue;
        };
        let at = |position, next| TradeCursor { epoch: shown.epoch, position, next };
        match entry {
            Entry::Trade(trade) if trade.id < next => {}
            // Return the gap first; the next call returns the trade after it, or that has become part of the next gap.
            Entry::Trade(trade) if was_lapped && trade.id > next => {
                *cursor = at(position, trade.id);
                return Some(Heard::Missed(Missed { market: shown.market, from: next, to: trade.id }));
            }
            Entry::Trade(trade) => {
                *cursor = at(position + 1, trade.id.next());
                return Some(Heard::Trade(trade));
            }
            Entry::Gap(gap) if gap.to <= next => {}
            Entry::Gap(gap) => {
                *cursor = at(position + 1, gap.to);
                let from = if was_lapped { next } else { gap.from.max(next) };
                return Some(Heard::Missed(Missed { from, ..gap }));
            }
        }
        position += 1;
    }
    if !was_lapped {
        (cursor.epoch, cursor.position) = (shown.epoch, position);
    }
    None
}

/// The position after the current trades, for a reader that does not want earlier ones.
pub fn trades_from_now(shown: &Shown) -> TradeCursor {
    let mut cursor = TradeCursor::default();
    loop {
        let position = shown.trades.head();
        let last = position.checked_sub(1).map(|last| shown.entry(last));
        let next = match last {
            None => TradeId::default(),
            Some(Some(Entry::Trade(trade))) => trade.id.next(),
            Some(Some(Entry::Gap(gap))) => gap.to,
            // It was overwritten: the feed has added more trades than the ring holds, and publishes them after this
            // command or batch.
            Some(None) => continue,
        };
        (cursor.epoch, cursor.position, cursor.next) = (shown.epoch, position, next);
        return cursor;
    }
}
