//! The follower's lesson step by step: each test is one requirement of `src/place.rs`, `src/candle.rs`, `src/width.rs`,
//! `src/part.rs`, `src/pages.rs`, `src/derived.rs` and `src/follower.rs`. The other tests ask for all of them at once, of a venue
//! that runs.

#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]

#[path = "support/engine.rs"]
mod engine;
#[path = "support/expected.rs"]
#[allow(dead_code)]
mod expected;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract::streams::Random;
use history::candle::Candle;
use history::changes::Changes;
use history::error::HistoryError;
use history::follower::Follower;
use history::key::{self, Table, placed};
use history::pages::{CANDLES_MAX, Page, Wanted, candles, page};
use history::part::Part;
use history::place::Place;
use history::rows::{Money, Movement, Row};
use history::store::{Followed, Store};
use history::width::Width;
use market::log::ShardOf;
use market::model::Model;
use market::{Cents, Command, Event, MarketId, Options, OrderId, Price, Quantity, Sequence, Stamp, UnixMs};

use engine::{commands, options, run};
use expected::{Rows, logged};

fn place(time: u64, shard: u16, sequence: u64, index: u32) -> Place {
    Place { time: UnixMs(time), shard, sequence: Sequence(sequence), index }
}

fn price(cents: u8) -> Price {
    Price::new(cents).unwrap()
}

/// Numbers on both sides of where a byte ends, and others.
fn some_number(random: &mut Random, bits: u32) -> u64 {
    let number = match random.below(3) {
        0 => random.below(4),
        1 => (1 << (8 * random.below(u64::from(bits / 8)))) - random.below(2),
        _ => random.below(u64::MAX),
    };
    if bits == 64 { number } else { number & ((1 << bits) - 1) }
}

fn some_place(random: &mut Random) -> Place {
    let [time, sequence] = [(); 2].map(|()| some_number(random, 64));
    place(time, some_number(random, 16) as u16, sequence, some_number(random, 32) as u32)
}

#[test]
fn place_is_read_back_from_its_bytes() {
    for (field, one) in [
        ("time", place(0x0102_0304_0506_0708, 0, 0, 0)),
        ("shard", place(0, 0x0102, 0, 0)),
        ("sequence", place(0, 0, 0x0102_0304_0506_0708, 0)),
        ("index", place(0, 0, 0, 0x0102_0304)),
        ("every field at its largest", place(u64::MAX, u16::MAX, u64::MAX, u32::MAX)),
    ] {
        assert_eq!(Place::decode(&one.encode()), one, "{field}: encode and decode are each other's opposite");
    }
    let mut random = Random::new(1);
    for _ in 0..10_000 {
        let one = some_place(&mut random);
        assert_eq!(Place::decode(&one.encode()), one, "encode and decode are each other's opposite");
    }
}

#[test]
fn place_has_bytes_that_sort_as_places_do() {
    let sorted = [
        ("the index decides last", place(1, 1, 1, 1), place(1, 1, 1, 2)),
        ("the sequence decides before the index", place(1, 1, 1, 9), place(1, 1, 2, 0)),
        ("the shard decides before the sequence", place(1, 1, 9, 0), place(1, 2, 0, 0)),
        ("the time decides before everything else", place(1, 9, 9, 9), place(2, 0, 0, 0)),
        (
            "a time of 256 comes behind one of 255: which byte of a number decides first?",
            place(255, 0, 0, 0),
            place(256, 0, 0, 0),
        ),
        ("a shard of 256 comes behind one of 255", place(1, 255, 0, 0), place(1, 256, 0, 0)),
        ("a sequence of 256 comes behind one of 255", place(1, 1, 255, 0), place(1, 1, 256, 0)),
        ("an index of 256 comes behind one of 255", place(1, 1, 1, 255), place(1, 1, 1, 256)),
    ];
    for (words, first, then) in sorted {
        assert!(first.encode() < then.encode(), "{words}: {:?}, {:?}", first.encode(), then.encode());
    }
    let mut random = Random::new(2);
    for _ in 0..20_000 {
        let (one, other) = (some_place(&mut random), some_place(&mut random));
        assert_eq!(one.encode().cmp(&other.encode()), one.cmp(&other), "{one:?} and {other:?} sort as their bytes do");
    }
}

