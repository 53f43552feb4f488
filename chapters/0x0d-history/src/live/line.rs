//! The candles of one market and width as they come: the last ones, each with a version.
//!
//! A client remembers the version that it has seen, and takes what has a higher one. A candle that changes again takes the
//! place of what it was, so a client that comes late gets it once, as it is by then. Cost: eight short texts, whether one client
//! watches or a thousand.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::extract::ws::Utf8Bytes;
use market::{MarketId, Sequence, UnixMs};
use serde_json::json;

use crate::candle::Candle;
use crate::error::HistoryError;
use crate::http::rows_json;
use crate::key::{self, start_of};
use crate::rows::MarketRow;
use crate::store::Store;
use crate::width::Width;

/// Which candles.
pub type Which = (MarketId, Width);

/// How many candles are kept for clients that come late.
pub const KEPT_MAX: usize = 8;

/// A candle as it is sent.
struct Kept {
    version: u64,
    start: UnixMs,
    candle: Candle,
    text: Utf8Bytes,
}

#[derive(Default)]
struct Last {
    /// The oldest first.
    candles: VecDeque<Kept>,
    version: u64,
    /// A client that has seen less than this version has missed candles.
    skipped: u64,
    /// How many trades the market had when its candles were read.
    trades: u64,
}

/// The last candles of a market and a width.
pub struct Line {
    which: Which,
    /// The version of the newest, for a look without the lock.
    newest: AtomicU64,
    last: Mutex<Last>,
}

impl Line {
    /// A line without candles.
    pub fn new(which: Which) -> Line {
        Line { which, newest: AtomicU64::new(0), last: Mutex::default() }
    }

    /// Which market and width.
    pub fn which(&self) -> Which {
        self.which
    }

    fn lock(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // ANCHOR: refresh
    /// Reads the candles again if the market has traded. Says whether one has changed.
    ///
    /// # Errors
    /// When the rows can't be read.
    pub fn refresh(&self, store: &Store, row: &MarketRow, through: &[Sequence]) -> Result<bool, HistoryError> {
        let Some((traded, _)) = row.last else { return Ok(false) };
        let (market, width) = self.which;
        let (trades, known) = {
            let last = self.lock();
            (last.trades, last.candles.back().map(|kept| kept.start))
        };
        if trades == row.trades {
            return Ok(false);
        }
        // From the last one that was sent, which may have changed since. A line that begins has the very last alone.
        let from = known.unwrap_or(width.start(traded));
        let key = |start| key::candle(market, width, start);
        let newest = store.range::<Candle>(&key(from), &key(UnixMs(u64::MAX))).rev().take(KEPT_MAX + 1);
        let mut found: Vec<_> = newest.collect::<Result<_, _>>()?;
        let mut last = self.lock();
        if found.len() > KEPT_MAX {
            found.pop();
            last.skip();
        }
        for (key, candle) in found.into_iter().rev() {
            let Some(start) = start_of(&key) else { continue };
            last.put(self.which, start, candle, through);
        }
        last.trades = row.trades;
        Ok(self.newest.swap(last.version, Ordering::Release) < last.version)
    }
    // ANCHOR_END: refresh

    // ANCHOR: take
    /// Adds the candles that have changed since the version that was seen, and moves it on. A client that has seen
    /// none gets the last one. One that comes too late for some is told so first.
    pub fn take(&self, seen: &mut u64, messages: &mut Vec<Utf8Bytes>) {
        if self.newest.load(Ordering::Acquire) == *seen {
            return;
        }
        let last = self.lock();
        let before = std::mem::replace(seen, last.version);
        if before == 0 {
            return messages.extend(last.candles.back().map(|kept| kept.text.clone()));
        }
        if before < last.skipped {
            messages.extend(last.candles.front().map(|kept| skipped(self.which, kept.start)));
        }
        let newer = last.candles.iter().filter(|kept| kept.version > before);
        messages.extend(newer.map(|kept| kept.text.clone()));
    }
    // ANCHOR_END: take
}

impl Last {
    fn next(&mut self) -> u64 {
        self.version += 1;
        self.version
    }

    /// Drops all candles: between them and the next ones there are some that are sent to no client.
    fn skip(&mut self) {
        self.candles.clear();
        self.skipped = self.next();
    }

