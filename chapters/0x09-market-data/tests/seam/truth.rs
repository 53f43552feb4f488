//! The expected state: the reference model's book and trades after each command of a shard.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use market::model::Model;
use market::state::MarketState;
use market::{Command, EngineError, Event, MarketId, Outcome, Price, Sequence, Stamp, TradeKind, UnixMs};
use market_data::past::Past;
use market_data::tap::Opened;
use market_data::{Depth, LastTrade, Prices, PublicTrade, Status, Summary, TradeId, Volume};

/// A shard's log with the events of each command, and some snapshots.
#[derive(Default)]
pub struct Log {
    pub entries: Vec<(Stamp, Vec<Event>)>,
    pub snapshots: Vec<Opened>,
}

/// The log; there is only one thread.
pub fn locked(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A market between two commands.
#[derive(Clone, PartialEq, Debug)]
struct Book {
    depth: Depth,
    open_interest: u64,
    outcome: Option<Outcome>,
}

/// One shard, according to the model.
#[derive(Default)]
pub struct Truth {
    model: Model,
    pub log: Arc<Mutex<Log>>,
    books: BTreeMap<MarketId, Vec<(Sequence, Book)>>,
    pub trades: BTreeMap<MarketId, Vec<PublicTrade>>,
}

impl Truth {
    /// The state that an engine opened now would have.
    pub fn opened(&self) -> Opened {
        Opened { next: Sequence(self.length() as u64 + 1), state: self.model.state() }
    }

    pub fn length(&self) -> usize {
        locked(&self.log).entries.len()
    }

    pub fn markets(&self) -> impl Iterator<Item = MarketId> {
        self.books.keys().copied()
    }

    /// Applies a command, which is then durable.
    pub fn apply(&mut self, command: &Command) {
        let sequence = Sequence(self.length() as u64 + 1);
        let stamp = Stamp { sequence, time: UnixMs(1_000 + sequence.0 / 3) };
        let events = self.model.apply(command);
        let market = command.market();
        let trades = events.iter().filter_map(|event| match *event {
            Event::Traded { price, quantity, maker_intent, taker_intent, .. } => {
                Some((price, quantity, taker_intent.side(), TradeKind::of(maker_intent, taker_intent)))
            }
            _ => None,
        });
        for (index, (price, quantity, taker_side, kind)) in trades.enumerate() {
            let id = TradeId { sequence, index: index as u32 };
            let trade = PublicTrade { market, id, time: stamp.time, price, quantity, taker_side, kind };
            self.trades.entry(market).or_default().push(trade);
        }
        if let Some(state) = self.model.state().markets.get(&market) {
            let before = self.books.get(&market).and_then(|books| books.last()).and_then(|(_, book)| book.outcome);
            let outcome = match *command {
                Command::Resolve { outcome, .. } => before.or(Some(outcome)),
                _ => before,
            };
            self.books.entry(market).or_default().push((sequence, book(state, outcome)));
        }
        locked(&self.log).entries.push((stamp, events));
    }

    /// Checks that this is the market's book after the command that the summary names.
    pub fn check(&self, market: MarketId, depth: &Depth, summary: &Summary) -> Result<(), String> {
        let at = summary.sequence;
        let books = self.books.get(&market).ok_or("there is no such market")?;
        let (_, book) = books.iter().rev().find(|(sequence, _)| *sequence <= at).ok_or("it was not there yet")?;
        let said = |what: &str, is: &dyn std::fmt::Debug, right: &dyn std::fmt::Debug| {
            Err(format!("market {market} after command {at}: {what} is {is:?}, but {right:?} is right"))
        };
        if *depth != book.depth {
            let stands =
                |depth: &Depth| Prices::ALL.iter().map(|price| (price, depth.at(price))).collect::<BTreeSet<_>>();
            let (is, right) = (stands(depth), stands(&book.depth));
            return said("the depth", &(&is - &right), &(&right - &is));
        }
        if (summary.best_bid, summary.best_ask) != book.depth.best() {
            return said("the best price", &(summary.best_bid, summary.best_ask), &book.depth.best());
        }
        if summary.open_interest != book.open_interest {
            return said("the open interest", &summary.open_interest, &book.open_interest);
        }
        let is_right = match summary.status {
            Status::Open => book.outcome.is_none(),
            Status::Resolved(None) => book.outcome.is_some(),
            Status::Resolved(outcome) => book.outcome == outcome,
        };
        if !is_right {
            return said("the status", &summary.status, &book.outcome);
        }
        let Volume { since, .. } = summary.volume;
        let trades = self.trades.get(&market).map_or(&[][..], Vec::as_slice).iter();
        let counted: Vec<_> = trades.filter(|trade| (since..=at).contains(&trade.id.sequence)).collect();
        let shares = counted.iter().map(|trade| u64::from(trade.quantity.0)).sum();
        let last =
            counted.last().map(|&&PublicTrade { price, quantity, time, .. }| LastTrade { price, quantity, time });
        if (summary.volume.shares, summary.last_trade) != (shares, last) {
            return said("what was traded", &(summary.volume, summary.last_trade), &(shares, last));
        }
        Ok(())
    }

    /// Checks that this is the market's latest book.
    pub fn check_latest(&self, market: MarketId, depth: &Depth, summary: &Summary) -> Result<(), String> {
        self.check(market, depth, summary)?;
        let now = Summary { sequence: Sequence(self.length() as u64), ..*summary };
        self.check(market, depth, &now).map_err(|error| format!("it is not the latest: {error}"))
    }
}

fn book(state: &MarketState, outcome: Option<Outcome>) -> Book {
    let mut depth = Depth::default();
    let amount = |orders: &[market::state::RestingOrder], price: Price| -> i64 {
        orders.iter().filter(|order| order.price == price).map(|order| i64::from(order.quantity.0)).sum()
    };
    for price in (1..=99).filter_map(Price::new) {
        depth.set(price, amount(&state.bids, price) - amount(&state.asks, price));
    }
    Book { depth, open_interest: state.pot.0 / 100, outcome }
}

/// The log as a feed sees it: in small pieces, and sometimes unreadable.
pub struct MemoryPast {
    pub log: Arc<Mutex<Log>>,
    pub at: usize,
    pub asked: u64,
    pub followed: u64,
}

impl Past for MemoryPast {
    fn begin(&mut self) -> Result<Opened, EngineError> {
        self.asked += 1;
        if self.asked.is_multiple_of(3) {
            return Err(EngineError::Refused("the file is just being removed".into()));
        }
        let opened = locked(&self.log).snapshots.last().cloned();
        let opened = opened.unwrap_or(Opened { next: Sequence::FIRST, state: Model::default().state() });
        self.at = opened.next.0 as usize - 1;
        Ok(opened)
    }

    fn follow(&mut self, heard: &mut dyn FnMut(Stamp, &[Event])) -> Result<u64, EngineError> {
        self.followed += 1;
        if self.followed.is_multiple_of(4) {
            // The watermark can't be read at the moment, so nothing is known to be durable.
            return Ok(0);
        }
        let log = locked(&self.log);
        let end = log.entries.len().min(self.at + 7);
        log.entries[self.at..end].iter().for_each(|(stamp, events)| heard(*stamp, events));
        self.at = end;
        Ok((log.entries.len() - end) as u64)
    }

    fn end(&mut self) {}
}