#[test]
fn candle_begins_where_its_width_says() {
    // 14 March 2026, 15:09:26.535 UTC, and when its second, minute, hour and day began.
    let time = 1_773_500_966_535;
    let began = [1_773_500_966_000, 1_773_500_940_000, 1_773_500_400_000, 1_773_446_400_000];
    for (width, began) in Width::ALL.into_iter().zip(began) {
        let words = format!("the {} that holds {time} began then", width.word());
        assert_eq!(width.start(UnixMs(time)), UnixMs(began), "{words}");
        assert_eq!(width.start(UnixMs(began)), UnixMs(began), "the first millisecond of a {}", width.word());
        let last = began + width.ms() - 1;
        assert_eq!(width.start(UnixMs(last)), UnixMs(began), "the last millisecond of a {}", width.word());
        let next = began + width.ms();
        assert_eq!(width.start(UnixMs(next)), UnixMs(next), "the first millisecond of the next {}", width.word());
        assert!(width.start(UnixMs(u64::MAX)) > UnixMs(u64::MAX - width.ms()), "at the end of all time");
    }
}

#[test]
fn candle_of_one_trade() {
    let of = price(61);
    let expected = Candle { open: of, high: of, low: of, close: of, shares: 7, trades: 1 };
    assert_eq!(Candle::first(of, Quantity(7)), expected, "of one trade of 7 shares at 61");
}

#[test]
fn candle_takes_each_trade() {
    let mut random = Random::new(3);
    for length in [2, 3, 50] {
        let trades: Vec<(u8, u32)> =
            (0..length).map(|_| (1 + random.below(99) as u8, 1 + random.below(4_000_000_000) as u32)).collect();
        let mut candle = Candle::first(price(trades[0].0), Quantity(trades[0].1));
        trades[1..].iter().for_each(|(cents, quantity)| candle.add(price(*cents), Quantity(*quantity)));
        let prices = || trades.iter().map(|(cents, _)| *cents);
        assert_eq!(candle.open.cents(), trades[0].0, "open is the first price of {trades:?}");
        assert_eq!(candle.close.cents(), trades[length - 1].0, "close is the last price of {trades:?}");
        assert_eq!(Some(candle.high.cents()), prices().max(), "high is the highest price of {trades:?}");
        assert_eq!(Some(candle.low.cents()), prices().min(), "low is the lowest price of {trades:?}");
        let shares: u64 = trades.iter().map(|(_, quantity)| u64::from(*quantity)).sum();
        assert_eq!(candle.shares, shares, "shares are the shares of all trades");
        assert_eq!(candle.trades, length as u64, "trades are how many trades there were");
    }
}

#[test]
fn candle_without_trades_stands_at_the_last_price() {
    let candle = Candle { open: price(40), high: price(70), low: price(30), close: price(55), shares: 12, trades: 3 };
    let at = price(55);
    let expected = Candle { open: at, high: at, low: at, close: at, shares: 0, trades: 0 };
    assert_eq!(candle.still(), expected, "behind one from 40 to 55, without a trade");
}