    fn put(&mut self, which: Which, start: UnixMs, candle: Candle, through: &[Sequence]) {
        match self.candles.back() {
            Some(kept) if kept.start == start && kept.candle == candle => return,
            Some(kept) if kept.start == start => drop(self.candles.pop_back()),
            _ => {}
        }
        let version = self.next();
        self.candles.push_back(Kept { version, start, candle, text: text(which, start, &candle, through) });
        if self.candles.len() > KEPT_MAX {
            self.skipped = self.candles.pop_front().map_or(self.skipped, |kept| kept.version);
        }
    }
}

/// A candle as clients get it.
fn text((market, width): Which, start: UnixMs, candle: &Candle, through: &[Sequence]) -> Utf8Bytes {
    let through: Vec<_> = through.iter().map(|last| last.0).collect();
    let mut message = rows_json::candle(start, candle);
    message["kind"] = json!("candle");
    message["market"] = json!(market.0);
    message["width"] = json!(width.word());
    message["through"] = json!(through);
    message.to_string().into()
}

/// What a client gets for candles that came and went before it took any: it asks for those over HTTP.
fn skipped((market, width): Which, before: UnixMs) -> Utf8Bytes {
    let (market, width, before) = (market.0, width.word(), before.0);
    json!({ "kind": "candles-skipped", "market": market, "width": width, "before_ms": before }).to_string().into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
mod tests {
    use ch08::metrics::Unmeasured;
    use market::{Acknowledge, Engine as _, Event, Options, Price, Quantity, Receivers, Stamp};
    use serde_json::Value;

    use super::*;
    use crate::changes::Changes;

    const WHICH: Which = (MarketId(1), Width::Second);

    struct Deaf;

    impl Acknowledge for Deaf {
        fn acknowledge(&mut self, _: Stamp, _: &[Event]) {}
    }

    /// Rows into which a test writes trades by itself.
    struct Rows {
        store: Store,
        row: MarketRow,
        candle: Option<(UnixMs, Candle)>,
        line: Line,
        _folder: tempfile::TempDir,
    }

    impl Rows {
        fn new() -> Rows {
            let folder = tempfile::tempdir().unwrap();
            let options = Options::new(folder.path());
            let mut receivers = |_: u16| Box::new(Deaf) as Box<dyn Acknowledge>;
            let (engine, _) = ch08::Engine::<Unmeasured>::open(&options, &mut receivers as &mut Receivers<'_>).unwrap();
            engine.close().unwrap();
            let store = Store::open(&options, false).unwrap();
            Rows { store, row: MarketRow::default(), candle: None, line: Line::new(WHICH), _folder: folder }
        }

        fn trade(&mut self, time_ms: u64, price: u8) {
            let (time, price) = (UnixMs(time_ms), Price::new(price).unwrap());
            let start = WHICH.1.start(time);
            let mut candle = match self.candle {
                Some((of, candle)) if of == start => candle,
                _ => Candle { shares: 0, trades: 0, ..Candle::first(price, Quantity(1)) },
            };
            candle.add(price, Quantity(1));
            self.candle = Some((start, candle));
            self.row.trades += 1;
            self.row.last = Some((time, price));
            let mut changes = Changes::default();
            changes.put(&key::candle(WHICH.0, WHICH.1, start), &candle);
            self.store.commit(changes).unwrap();
        }

        fn refresh(&self) -> bool {
            self.line.refresh(&self.store, &self.row, &[Sequence(7)]).unwrap()
        }

        /// What a client gets that has seen this: the kind of each message, its time, and its trades.
        fn taken(&self, seen: &mut u64) -> Vec<(String, u64, u64)> {
            let mut messages = Vec::new();
            self.line.take(seen, &mut messages);
            let read = |text: &Utf8Bytes| {
                let message: Value = serde_json::from_str(text).unwrap();
                assert_eq!((&message["market"], &message["width"]), (&json!(1), &json!("second")));
                let time = message["start_ms"].as_u64().or(message["before_ms"].as_u64()).unwrap();
                (message["kind"].as_str().unwrap().to_owned(), time, message["trades"].as_u64().unwrap_or(0))
            };
            messages.iter().map(read).collect()
        }
    }

    fn candle(start: u64, trades: u64) -> (String, u64, u64) {
        ("candle".into(), start, trades)
    }

    #[test]
    fn a_client_gets_the_last_candle_and_then_each_that_has_changed() {
        let mut rows = Rows::new();
        assert!(!rows.refresh(), "nothing was traded");
        rows.trade(1_000, 50);
        rows.trade(2_500, 51);
        assert!(rows.refresh() && !rows.refresh());
        let (mut first, mut late) = (0, 0);
        assert_eq!(rows.taken(&mut first), [candle(2_000, 1)]);
        assert_eq!(rows.taken(&mut first), []);
        // It changes twice between two looks, and its end is not lost when the next one begins.
        rows.trade(2_600, 52);
        rows.trade(2_700, 53);
        rows.trade(3_100, 54);
        assert!(rows.refresh());
        assert_eq!(rows.taken(&mut first), [candle(2_000, 3), candle(3_000, 1)]);
        assert_eq!(rows.taken(&mut late), [candle(3_000, 1)]);
        // One that takes nothing for a while gets each candle once, as it is by then.
        for time in [3_200, 3_300, 4_000, 4_100] {
            rows.trade(time, 55);
            assert!(rows.refresh());
        }
        assert_eq!(rows.taken(&mut late), [candle(3_000, 3), candle(4_000, 2)]);
    }

    #[test]
    fn a_client_that_comes_too_late_for_some_candles_is_told_so() {
        let mut rows = Rows::new();
        let (mut slow, mut fast) = (0, 0);
        rows.trade(0, 50);
        rows.refresh();
        assert_eq!((rows.taken(&mut slow), rows.taken(&mut fast)), (vec![candle(0, 1)], vec![candle(0, 1)]));
        // A little late: nothing is skipped.
        for second in 1..=KEPT_MAX as u64 {
            rows.trade(1_000 * second, 50);
            rows.refresh();
            assert_eq!(rows.taken(&mut fast), [candle(1_000 * second, 1)]);
        }
        let expected: Vec<_> = (1..=KEPT_MAX as u64).map(|second| candle(1_000 * second, 1)).collect();
        assert_eq!(rows.taken(&mut slow), expected);
        // One more candle than there is room for.
        for second in 9..18 {
            rows.trade(1_000 * second, 50);
            rows.refresh();
        }
        let newest = (10..18).map(|second| candle(1_000 * second, 1));
        let skipped = std::iter::once(("candles-skipped".to_owned(), 10_000, 0));
        assert_eq!(rows.taken(&mut slow), skipped.chain(newest).collect::<Vec<_>>());
        // And all at once, as when a follower catches up.
        for second in 18..40 {
            rows.trade(1_000 * second, 50);
        }
        rows.refresh();
        let newest = (32..40).map(|second| candle(1_000 * second, 1));
        let skipped = std::iter::once(("candles-skipped".to_owned(), 32_000, 0));
        assert_eq!(rows.taken(&mut slow), skipped.chain(newest).collect::<Vec<_>>());
        assert_eq!(rows.taken(&mut slow), []);
    }
}
