//! A book as bytes: 104, plus 8 for each price in it. A whole book contains all 99.

use market::{MarketId, Outcome, Price, Quantity, Sequence, UnixMs};

use crate::depth::{Depth, PRICES, Prices};
use crate::message::header::{self, Buffer, Fields, MESSAGE_BYTES_MAX, Unreadable, put, seal};
use crate::update::{BookUpdate, LastTrade, Status, Summary, Version, Volume};

/// The kind of the message.
pub(super) const KIND: u8 = 1;

/// Where a book's fields begin.
mod at {
    pub const EPOCH: usize = 16; // u64: which life of the feed the two versions are from
    pub const FROM: usize = 24; // u64: the version that it may be applied to; 0 in a whole book
    pub const TO: usize = 32; // u64: the version that it leads to
    pub const SEQUENCE: usize = 40; // u64: the command after which this is the book
    pub const VOLUME: usize = 48; // u64: shares traded
    pub const VOLUME_SINCE: usize = 56; // u64: from which command on they are counted
    pub const OPEN_INTEREST: usize = 64; // u64: pairs of YES and NO
    pub const LAST_TIME: usize = 72; // u64: milliseconds since 1970
    pub const LAST_QUANTITY: usize = 80; // u32: shares
    pub const LAST_PRICE: usize = 84; // u8: cents; 0 if no trade is known
    pub const BEST_BID: usize = 85; // u8: cents; 0 if there is none
    pub const BEST_ASK: usize = 86; // u8: cents; 0 if there is none
    pub const STATUS: usize = 87; // u8: 0 open, 1 resolved, 2 resolved YES, 3 resolved NO
    pub const PRICES: usize = 88; // u128: bit p for p cents, 1 to 99
    pub const DEPTH: usize = 104; // i64 for each bit, lowest first: shares, bids positive, asks negative
}

const _: () = assert!(at::DEPTH + PRICES * 8 == MESSAGE_BYTES_MAX, "a whole book is the longest message");

/// One price can't have more shares than this: each locks a cent or more, and this is all that a market can
/// hold.
const DEPTH_MAX: u64 = market::Cents::MARKET_MAX.0;