#[test]
fn cut_comes_behind_the_command_that_fills_the_part() {
    let part = Part { first: Sequence(400), time: UnixMs(7_000), trades: 1_000 };
    let behind = Stamp { sequence: Sequence(450), time: UnixMs(8_000) };
    for (trades, words) in [(1_000, "no trade"), (1_001, "one trade"), (1_005, "one trade too few")] {
        assert_eq!(part.cut(behind, trades, 6), None, "of 6 trades a part, this one has {words}");
    }
    for (trades, words) in [(1_006, "just as many trades"), (1_009, "more trades, because the command had several")] {
        let next = part.cut(behind, trades, 6);
        let words = format!("of 6 trades a part, this one has {words}");
        let next = next.unwrap_or_else(|| panic!("{words}: the next part begins"));
        assert_eq!(next.first, Sequence(451), "{words}: the next part begins behind the command");
        assert_eq!(next.time, UnixMs(8_000), "{words}: the time is that of the command before the next part");
        assert_eq!(next.trades, trades, "{words}: all trades of the shard so far are before the next part");
    }
}

/// A store without rows, and the folder that it is in.
fn empty() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), 1, false);
    run(&options, &[], || {});
    let store = Store::open(&options, false).unwrap();
    (folder, store)
}

fn put(store: &Store, rows: &[(&[u8], &dyn Encoded)]) {
    let mut changes = Changes::default();
    rows.iter().for_each(|(key, row)| changes.put(key, &Bytes(row.bytes())));
    store.commit(changes).unwrap();
}

/// Any row, as its bytes.
trait Encoded {
    fn bytes(&self) -> Vec<u8>;
}

impl<R: Row> Encoded for R {
    fn bytes(&self) -> Vec<u8> {
        self.encode()
    }
}

/// Bytes as a row of any table. Without any, they can't be read back.
struct Bytes(Vec<u8>);

impl Row for Bytes {
    fn encode(&self) -> Vec<u8> {
        self.0.clone()
    }

    fn decode(bytes: &[u8]) -> Option<Bytes> {
        Some(Bytes(bytes.to_vec()))
    }
}

fn money(amount: u64) -> Money {
    Money { market: MarketId(1), movement: Movement::Deposit, amount: Cents(amount) }
}

/// The account whose pages are asked for.
const OWNER: u32 = 300;

/// Puts rows of money at these places, whose amounts are their numbers in the list.
fn put_money(store: &Store, owner: u32, places: &[Place]) {
    for (amount, place) in (0..).zip(places) {
        put(store, &[(&placed(Table::Money, owner, *place), &money(amount))]);
    }
}

/// Seven places, three of them in one millisecond.
const PLACES: [(u64, u64, u32); 7] =
    [(10, 1, 0), (20, 2, 0), (20, 2, 1), (20, 3, 0), (21, 4, 0), (300, 5, 0), (301, 6, 2)];

fn places() -> Vec<Place> {
    PLACES.map(|(time, sequence, index)| place(time, 0, sequence, index)).to_vec()
}

/// Rows of the account, and of its neighbours in every direction.
fn filled() -> (tempfile::TempDir, Store) {
    let (folder, store) = empty();
    put_money(&store, OWNER, &places());
    let others = [(Table::Money, OWNER - 1), (Table::Money, OWNER + 1), (Table::Orders, OWNER), (Table::Public, OWNER)];
    for (table, owner) in others {
        for time in [0, 20, u64::MAX] {
            put(&store, &[(&placed(table, owner, place(time, 0, 9, 9)), &money(1_000))]);
        }
    }
    (folder, store)
}

fn everything(limit: usize) -> Wanted {
    Wanted { from: UnixMs(0), to: UnixMs(u64::MAX), before: None, limit }
}

/// The places of a page's rows, and its cursor.
fn asked(store: &Store, wanted: &Wanted) -> (Vec<Place>, Option<Place>) {
    let Page { rows, next } = page::<Money>(store, Table::Money, OWNER, wanted).unwrap();
    for (place, row) in &rows {
        let amount = places().iter().position(|other| other == place).map(|amount| amount as u64);
        assert_eq!(Some(row.amount.0), amount, "the row at {place} is another row's: whose is it?");
    }
    (rows.into_iter().map(|(place, _)| place).collect(), next)
}

fn newest_first(places: &[Place]) -> Vec<Place> {
    places.iter().rev().copied().collect()
}

