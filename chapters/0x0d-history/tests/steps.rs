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
use contract::traced::copy;
use history::candle::Candle;
use history::changes::Changes;
use history::derived::{Derived, ORDERS_KEPT};
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
use market::{
    AccountId, CancelReason, Cents, Command, Event, Intent, MarketId, Options, OrderId, Price, Quantity, Sequence,
    Stamp, TimeInForce, UnixMs,
};

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
            "a time of 256 comes after one of 255: which byte of a number decides first?",
            place(255, 0, 0, 0),
            place(256, 0, 0, 0),
        ),
        ("a shard of 256 comes after one of 255", place(1, 255, 0, 0), place(1, 256, 0, 0)),
        ("a sequence of 256 comes after one of 255", place(1, 1, 255, 0), place(1, 1, 256, 0)),
        ("an index of 256 comes after one of 255", place(1, 1, 1, 255), place(1, 1, 1, 256)),
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
    assert_eq!(candle.still(), expected, "after one from 40 to 55, without a trade");
}

#[test]
fn cut_comes_after_the_command_that_fills_the_part() {
    let part = Part { first: Sequence(400), time: UnixMs(7_000), trades: 1_000 };
    let behind = Stamp { sequence: Sequence(450), time: UnixMs(8_000) };
    for (trades, words) in [(1_000, "no trade"), (1_001, "one trade"), (1_005, "one trade too few")] {
        assert_eq!(part.cut(behind, trades, 6), None, "of 6 trades a part, this one has {words}");
    }
    for (trades, words) in [(1_006, "just as many trades"), (1_009, "more trades, because the command had several")] {
        let next = part.cut(behind, trades, 6);
        let words = format!("of 6 trades a part, this one has {words}");
        let next = next.unwrap_or_else(|| panic!("{words}: the next part begins"));
        assert_eq!(next.first, Sequence(451), "{words}: the next part begins after the command");
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

// One module in several files, so that the name of each test begins with its step.
include!("steps/page.rs");
include!("steps/gaps.rs");
include!("steps/follow.rs");
include!("steps/writes.rs");
