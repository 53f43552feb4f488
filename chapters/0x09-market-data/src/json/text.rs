//! The fields of the JSON, and the conversions between them and messages.

use market::{MarketId, Outcome, Price, Quantity, Sequence, Side, TradeKind, UnixMs};
use serde::{Deserialize, Serialize};

use crate::depth::{Depth, Prices};
use crate::message::{Message, TradeUpdate};
use crate::trade::{Missed, PublicTrade, TradeId};
use crate::update::{BookUpdate, LastTrade, Status, Summary, Version, Volume};

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Text {
    Book(Book),
    Trade(Trade),
    Missed(Gap),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Book {
    market: u32,
    epoch: u64,
    from: Option<u64>,
    to: u64,
    sequence: u64,
    is_fresh: bool,
    status: Word,
    best_bid: Option<u8>,
    best_ask: Option<u8>,
    last_trade: Option<Last>,
    volume: Counted,
    open_interest: u64,
    depth: Vec<(u8, i64)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Last {
    price: u8,
    quantity: u32,
    time_ms: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counted {
    shares: u64,
    since: u64,
}

/// A trade's position: the command's sequence and the index among its trades.
type Place = (u64, u32);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Trade {
    market: u32,
    since: Place,
    id: Place,
    time_ms: u64,
    price: u8,
    quantity: u32,
    taker: Word,
    trade: Word,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Gap {
    market: u32,
    from: Place,
    to: Place,
}

/// The words used in all messages.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Open,
    Resolved,
    ResolvedYes,
    ResolvedNo,
    Bid,
    Ask,
    Mint,
    Merge,
    Transfer,
}

impl Text {
    pub(super) fn of(message: &Message) -> Text {
        match message {
            Message::Book(update) => Text::Book(Book::of(update)),
            Message::Trade(update) => Text::Trade(Trade::of(update)),
            Message::Missed(missed) => {
                Text::Missed(Gap { market: missed.market.0, from: place_of(missed.from), to: place_of(missed.to) })
            }
        }
    }

    /// The message, or why there is none.
    pub(super) fn message(&self) -> Result<Message, &'static str> {
        Ok(match self {
            Text::Book(book) => Message::Book(book.update()?),
            Text::Trade(trade) => Message::Trade(trade.update()?),
            Text::Missed(gap) => {
                Message::Missed(Missed { market: MarketId(gap.market), from: place(gap.from), to: place(gap.to) })
            }
        })
    }
}

impl Book {
    fn of(update: &BookUpdate) -> Book {
        let summary = &update.summary;
        let depth = update.prices.iter().map(|price| (price.cents(), update.depth.at(price)));
        let last =
            |trade: LastTrade| Last { price: trade.price.cents(), quantity: trade.quantity.0, time_ms: trade.time.0 };
        Book {
            market: update.market.0,
            epoch: update.to.epoch,
            from: (!update.is_whole()).then_some(update.from.counter),
            to: update.to.counter,
            sequence: summary.sequence.0,
            is_fresh: summary.is_fresh,
            status: match summary.status {
                Status::Open => Word::Open,
                Status::Resolved(None) => Word::Resolved,
                Status::Resolved(Some(Outcome::Yes)) => Word::ResolvedYes,
                Status::Resolved(Some(Outcome::No)) => Word::ResolvedNo,
            },
            best_bid: summary.best_bid.map(Price::cents),
            best_ask: summary.best_ask.map(Price::cents),
            last_trade: summary.last_trade.map(last),
            volume: Counted { shares: summary.volume.shares, since: summary.volume.since.0 },
            open_interest: summary.open_interest,
            depth: depth.filter(|&(_, shares)| shares != 0 || !update.is_whole()).collect(),
        }
    }

    fn update(&self) -> Result<BookUpdate, &'static str> {
        let (prices, depth) = self.prices_and_depth()?;
        let version = |counter| Version { epoch: self.epoch, counter };
        Ok(BookUpdate {
            market: MarketId(self.market),
            from: self.from.map_or(Version::NONE, version),
            to: version(self.to),
            prices,
            depth,
            summary: self.summary()?,
        })
    }

    fn prices_and_depth(&self) -> Result<(Prices, Depth), &'static str> {
        let (mut prices, mut depth) = (Prices::NONE, Depth::default());
        for &(cents, shares) in &self.depth {
            let price = price(cents)?;
            if prices.contains(price) {
                return Err("a price is in `depth` twice");
            }
            prices.insert(price);
            depth.set(price, shares);
        }
        Ok((if self.from.is_none() { Prices::ALL } else { prices }, depth))
    }

    fn summary(&self) -> Result<Summary, &'static str> {
        let last = |trade: &Last| {
            let (quantity, time) = (Quantity(trade.quantity), UnixMs(trade.time_ms));
            Ok(LastTrade { price: price(trade.price)?, quantity, time })
        };
        Ok(Summary {
            sequence: Sequence(self.sequence),
            best_bid: self.best_bid.map(price).transpose()?,
            best_ask: self.best_ask.map(price).transpose()?,
            last_trade: self.last_trade.as_ref().map(last).transpose()?,
            volume: Volume { shares: self.volume.shares, since: Sequence(self.volume.since) },
            open_interest: self.open_interest,
            status: match self.status {
                Word::Open => Status::Open,
                Word::Resolved => Status::Resolved(None),
                Word::ResolvedYes => Status::Resolved(Some(Outcome::Yes)),
                Word::ResolvedNo => Status::Resolved(Some(Outcome::No)),
                _ => return Err("`status` is not a state of a market"),
            },
            is_fresh: self.is_fresh,
        })
    }
}

impl Trade {
    fn of(update: &TradeUpdate) -> Trade {
        let trade = &update.trade;
        Trade {
            market: trade.market.0,
            since: place_of(update.since),
            id: place_of(trade.id),
            time_ms: trade.time.0,
            price: trade.price.cents(),
            quantity: trade.quantity.0,
            taker: match trade.taker_side {
                Side::Bid => Word::Bid,
                Side::Ask => Word::Ask,
            },
            trade: match trade.kind {
                TradeKind::Mint => Word::Mint,
                TradeKind::Merge => Word::Merge,
                TradeKind::Transfer => Word::Transfer,
            },
        }
    }

    fn update(&self) -> Result<TradeUpdate, &'static str> {
        let trade = PublicTrade {
            market: MarketId(self.market),
            id: place(self.id),
            time: UnixMs(self.time_ms),
            price: price(self.price)?,
            quantity: Quantity(self.quantity),
            taker_side: match self.taker {
                Word::Bid => Side::Bid,
                Word::Ask => Side::Ask,
                _ => return Err("`taker` is not a side"),
            },
            kind: match self.trade {
                Word::Mint => TradeKind::Mint,
                Word::Merge => TradeKind::Merge,
                Word::Transfer => TradeKind::Transfer,
                _ => return Err("`trade` is not a kind of trade"),
            },
        };
        Ok(TradeUpdate { since: place(self.since), trade })
    }
}

fn place_of(id: TradeId) -> Place {
    (id.sequence.0, id.index)
}

fn place((sequence, index): Place) -> TradeId {
    TradeId { sequence: Sequence(sequence), index }
}

fn price(cents: u8) -> Result<Price, &'static str> {
    Price::new(cents).ok_or("a price is not 1 to 99 cents")
}