#[test]
fn page_has_the_rows_of_one_owner_the_newest_first() {
    let (_folder, store) = filled();
    let (rows, next) = asked(&store, &everything(500));
    assert_eq!(rows, newest_first(&places()), "all rows of the account, the newest first, and none of another key");
    assert_eq!(next, None, "there is no next page behind the last row");
}

#[test]
fn page_has_no_more_rows_than_were_asked_for() {
    let (_folder, store) = filled();
    for limit in 1..=8 {
        let (rows, _) = asked(&store, &everything(limit));
        let expected = newest_first(&places());
        assert_eq!(rows, expected[..limit.min(7)], "the newest {limit} of 7 rows");
    }
}

#[test]
fn page_goes_on_before_its_cursor() {
    let (_folder, store) = filled();
    for limit in 1..=8 {
        let (mut all, mut wanted) = (Vec::new(), everything(limit));
        for number in 1.. {
            let (rows, next) = asked(&store, &wanted);
            all.extend(rows);
            let words = format!("after page {number} of {limit} rows each");
            assert_eq!(all, newest_first(&places())[..all.len()], "{words}: no row twice, and none left out");
            assert!(number <= 8, "{words}: the pages never end");
            assert_eq!(next.is_some(), all.len() < 7, "{words}, with {} of 7 rows: is there a next page?", all.len());
            let Some(next) = next else { break };
            assert_eq!(Some(&next), all.last(), "{words}: the cursor is the place of the page's last row");
            wanted.before = Some(next);
        }
    }
}

#[test]
fn page_begins_and_ends_at_the_millisecond() {
    let (_folder, store) = filled();
    for from in [0, 9, 10, 11, 20, 21, 22, 300, 302] {
        for to in [9, 10, 20, 21, 22, 301, 302] {
            let wanted = Wanted { from: UnixMs(from), to: UnixMs(to), ..everything(500) };
            let there = |place: &Place| (from..to).contains(&place.time.0);
            let expected: Vec<_> = newest_first(&places()).into_iter().filter(there).collect();
            let words = format!("from {from} to {to}: from belongs to it, and to does not");
            assert_eq!(asked(&store, &wanted), (expected, None), "{words}");
        }
    }
}

#[test]
fn page_ends_at_the_earlier_of_its_time_and_its_cursor() {
    let (_folder, store) = filled();
    for cursor in places().into_iter().chain([place(u64::MAX, 0, 0, 0)]) {
        for to in [10, 20, 21, 301, u64::MAX] {
            let wanted = Wanted { to: UnixMs(to), before: Some(cursor), ..everything(500) };
            let there = |place: &Place| place.time.0 < to && *place < cursor;
            let expected: Vec<_> = newest_first(&places()).into_iter().filter(there).collect();
            assert_eq!(asked(&store, &wanted).0, expected, "to {to}, and before {cursor}: the earlier decides");
        }
    }
}

#[test]
fn page_costs_the_same_however_much_there_is() {
    let (_folder, store) = filled();
    // Behind the four newest rows stand some that can't be read: a page of three reads one row beyond its own.
    for place in &places()[..3] {
        put(&store, &[(&placed(Table::Money, OWNER, *place), &Bytes(Vec::new()))]);
    }
    let read = page::<Money>(&store, Table::Money, OWNER, &everything(3));
    let read =
        read.unwrap_or_else(|error| panic!("a page of 3 reads the 3 newest rows and one more, and no others: {error}"));
    assert_eq!(read.rows.len(), 3);
    assert!(read.next.is_some(), "there are more");
    let read = page::<Money>(&store, Table::Money, OWNER, &everything(5));
    assert!(matches!(read, Err(HistoryError::Unusable { .. })), "a row that can't be read is no row: the page fails");
}

/// A candle whose four prices differ.
fn drawn(close: u8) -> Candle {
    Candle {
        open: price(close + 1),
        high: price(close + 2),
        low: price(close - 2),
        close: price(close),
        shares: 10,
        trades: 3,
    }
}

