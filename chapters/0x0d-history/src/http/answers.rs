//! Answers of several kinds of rows, each with how complete it is.

use market::{AccountId, MarketId, UnixMs};
use serde_json::{Value, json};

use super::asked::AskedCandles;
use super::rows_json;
use crate::candle::Candle;
use crate::error::HistoryError;
use crate::history::Opened;
use crate::key::{self, Table, start_of};
use crate::pages::{Page, Wanted, candles, page};
use crate::place::Place;
use crate::rows::Row;
use crate::store::Store;
use crate::width::Width;

// ANCHOR: about
/// An answer, with how complete it is: up to which command of each shard the rows go, and from when to when there
/// are none because the log was trimmed before they were derived. It is about what happened `from` then and before
/// `to`.
///
/// # Errors
/// Those of the answer, and when the store can't be read.
pub fn about(
    opened: &Opened,
    (from, to): (UnixMs, UnixMs),
    answer: impl FnOnce() -> Result<Value, HistoryError>,
) -> Result<Value, HistoryError> {
    // First, because the follower goes on while the rows are read: what it adds meanwhile may be in them, or not.
    let through: Vec<_> = opened.progress.through().iter().map(|last| last.0).collect();
    let mut answer = answer()?;
    let missing = opened.store.missing()?.into_iter();
    let missing = missing.filter(|missing| missing.from < to && from <= missing.to);
    let missing: Vec<_> = missing.map(|gap| json!({ "from_ms": gap.from.0, "to_ms": gap.to.0 })).collect();
    answer["through"] = json!(through);
    answer["missing"] = json!(missing);
    Ok(answer)
}
// ANCHOR_END: about

