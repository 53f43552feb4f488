//! The mask's recording: one book, a reader that looks after nearly every change, and a slow one.
//!
//! Commands, events, tap, feed, slate, reader and views are the engines' own; one thread plays all of them in a fixed
//! order. What a reader has missed comes from the chapter's `Reader`, given a copy of its cursor. The version at
//! which a price changed is found the same way, by asking with every possible cursor.

use crate::digest::{hex, sources};
use ch06::exchange::Exchange;
use ch06::metrics::Unmeasured;
use market::{
    AccountId, Acknowledge, Cents, Command, EngineError, Event, Intent, MarketId, OrderId, Place, Price, Sequence,
    Stamp, TimeInForce, UnixMs,
};
use market_data::feed::{Feed, Settings};
use market_data::past::Past;
use market_data::reader::Reader;
use market_data::shown::Shown;
use market_data::tap::{Opened, Tap, tap};
use market_data::{BookUpdate, BookView, Cursor, Freshness, Message, Prices, Version};
use serde_json::{Value, json};
use std::sync::Arc;

const CHAPTER: &str = "0x09-market-data";
const SOURCES: [&str; 7] =
    ["src/slate.rs", "src/shown.rs", "src/reader.rs", "src/view.rs", "src/watched.rs", "src/feed.rs", "src/update.rs"];

const MARKET: MarketId = MarketId(1);
const ALICE: AccountId = AccountId(1);
const BOB: AccountId = AccountId(2);

/// The prices that are drawn, in cents. There are never orders at any other.
const DRAWN: [u8; 7] = [38, 39, 40, 41, 42, 43, 44];

/// A past that is never needed: this feed is never lapped.
struct NoPast;

impl Past for NoPast {
    fn begin(&mut self) -> Result<Opened, EngineError> {
        Err(EngineError::Refused("there is no past".into()))
    }

    fn follow(&mut self, _: &mut dyn FnMut(Stamp, &[Event])) -> Result<u64, EngineError> {
        Ok(0)
    }

    fn end(&mut self) {}
}

/// A watcher: the venue keeps only its cursor, and the view is the reader's own.
struct Watcher {
    cursor: Cursor,
    view: BookView,
    /// Prices that came with changes, without whole books.
    told: usize,
}

struct Venue {
    exchange: Exchange,
    sequence: u64,
    tap: Tap,
    /// `None` between two lives.
    feed: Option<Feed>,
    shown: Arc<Shown>,
    reader: Reader,
    watchers: [Watcher; 2],
    /// How many changes of prices were in published versions.
    changes: usize,
    steps: Vec<Value>,
}

const FAST: usize = 0;
const SLOW: usize = 1;
const NAMES: [&str; 2] = ["fast", "slow"];

impl Venue {
    /// A venue with a book, in its first epoch, published once.
    fn new() -> Venue {
        let mut exchange = Exchange::default();
        let (mut tap, feed) = life(1, Sequence::FIRST, &exchange);
        let mut sequence = 0;
        for command in prologue() {
            sequence = acknowledge(&mut exchange, &mut tap, sequence, &command);
        }
        let (feed, shown) = published(feed);
        let watcher = || Watcher { cursor: Cursor::default(), view: BookView::new(MARKET), told: 0 };
        let (reader, watchers) = (Reader::default(), [watcher(), watcher()]);
        Venue { exchange, sequence, tap, feed: Some(feed), shown, reader, watchers, changes: 0, steps: Vec::new() }
    }

    /// A command is matched and acknowledged, and the feed publishes what it changed.
    fn command(&mut self, does: &str, command: &Command) {
        let before = self.amounts();
        self.sequence = acknowledge(&mut self.exchange, &mut self.tap, self.sequence, command);
        self.feed.as_mut().unwrap().step().unwrap();
        let changed: Vec<usize> = (0..99).filter(|&at| self.amounts()[at] != before[at]).collect();
        self.changes += changed.len();
        let (price, now) = (changed[0] + 1, self.amounts()[changed[0]]);
        let was = before[changed[0]];
        self.note("feed", does, json!({ "prices": changed.len(), "price": price, "was": was, "now": now }));
    }