const MINUTE: u64 = 60_000;

/// Candles of a minute of market 3: of the minutes 2, 3 and 6. And candles of others.
fn with_candles() -> (tempfile::TempDir, Store) {
    let (folder, store) = empty();
    for (minute, close) in [(2, 20), (3, 30), (6, 60)] {
        put(&store, &[(&key::candle(MarketId(3), Width::Minute, UnixMs(minute * MINUTE)), &drawn(close))]);
    }
    for (market, width, start) in [
        (2, Width::Minute, 0),
        (2, Width::Minute, 4 * MINUTE),
        (4, Width::Minute, 0),
        (4, Width::Minute, 4 * MINUTE),
        (3, Width::Second, 0),
        (3, Width::Second, 4 * MINUTE),
        (3, Width::Hour, 0),
    ] {
        put(&store, &[(&key::candle(MarketId(market), width, UnixMs(start)), &drawn(90))]);
    }
    (folder, store)
}

/// The minutes of the candles of a range in milliseconds, each with its closing price and its trades.
fn minutes(store: &Store, from: u64, to: u64) -> Vec<(u64, u8, u64)> {
    let found = candles(store, MarketId(3), Width::Minute, UnixMs(from), UnixMs(to)).unwrap();
    for (start, candle) in &found {
        let stored = drawn(candle.close.cents());
        let expected = if candle.trades > 0 { stored } else { stored.still() };
        assert_eq!(*candle, expected, "the candle of minute {}", start.0 / MINUTE);
        assert_eq!(start.0 % MINUTE, 0, "a candle is named after when its minute began");
    }
    found.iter().map(|(start, candle)| (start.0 / MINUTE, candle.close.cents(), candle.trades)).collect()
}

const MINUTES: &str = "[minute, closing price, trades]";

#[test]
fn gaps_have_the_last_price_and_no_volume() {
    let (_folder, store) = with_candles();
    let found = minutes(&store, 2 * MINUTE, 9 * MINUTE);
    let expected = [(2, 20, 3), (3, 30, 3), (4, 30, 0), (5, 30, 0), (6, 60, 3), (7, 60, 0), (8, 60, 0)];
    assert_eq!(found, expected, "{MINUTES}: where nothing was traded, the last price goes on");
}

#[test]
fn gaps_before_the_first_trade_are_left_empty() {
    let (_folder, store) = with_candles();
    assert_eq!(
        minutes(&store, 0, 4 * MINUTE),
        [(2, 20, 3), (3, 30, 3)],
        "{MINUTES}: there is no price before the first"
    );
    let found = minutes(&store, 0, 2 * MINUTE);
    assert!(found.is_empty(), "before the first trade is no candle at all, and here are {found:?} {MINUTES}");
}

#[test]
fn gaps_at_the_beginning_have_the_price_from_before_it() {
    let (_folder, store) = with_candles();
    for (from, expected) in [(4, vec![(4, 30, 0), (5, 30, 0), (6, 60, 3)]), (5, vec![(5, 30, 0), (6, 60, 3)])] {
        assert_eq!(
            minutes(&store, from * MINUTE, 7 * MINUTE),
            expected,
            "{MINUTES}: the price stands in a candle before the range"
        );
    }
    let found = minutes(&store, 1_000 * MINUTE, 1_002 * MINUTE);
    assert_eq!(found, [(1_000, 60, 0), (1_001, 60, 0)], "{MINUTES}: however long before");
}