/// What the rows of a page are called, and each of them in words.
type Words<R> = (&'static str, fn(Place, &R) -> Value);

/// A page of an account's own rows.
///
/// # Errors
/// When the store can't be read.
pub fn own_page<R: Row>(
    opened: &Opened,
    account: AccountId,
    wanted: &Wanted,
    table: Table,
    (name, words): Words<R>,
) -> Result<Value, HistoryError> {
    // An order's row stands where it was placed and says what became of it, so every later gap concerns it.
    let to = if table == Table::Orders { UnixMs(u64::MAX) } else { wanted.to };
    about(opened, (wanted.from, to), || {
        let Page { rows, next } = page::<R>(&opened.store, table, account.0, wanted)?;
        let rows: Vec<_> = rows.iter().map(|(place, row)| words(*place, row)).collect();
        Ok(json!({ name: rows, "next": next.map(|next| next.to_string()) }))
    })
}

/// The candles of a market.
///
/// # Errors
/// As [`candles`].
pub fn all_candles(opened: &Opened, market: MarketId, asked: &AskedCandles) -> Result<Value, HistoryError> {
    let AskedCandles { width, from, to } = *asked;
    // The first begins before `from`, or repeats a price from before it, and the last ends after `to`.
    let first = decided_from(&opened.store, market, width, from)?;
    let end = width.start(UnixMs(to.0 - 1)).0.saturating_add(width.ms());
    about(opened, (first, UnixMs(end)), || {
        let found = candles(&opened.store, market, width, from, to)?;
        let found: Vec<_> = found.iter().map(|(start, candle)| rows_json::candle(*start, candle)).collect();
        Ok(json!({ "width": width.word(), "candles": found }))
    })
}

/// From when on trades decide what the candles of a range are: where the first was not traded in, from the one that it repeats.
///
/// # Errors
/// When the store can't be read.
fn decided_from(store: &Store, market: MarketId, width: Width, from: UnixMs) -> Result<UnixMs, HistoryError> {
    let at = |start| key::candle(market, width, start);
    let first = UnixMs(width.start(from).0 + 1);
    let last = store.range::<Candle>(&at(UnixMs(0)), &at(first)).next_back().transpose()?;
    Ok(last.and_then(|(key, _)| start_of(&key)).unwrap_or(UnixMs(0)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
mod tests {
    use std::sync::Arc;

    use ch08::metrics::Unmeasured;
    use market::{Acknowledge, Command, Engine as _, Event, Options, Price, Quantity, Receivers, Sequence, Stamp};

    use super::*;
    use crate::changes::Changes;
    use crate::following::{Progress, follow};
    use crate::http::rows_json;
    use crate::missing::Missing;

    struct Deaf;

    impl Acknowledge for Deaf {
        fn acknowledge(&mut self, _: Stamp, _: &[Event]) {}
    }

    /// A history whose log has one command.
    fn opened(folder: &std::path::Path) -> Opened {
        let options = Options::new(folder);
        let mut receivers = |_: u16| Box::new(Deaf) as Box<dyn Acknowledge>;
        let (mut engine, _) = ch08::Engine::<Unmeasured>::open(&options, &mut receivers as &mut Receivers<'_>).unwrap();
        engine.submit(Command::Open { market: MarketId(1) }).unwrap();
        engine.close().unwrap();
        let store = Arc::new(Store::open(&options, false).unwrap());
        let progress = Arc::new(Progress::new(&store, 1).unwrap());
        Opened { options, store, progress }
    }

    #[test]
    fn an_answer_does_not_promise_what_came_while_it_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let opened = opened(folder.path());
        let read = |answer: &dyn Fn()| {
            let answer = about(&opened, (UnixMs(0), UnixMs(u64::MAX)), || {
                Ok({
                    answer();
                    json!({})
                })
            })
            .unwrap();
            answer["through"][0].as_u64()
        };
        let catch_up = || {
            let Opened { options, store, progress } = &opened;
            follow(options, store, progress, &|| progress.is_caught_up()).unwrap();
        };
        assert_eq!(read(&catch_up), Some(0));
        assert_eq!(read(&|| ()), Some(1));
    }

    /// Whether an answer names the gap of [`gap`].
    fn names_a_gap(answer: Result<Value, HistoryError>) -> bool {
        let answer = answer.unwrap();
        let missing = answer["missing"].as_array().unwrap();
        assert!(missing.iter().all(|gap| *gap == json!({ "from_ms": GAP.from.0, "to_ms": GAP.to.0 })), "{answer}");
        !missing.is_empty()
    }

    const HOUR: u64 = 3_600_000;

    /// From 8:00 to 8:10 on a day.
    const GAP: Missing = Missing {
        first: Sequence(5),
        last: Sequence(9),
        from: UnixMs(400 * 24 * HOUR + 8 * HOUR),
        to: UnixMs(400 * 24 * HOUR + 8 * HOUR + 600_000),
    };

    fn with_gap(folder: &std::path::Path) -> Opened {
        let opened = opened(folder);
        let mut changes = Changes::default();
        changes.put(&key::missing(0, GAP.first), &GAP);
        opened.store.commit(changes).unwrap();
        opened
    }

    /// There was a trade in the candle of this time.
    fn traded(opened: &Opened, width: Width, start: u64) {
        let mut changes = Changes::default();
        let candle = Candle::first(Price::new(50).unwrap(), Quantity(1));
        changes.put(&key::candle(MarketId(1), width, UnixMs(start)), &candle);
        opened.store.commit(changes).unwrap();
    }

    #[test]
    fn candles_name_every_gap_in_the_time_that_they_hold() {
        let folder = tempfile::tempdir().unwrap();
        let opened = with_gap(folder.path());
        let day = GAP.from.0 - 8 * HOUR;
        traded(&opened, Width::Day, day - 24 * HOUR);
        traded(&opened, Width::Day, day + 24 * HOUR);
        [6, 7, 9].into_iter().for_each(|hour| traded(&opened, Width::Hour, day + hour * HOUR));
        let names = |width, from: u64, to: u64| {
            let asked = AskedCandles { width, from: UnixMs(day + from), to: UnixMs(day + to) };
            names_a_gap(all_candles(&opened, MarketId(1), &asked))
        };
        // The candle of the day has the trades of the gap, or lacks them.
        assert!(names(Width::Day, 12 * HOUR, 13 * HOUR));
        assert!(names(Width::Day, HOUR, 2 * HOUR));
        assert!(names(Width::Hour, 8 * HOUR + HOUR / 2, 9 * HOUR));
        assert!(!names(Width::Hour, 9 * HOUR, 10 * HOUR));
        assert!(!names(Width::Hour, 7 * HOUR, 8 * HOUR));
        assert!(!names(Width::Day, 24 * HOUR, 25 * HOUR));
    }

    #[test]
    fn candles_that_repeat_a_price_name_every_gap_since_that_price() {
        let folder = tempfile::tempdir().unwrap();
        let opened = with_gap(folder.path());
        let day = GAP.from.0 - 8 * HOUR;
        let names = |from: u64, to: u64| {
            let asked = AskedCandles { width: Width::Hour, from: UnixMs(day + from), to: UnixMs(day + to) };
            names_a_gap(all_candles(&opened, MarketId(1), &asked))
        };
        // There is no trade, and so no candle. The first may have been in the gap.
        assert!(names(10 * HOUR, 11 * HOUR));
        traded(&opened, Width::Hour, day + 7 * HOUR);
        assert!(names(10 * HOUR, 11 * HOUR), "it repeats the price of 7:00, and lacks those of the gap");
        traded(&opened, Width::Hour, day + 9 * HOUR);
        assert!(!names(10 * HOUR, 11 * HOUR), "it repeats the price of 9:00");
        assert!(names(8 * HOUR + HOUR / 2, 11 * HOUR));
    }

    #[test]
    fn orders_name_every_gap_after_they_were_placed() {
        let folder = tempfile::tempdir().unwrap();
        let opened = with_gap(folder.path());
        let wanted = |from: u64, to: u64| Wanted { from: UnixMs(from), to: UnixMs(to), before: None, limit: 10 };
        let orders = |from, to| {
            let words = ("orders", rows_json::order as fn(_, &_) -> _);
            names_a_gap(own_page(&opened, AccountId(1), &wanted(from, to), Table::Orders, words))
        };
        // What was placed before the gap may have been filled or cancelled in it.
        assert!(orders(0, 1));
        assert!(!orders(GAP.to.0 + 1, u64::MAX));
        let words = ("trades", rows_json::own_trade as fn(_, &_) -> _);
        assert!(!names_a_gap(own_page(&opened, AccountId(1), &wanted(0, 1), Table::Trades, words)));
    }
}