impl BookUpdate {
    /// Writes it into `buffer` and returns the part that it fills.
    pub fn encode<'b>(&self, buffer: &'b mut Buffer) -> &'b [u8] {
        debug_assert_eq!(self.check(), Ok(()), "{self:?}");
        let message = &mut buffer[..at::DEPTH + self.prices.len() * 8];
        self.put_summary(message);
        put(message, at::EPOCH, self.to.epoch.to_le_bytes());
        put(message, at::FROM, self.from.counter.to_le_bytes());
        put(message, at::TO, self.to.counter.to_le_bytes());
        put(message, at::PRICES, self.prices.bits().to_le_bytes());
        for (place, price) in self.prices.iter().enumerate() {
            put(message, at::DEPTH + place * 8, self.depth.at(price).to_le_bytes());
        }
        seal(message, KIND, self.summary.is_fresh, self.market);
        message
    }

    fn put_summary(&self, message: &mut [u8]) {
        let summary = &self.summary;
        let last = summary.last_trade;
        put(message, at::SEQUENCE, summary.sequence.0.to_le_bytes());
        put(message, at::VOLUME, summary.volume.shares.to_le_bytes());
        put(message, at::VOLUME_SINCE, summary.volume.since.0.to_le_bytes());
        put(message, at::OPEN_INTEREST, summary.open_interest.to_le_bytes());
        put(message, at::LAST_TIME, last.map_or(0, |trade| trade.time.0).to_le_bytes());
        put(message, at::LAST_QUANTITY, last.map_or(0, |trade| trade.quantity.0).to_le_bytes());
        message[at::LAST_PRICE] = cents(last.map(|trade| trade.price));
        message[at::BEST_BID] = cents(summary.best_bid);
        message[at::BEST_ASK] = cents(summary.best_ask);
        message[at::STATUS] = match summary.status {
            Status::Open => 0,
            Status::Resolved(None) => 1,
            Status::Resolved(Some(Outcome::Yes)) => 2,
            Status::Resolved(Some(Outcome::No)) => 3,
        };
    }

    pub(super) fn from_fields(market: MarketId, fields: &Fields<'_>) -> Result<BookUpdate, Unreadable> {
        if fields.len() < at::DEPTH {
            return Err(Unreadable::Contradiction("it is too short for a book"));
        }
        let prices = Prices::from_bits(u128::from_le_bytes(fields.bytes(at::PRICES)))
            .ok_or(Unreadable::Contradiction("the mask at byte 88 has a bit that is not a price of 1 to 99 cents"))?;
        if fields.len() != at::DEPTH + prices.len() * 8 {
            return Err(Unreadable::Contradiction("its length does not match the number of prices in the mask"));
        }
        let mut depth = Depth::default();
        for (place, price) in prices.iter().enumerate() {
            depth.set(price, fields.u64(at::DEPTH + place * 8).cast_signed());
        }
        let (epoch, from) = (fields.u64(at::EPOCH), fields.u64(at::FROM));
        let update = BookUpdate {
            market,
            from: if from == 0 { Version::NONE } else { Version { epoch, counter: from } },
            to: Version { epoch, counter: fields.u64(at::TO) },
            prices,
            depth,
            summary: summary(fields)?,
        };
        update.check().map_err(Unreadable::Contradiction)?;
        Ok(update)
    }

    /// Whether an update can be valid, as far as one message can show.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let (from, to, summary) = (self.from, self.to, &self.summary);
        let in_order = to.epoch == from.epoch && from.counter < to.counter && from.counter > 0;
        if to.epoch == 0 || to.counter == 0 || to.epoch >= 1 << 53 {
            return Err("it leads to no version");
        }
        if self.is_whole() && self.prices != Prices::ALL {
            return Err("a whole book has to contain all 99 prices");
        }
        if !self.is_whole() && !in_order {
            return Err("it does not lead from a version to a later one of the same epoch");
        }
        if self.prices.iter().any(|price| self.depth.at(price).unsigned_abs() > DEPTH_MAX) {
            return Err("a price has more shares than a market can hold");
        }
        if self.is_whole() && self.depth.best() != (summary.best_bid, summary.best_ask) {
            return Err("its best prices are not those of its depth");
        }
        match (summary.best_bid, summary.best_ask) {
            (Some(bid), Some(ask)) if bid >= ask => Err("its best bid is not below its best ask"),
            _ => Ok(()),
        }
    }
}

fn summary(fields: &Fields<'_>) -> Result<Summary, Unreadable> {
    let last = LastTrade {
        price: Price::MIN,
        quantity: Quantity(fields.u32(at::LAST_QUANTITY)),
        time: UnixMs(fields.u64(at::LAST_TIME)),
    };
    Ok(Summary {
        sequence: Sequence(fields.u64(at::SEQUENCE)),
        best_bid: price(fields.u8(at::BEST_BID))?,
        best_ask: price(fields.u8(at::BEST_ASK))?,
        last_trade: price(fields.u8(at::LAST_PRICE))?.map(|price| LastTrade { price, ..last }),
        volume: Volume { shares: fields.u64(at::VOLUME), since: Sequence(fields.u64(at::VOLUME_SINCE)) },
        open_interest: fields.u64(at::OPEN_INTEREST),
        status: match fields.u8(at::STATUS) {
            0 => Status::Open,
            1 => Status::Resolved(None),
            2 => Status::Resolved(Some(Outcome::Yes)),
            3 => Status::Resolved(Some(Outcome::No)),
            _ => return Err(Unreadable::Contradiction("byte 87 names no state of a market")),
        },
        is_fresh: fields.u8(header::at::IS_FRESH) == 1,
    })
}

/// A price as a byte: 0 for none.
fn cents(price: Option<Price>) -> u8 {
    price.map_or(0, Price::cents)
}

fn price(cents: u8) -> Result<Option<Price>, Unreadable> {
    match (cents, Price::new(cents)) {
        (0, _) => Ok(None),
        (_, Some(price)) => Ok(Some(price)),
        _ => Err(Unreadable::Contradiction("a price is above 99 cents")),
    }
}