#[test]
fn gaps_cover_every_millisecond_of_the_range() {
    let (_folder, store) = with_candles();
    let middle = 3 * MINUTE + 31_000;
    assert_eq!(
        minutes(&store, middle, 4 * MINUTE),
        [(3, 30, 3)],
        "{MINUTES}: a range begins with the whole minute that holds its beginning"
    );
    assert_eq!(minutes(&store, middle, middle + 1), [(3, 30, 3)], "{MINUTES}: a range of one millisecond");
    assert_eq!(
        minutes(&store, middle, 6 * MINUTE),
        [(3, 30, 3), (4, 30, 0), (5, 30, 0)],
        "{MINUTES}: a range ends before its end"
    );
    let expected = [(3, 30, 3), (4, 30, 0), (5, 30, 0), (6, 60, 3)];
    assert_eq!(
        minutes(&store, middle, 6 * MINUTE + 1),
        expected,
        "{MINUTES}: one millisecond of the last minute is in the range"
    );
}

#[test]
fn gaps_are_filled_for_every_width() {
    let (_folder, store) = empty();
    for width in Width::ALL {
        put(&store, &[(&key::candle(MarketId(3), width, UnixMs(0)), &drawn(20))]);
        let found = candles(&store, MarketId(3), width, UnixMs(0), UnixMs(3 * width.ms())).unwrap();
        let starts: Vec<_> = found.iter().map(|(start, _)| start.0 / width.ms()).collect();
        assert_eq!(starts, [0, 1, 2], "three candles of a {}", width.word());
    }
}

#[test]
fn gaps_are_filled_up_to_a_limit() {
    let (_folder, store) = with_candles();
    let ask = |from: u64, to: u64| candles(&store, MarketId(3), Width::Minute, UnixMs(from), UnixMs(to));
    let end = (10 + CANDLES_MAX) * MINUTE;
    assert_eq!(ask(10 * MINUTE, end).unwrap().len() as u64, CANDLES_MAX, "an answer has as many candles as this");
    let more = CANDLES_MAX + 1;
    for (from, to) in [(9 * MINUTE, end), (10 * MINUTE, end + 1), (10 * MINUTE - 1, end)] {
        let refused = ask(from, to).map(|found| found.len());
        let Err(HistoryError::Asked(words)) = refused else {
            panic!("{more} candles are refused as a question, not {refused:?}")
        };
        let says = |number: u64| words.contains(&number.to_string());
        assert!(
            says(more) && says(CANDLES_MAX),
            "the words say how many candles that is, and how many an answer has: {words}"
        );
    }
    let refused = ask(0, u64::MAX).map(|found| found.len());
    assert!(matches!(refused, Err(HistoryError::Asked(_))), "all candles that there ever will be: {refused:?}");
}

/// A log of one shard without snapshots: a follower that begins again reads it from its first command.
fn unkept(folder: &Path) -> Options {
    Options { snapshot_every: None, ..options(folder, 1, false) }
}

/// Commands of which some lead to trades, also among the first.
fn that_trade(count: usize) -> Vec<Command> {
    let trades = |commands: &[Command]| {
        let mut model = Model::default();
        let events = commands.iter().flat_map(|command| model.apply(command));
        events.filter(|event| matches!(event, Event::Traded { .. })).count()
    };
    (0..).map(|seed| commands(seed, count)).find(|all| trades(all) >= 8 && trades(&all[..all.len() / 2]) >= 2).unwrap()
}

fn opened(options: &Options) -> Arc<Store> {
    Arc::new(Store::open(options, false).unwrap())
}

fn begun(options: &Options, store: &Arc<Store>) -> Follower {
    Follower::begin(options, store, ShardOf::ONLY).unwrap()
}

/// Fails where the rows, and how many were counted, are not what the log says up to their place; or where the place is not behind
/// a command of the log.
fn assert_agree(store: &Store, log: &[(Stamp, Command)], when: &str) {
    let at = store.followed(0).unwrap();
    let through: Vec<_> = log.iter().copied().filter(|(stamp, _)| stamp.sequence < at.next).collect();
    let expected = Rows::of_commands(0, &through);
    let reached = through.last().map_or(Followed::default(), |(last, _)| Followed {
        next: last.sequence.plus(1),
        time: last.time,
        ..at
    });
    let when = format!("{when}, with the place behind command {}", at.next.0.saturating_sub(1));
    Rows::of_store(store).assert_is(&expected, &when);
    let rows = [expected.public.len(), expected.orders.len(), expected.money.len()].map(|count| count as u64);
    assert_eq!(
        (at.next, at.time),
        (reached.next, reached.time),
        "{when}: the place is the next command, and the time of the one before it"
    );
    assert_eq!(at.counts, rows, "{when}: how many trades, orders and movements of money were counted");
}