    /// A watcher takes what it has missed.
    fn take(&mut self, who: usize) {
        let from = self.watchers[who].cursor.book;
        // The price at which most changes were skipped, and how many.
        let passed = (0..DRAWN.len()).map(|at| (self.changes_since(from, DRAWN[at]), DRAWN[at]));
        let (most, price) = passed.fold((0, 0), |most, one| if one.0 > most.0 { one } else { most });
        let Watcher { cursor, view, told } = &mut self.watchers[who];
        let Some(update) = self.reader.book(&self.shown, cursor) else {
            return self.note(NAMES[who], "looks", json!({}));
        };
        let update: BookUpdate = *update;
        let message = Message::Book(update);
        let bytes = message.encode(&mut [0; market_data::message::MESSAGE_BYTES_MAX]).len();
        view.apply(&message).unwrap();
        if !update.is_whole() {
            *told += update.prices.len();
        }
        let now = Price::new(price).map_or(0, |price| update.depth.at(price));
        let versions = if update.is_whole() { 0 } else { update.to.counter - update.from.counter };
        let taken = drawn(|price| update.prices.contains(price));
        let took = json!({
            "whole": update.is_whole(), "prices": update.prices.len(), "bytes": bytes, "from": from.counter,
            "versions": versions, "most": most, "price": price, "now": now, "taken": taken,
        });
        self.note(NAMES[who], "takes", took);
    }

    /// In how many published versions after this one a price has changed, according to the recording so far.
    fn changes_since(&self, from: Version, cents: u8) -> usize {
        let at = DRAWN.iter().position(|&drawn| drawn == cents).unwrap();
        let later = self.steps.iter().filter(|step| {
            let [epoch, version] = ["epoch", "version"].map(|field| step["slate"][field].as_u64().unwrap());
            step["who"] == "feed" && epoch == from.epoch && version > from.counter
        });
        later.filter(|step| step["slate"]["changed"][at] == step["slate"]["version"]).count()
    }

    /// The program ends. The feed's last message is that it has ended.
    fn end(&mut self) {
        self.feed = None;
        self.note("feed", "ends", json!({}));
    }

    /// It starts again: another feed, another epoch, and the book that the engine found in its log.
    fn begin_again(&mut self) {
        let (tap, feed) = life(2, Sequence(self.sequence + 1), &self.exchange);
        let (feed, shown) = published(feed);
        (self.tap, self.feed, self.shown) = (tap, Some(feed), shown);
        self.note("feed", "begins-again", json!({}));
    }

    /// Notes what was done and the state after it.
    fn note(&mut self, who: &str, does: &str, detail: Value) {
        let (to, whole) = (self.slate().to, self.slate());
        let amounts = drawn(|price| whole.depth.at(price));
        let watchers: Vec<Value> = self.watchers.iter().map(|watcher| self.stands(watcher)).collect();
        let step = json!({
            "who": who,
            "does": does,
            "detail": detail,
            "slate": {
                "epoch": to.epoch, "version": to.counter, "sequence": whole.summary.sequence.0,
                "fresh": whole.summary.is_fresh, "amounts": amounts, "changed": drawn(|price| self.changed(price)),
            },
            "watchers": watchers,
            "changes": self.changes,
        });
        self.steps.push(step);
    }

    fn stands(&self, watcher: &Watcher) -> Value {
        let Version { epoch, counter } = watcher.cursor.book;
        let missed = self.missed(watcher.cursor.book);
        json!({
            "epoch": epoch, "version": counter, "amounts": drawn(|price| watcher.view.depth().at(price)),
            "missed": drawn(|price| missed.contains(price)), "misses": missed.len(),
            "fresh": watcher.view.freshness() == Freshness::Fresh, "told": watcher.told,
        })
    }

    /// The mask for a cursor with this version.
    fn missed(&self, version: Version) -> Prices {
        let mut cursor = Cursor { book: version, ..Cursor::default() };
        Reader::default().book(&self.shown, &mut cursor).map_or(Prices::NONE, |update| update.prices)
    }

    /// The whole slate, as a new reader gets it.
    fn slate(&self) -> BookUpdate {
        *Reader::default().book(&self.shown, &mut Cursor::default()).unwrap()
    }

    fn amounts(&self) -> [i64; 99] {
        *self.slate().depth.amounts()
    }