#[test]
fn follow_leads_to_the_rows_that_the_log_says() {
    let folder = tempfile::tempdir().unwrap();
    let options = unkept(folder.path());
    let (mut follower, mut steps) = (None, 0);
    run(&options, &that_trade(400), || {
        let follower = follower.get_or_insert_with(|| begun(&options, &opened(&options)));
        let before = follower.at().next;
        let went = follower.step().unwrap();
        let log = logged(folder.path(), ShardOf::ONLY);
        steps += 1;
        assert_agree(follower.store(), &log, &format!("after step {steps}"));
        assert_eq!(follower.at(), follower.store().followed(0).unwrap(), "at is the place that the rows have reached");
        assert_eq!(went, follower.at().next > before, "step says whether there was something to do");
        let behind = log.last().map_or(0, |(last, _)| last.sequence.plus(1).0) - follower.at().next.0;
        assert!(
            follower.behind() <= behind,
            "behind is how many commands on disk have no rows: {} of {behind}",
            follower.behind()
        );
    });
    let mut follower = follower.unwrap();
    while follower.step().unwrap() {}
    let log = logged(folder.path(), ShardOf::ONLY);
    assert_agree(follower.store(), &log, "in the end");
    assert_eq!(
        Some(follower.at().next),
        log.last().map(|(last, _)| last.sequence.plus(1)),
        "it comes to the end of the log"
    );
    assert_eq!(follower.behind(), 0, "it is behind by nothing");
}

#[test]
fn follow_begins_again_where_the_rows_end() {
    let folder = tempfile::tempdir().unwrap();
    let options = unkept(folder.path());
    let mut times = 0;
    run(&options, &that_trade(300), || {
        times += 1;
        if times % 5 != 0 {
            return;
        }
        // Another process: what the first kept in memory is gone, and the log is read from its first command again.
        let store = opened(&options);
        let mut follower = begun(&options, &store);
        while follower.step().unwrap() {}
        let log = logged(folder.path(), ShardOf::ONLY);
        assert_agree(
            &store,
            &log,
            &format!("begun again for the {}th time: what the rows have already comes a second time", times / 5),
        );
    });
}

#[test]
fn follow_takes_some_commands_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { segment_commands: None, ..unkept(folder.path()) };
    run_in_large_frames(&options, &commands(13, 20_000));
    let store = opened(&options);
    let mut follower = begun(&options, &store);
    assert!(follower.step().unwrap(), "there is something to do");
    let (first, left) = (follower.at().next.0 - 1, follower.behind());
    assert!(
        (1..10_000).contains(&first),
        "a step takes some commands, so that a batch does not grow with the log: {first}"
    );
    assert!(left > 10_000, "behind is how many commands on disk have no rows yet: {left}");
    let mut steps = 1;
    while follower.step().unwrap() {
        steps += 1;
    }
    assert!(steps > 2, "{steps} steps");
    assert_agree(&store, &logged(folder.path(), ShardOf::ONLY), "in the end");
}

/// As [`run`], with a sync for a thousand commands.
fn run_in_large_frames(options: &Options, commands: &[Command]) {
    use market::{Acknowledge, Engine as _, Receivers};
    struct Deaf;
    impl Acknowledge for Deaf {
        fn acknowledge(&mut self, _: Stamp, _: &[Event]) {}
    }
    let mut receivers = |_: u16| Box::new(Deaf) as Box<dyn Acknowledge>;
    let (mut engine, _) =
        ch08::Engine::<ch08::metrics::Unmeasured>::open(options, &mut receivers as &mut Receivers<'_>).unwrap();
    for some in commands.chunks(1_000) {
        some.iter().for_each(|command| assert!(engine.submit(*command).is_ok()));
        engine.flush().unwrap();
    }
    engine.close().unwrap();
}

#[test]
fn follow_stops_at_a_row_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let options = unkept(folder.path());
    run(&options, &that_trade(200), || {});
    let store = opened(&options);
    let log = logged(folder.path(), ShardOf::ONLY);
    // A candle of a day into which the first trade falls.
    let first = Rows::of_commands(0, &log).candles.keys().find(|(_, width, _)| *width == Width::Day as u8).copied();
    let (market, _, start) = first.expect("there are trades");
    put(&store, &[(&key::candle(MarketId(market), Width::Day, UnixMs(start)), &Bytes(Vec::new()))]);
    let followed = begun(&options, &store).step();
    assert!(
        followed.is_err(),
        "the row of a candle can't be read, so the command that changes it has no rows: the step fails"
    );
    assert_eq!(store.followed(0).unwrap(), Followed::default(), "and the place stays where it was");
    assert_eq!(
        store.bytes(&key::number(MarketId(1), OrderId(1))).unwrap(),
        None,
        "and nothing is written of that step"
    );
}

/// The store writes its batches one behind the other into its journal. Cut anywhere, as a crash does, what is left is a number of
/// whole batches.
#[test]
fn follow_writes_a_step_in_one_batch() {
    let folder = tempfile::tempdir().unwrap();
    let options = unkept(folder.path());
    {
        let mut follower = None;
        run(&options, &that_trade(40), || {
            let follower = follower.get_or_insert_with(|| begun(&options, &opened(&options)));
            follower.step().unwrap();
        });
        let mut follower = follower.unwrap();
        while follower.step().unwrap() {}
        follower.store().sync().unwrap();
    }
    let log = logged(folder.path(), ShardOf::ONLY);
    let (rows, kept) = (folder.path().join("history/rows"), folder.path().join("kept"));
    let journal = keep(&rows, &kept);
    let bytes = fs::read(kept.join(&journal)).unwrap();
    let written = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let mut reached = std::collections::BTreeSet::new();
    // The shortest batch, with the place alone, is longer than this.
    for length in (0..=written).step_by(50).chain([written]) {
        fs::remove_dir_all(&rows).unwrap();
        copy(&kept, &rows);
        fs::write(rows.join(&journal), &bytes[..length]).unwrap();
        let store = opened(&options);
        let next = store.followed(0).unwrap().next;
        let is_new = reached.insert(next);
        assert_agree(&store, &log, &format!("the store's journal is cut behind {length} of {written} bytes"));
        if is_new {
            let mut follower = begun(&options, &store);
            while follower.step().unwrap() {}
            assert_agree(
                &store,
                &log,
                &format!("the journal was cut behind {length} bytes, and the log followed again"),
            );
        }
    }
    assert!(reached.len() > 3, "there are too few batches to cut between: {reached:?}");
}

/// Sets a store aside. Its journal is long and mostly empty, so its name alone is the result.
fn keep(rows: &Path, kept: &Path) -> PathBuf {
    copy(rows, kept);
    let mut journals: Vec<_> = fs::read_dir(kept).unwrap().map(|entry| entry.unwrap().path()).collect();
    journals.retain(|path| path.extension().is_some_and(|end| end == "jnl"));
    let [journal] = &journals[..] else { panic!("one journal: {journals:?}") };
    journal.strip_prefix(kept).unwrap().to_path_buf()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        let to = to.join(entry.file_name().unwrap());
        match entry.is_dir() {
            true => copy(&entry, &to),
            false => assert!(fs::copy(&entry, &to).is_ok()),
        }
    }
}