    /// The version at which a price last changed: the last one that was published and is a change for the version
    /// before it. A reader without any version gets all prices, so for the first version every price with orders
    /// counts.
    fn changed(&self, price: Price) -> u64 {
        let Version { epoch, counter: last } = self.slate().to;
        let is_news = |at: &u64| self.missed(Version { epoch, counter: at - 1 }).contains(price);
        match (2..=last).rev().find(is_news) {
            Some(version) => version,
            None => u64::from(self.slate().depth.at(price) != 0),
        }
    }
}

/// A tap and a feed of this epoch, for an engine that begins with command `next`.
fn life(epoch: u64, next: Sequence, exchange: &Exchange) -> (Tap, Feed) {
    let (mut tap, tapped) = tap(64);
    tap.recovered(next, &|| exchange.state());
    let mut feed = Feed::new(Settings { epoch, trades_kept: 8 }, vec![(tapped, Box::new(NoPast))]);
    feed.step().unwrap();
    (tap, feed)
}

/// Publishes, and returns the feed and the market's book as the feed shows it.
fn published(mut feed: Feed) -> (Feed, Arc<Shown>) {
    feed.step().unwrap();
    let shown = feed.board().market(MARKET).unwrap();
    (feed, shown)
}

/// Applies a command and acknowledges it; returns its number.
fn acknowledge(exchange: &mut Exchange, tap: &mut Tap, before: u64, command: &Command) -> u64 {
    let mut events = Vec::new();
    exchange.apply(command, &mut events, &mut Unmeasured);
    assert!(!events.iter().any(|event| matches!(event, Event::Rejected { .. })), "{command:?} is taken");
    tap.acknowledge(Stamp { sequence: Sequence(before + 1), time: UnixMs(before) }, &events);
    before + 1
}

/// One value for each price that is drawn.
fn drawn<T>(of: impl Fn(Price) -> T) -> Vec<T> {
    DRAWN.iter().map(|&cents| of(Price::new(cents).unwrap())).collect()
}

/// A limit order; `cents` is its limit in YES cents.
fn order(account: AccountId, intent: Intent, cents: u8, quantity: u32) -> Command {
    let price = if intent == Intent::BuyNo { 100 - cents } else { cents };
    let (time_in_force, market) = (TimeInForce::Gtc, MARKET);
    Command::Place(Place { intent, time_in_force, price, market, account, quantity, client_order_id: 0 })
}

/// The market, its cash, and the initial book.
fn prologue() -> Vec<Command> {
    let cash = |account| Command::Deposit { market: MARKET, account, amount: Cents(100_000), request: 0 };
    let bids = [(38, 40), (39, 12), (40, 25)].map(|(cents, shares)| order(ALICE, Intent::BuyYes, cents, shares));
    let asks = [(42, 7), (43, 30), (44, 5)].map(|(cents, shares)| order(BOB, Intent::BuyNo, cents, shares));
    [vec![Command::Open { market: MARKET }, cash(ALICE), cash(BOB)], bids.to_vec(), asks.to_vec()].concat()
}

/// The recording, with the files that made it.
pub fn record() -> Value {
    let mut venue = Venue::new();
    venue.note("feed", "begins", json!({}));
    venue.take(FAST);
    venue.take(SLOW);
    venue.command("bid", &order(ALICE, Intent::BuyYes, 41, 5));
    venue.take(FAST);
    venue.command("trade", &order(ALICE, Intent::BuyYes, 42, 3));
    venue.take(FAST);
    venue.command("bid", &order(ALICE, Intent::BuyYes, 41, 4));
    // Orders are numbered in the order of arrival: six before, then 5 shares at 41, then the 3 that
    // traded.
    venue.command("cancel", &Command::Cancel { market: MARKET, account: ALICE, order: OrderId(7), request: 0 });
    venue.take(FAST);
    venue.command("bid", &order(ALICE, Intent::BuyYes, 41, 20));
    venue.command("trade", &order(BOB, Intent::BuyNo, 41, 10));
    venue.take(SLOW);
    venue.take(SLOW);
    venue.take(FAST);
    venue.command("sweep", &order(ALICE, Intent::BuyYes, 43, 34));
    venue.take(FAST);
    venue.end();
    venue.take(FAST);
    venue.take(SLOW);
    venue.begin_again();
    venue.take(FAST);
    venue.take(SLOW);
    let steps = Value::Array(venue.steps);
    let digest = hex(steps.to_string().as_bytes());
    json!({ "chapter": CHAPTER, "prices": DRAWN, "sources": sources(CHAPTER, &SOURCES), "digest": digest, "steps": steps })
}
