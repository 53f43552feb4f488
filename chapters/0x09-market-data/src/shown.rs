//! The public side of one market: its book on a [`slate`](mod@crate::slate), and its trades in a
//! [`ring`](mod@crate::ring).
//!
//! Converts between the slate's numbers and prices, and between the ring's words and trades.

use std::sync::Arc;

use market::{MarketId, Outcome, Price, Quantity, Sequence, Side, TradeKind, UnixMs};

use crate::depth::{Depth, PRICES};
use crate::ring::{self, Records, ring};
use crate::slate::{self, Slate, slate};
use crate::trade::{Missed, PublicTrade, TradeId};
use crate::update::{LastTrade, Status, Summary, Volume};

const SUMMARY_WORDS: usize = 7;
const TRADE_WORDS: usize = 4;

/// A market, for any thread to read.
pub struct Shown {
    /// Which market.
    pub market: MarketId,
    /// The feed's epoch.
    pub epoch: u64,
    pub(crate) slate: Arc<Slate<PRICES, SUMMARY_WORDS>>,
    pub(crate) trades: Records<TRADE_WORDS>,
}

/// The same, for the feed to write.
pub struct Publisher {
    market: MarketId,
    slate: slate::Writer<PRICES, SUMMARY_WORDS>,
    trades: ring::Writer<TRADE_WORDS>,
    /// The last published book.
    depth: Depth,
    summary: [u64; SUMMARY_WORDS],
    is_published: bool,
}

/// An entry in the ring of trades.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    /// A trade.
    Trade(PublicTrade),
    /// The feed itself missed these.
    Gap(Missed),
}

/// Makes the two ends of a market whose ring keeps this many trades.
pub fn shown(market: MarketId, epoch: u64, trades_kept: usize) -> (Publisher, Arc<Shown>) {
    let (writer, slate) = slate();
    let (trades, records) = ring(trades_kept);
    let depth = Depth::default();
    let publisher =
        Publisher { market, slate: writer, trades, depth, summary: [0; SUMMARY_WORDS], is_published: false };
    (publisher, Arc::new(Shown { market, epoch, slate, trades: records }))
}

impl Publisher {
    /// Publishes the current book.
    pub fn book(&mut self, depth: &Depth, summary: &Summary) {
        (self.depth, self.summary, self.is_published) = (*depth, encode(summary), true);
        self.slate.publish(self.depth.amounts(), &self.summary);
    }

    /// Marks the last published book as stale.
    pub fn stale(&mut self) {
        if self.is_published && self.summary[FLAGS] & FRESH != 0 {
            self.summary[FLAGS] &= !FRESH;
            self.slate.publish(self.depth.amounts(), &self.summary);
        }
    }

    /// Adds a trade. It becomes visible with the next [`tell`](Publisher::tell).
    pub fn trade(&mut self, trade: &PublicTrade) {
        let PublicTrade { id, time, price, quantity, taker_side, kind, .. } = *trade;
        let code = u64::from(price.cents()) << 8 | (kind as u64) << 1 | taker_side as u64;
        self.trades.push([id.sequence.0, u64::from(id.index) << 32 | u64::from(quantity.0), time.0, code]);
    }

    /// Adds a gap, up to the first trade of a command.
    pub fn gap(&mut self, from: TradeId, to: Sequence) {
        self.trades.push([from.sequence.0, u64::from(from.index) << 32, to.0, GAP]);
    }

    /// Makes the added trades and gaps visible to readers.
    pub fn tell(&mut self) {
        self.trades.publish();
    }

    /// Which market.
    pub fn market(&self) -> MarketId {
        self.market
    }
}

/// The last word of an entry that is not a trade.
const GAP: u64 = 0;

impl Shown {
    /// The entry at a position before the ring's head, unless it was overwritten.
    pub(crate) fn entry(&self, position: u64) -> Option<Entry> {
        let market = self.market;
        let [sequence, index, third, code] = self.trades.read(position)?;
        let id = TradeId { sequence: Sequence(sequence), index: (index >> 32) as u32 };
        let Some(price) = Price::new((code >> 8) as u8) else {
            return Some(Entry::Gap(Missed { market, from: id, to: TradeId::first_of(Sequence(third)) }));
        };
        let kind = match code >> 1 & 3 {
            1 => TradeKind::Mint,
            2 => TradeKind::Merge,
            _ => TradeKind::Transfer,
        };
        let taker_side = if code & 1 == 0 { Side::Bid } else { Side::Ask };
        let (time, quantity) = (UnixMs(third), Quantity(index as u32));
        Some(Entry::Trade(PublicTrade { market, id, time, price, quantity, taker_side, kind }))
    }

    /// How many bytes it holds, regardless of the number of readers.
    pub fn bytes(&self) -> usize {
        size_of::<Slate<PRICES, SUMMARY_WORDS>>() + self.trades.bytes() + size_of::<Shown>()
    }
}

/// The index of the word with all small fields: best bid, best ask, status, freshness.
const FLAGS: usize = 6;
const FRESH: u64 = 1;

fn encode(summary: &Summary) -> [u64; SUMMARY_WORDS] {
    let Summary { sequence, best_bid, best_ask, last_trade, volume, open_interest, status, is_fresh } = *summary;
    let cents = |price: Option<Price>| price.map_or(0, |price| u64::from(price.cents()));
    let status = match status {
        Status::Open => 0,
        Status::Resolved(None) => 3,
        Status::Resolved(Some(outcome)) => outcome as u64,
    };
    let fresh = if is_fresh { FRESH } else { 0 };
    let flags = cents(best_bid) << 24 | cents(best_ask) << 16 | status << 8 | fresh;
    let last = last_trade.map_or(0, |last| u64::from(last.price.cents()) << 32 | u64::from(last.quantity.0));
    let time = last_trade.map_or(0, |last| last.time.0);
    [sequence.0, last, time, volume.shares, volume.since.0, open_interest, flags]
}

pub(crate) fn decode(words: [u64; SUMMARY_WORDS]) -> Summary {
    let [sequence, last, time, shares, since, open_interest, flags] = words;
    let price = |cents: u64| Price::new(cents as u8);
    let status = match flags >> 8 & 0xff {
        0 => Status::Open,
        code => Status::Resolved(Outcome::from_code(code as u8)),
    };
    Summary {
        sequence: Sequence(sequence),
        best_bid: price(flags >> 24),
        best_ask: price(flags >> 16),
        last_trade: price(last >> 32).map(|price| LastTrade {
            price,
            quantity: Quantity(last as u32),
            time: UnixMs(time),
        }),
        volume: Volume { shares, since: Sequence(since) },
        open_interest,
        status,
        is_fresh: flags & FRESH != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_survives_encoding() {
        let last = LastTrade { price: Price::MAX, quantity: Quantity(u32::MAX), time: UnixMs(9) };
        let some = Summary {
            sequence: Sequence(u64::MAX / 2),
            best_bid: Price::new(98),
            best_ask: Price::new(99),
            last_trade: Some(last),
            volume: Volume { shares: u64::MAX, since: Sequence(7) },
            open_interest: u64::from(u32::MAX),
            status: Status::Open,
            is_fresh: true,
        };
        assert_eq!(decode(encode(&some)), some);
        for status in
            [Status::Resolved(None), Status::Resolved(Some(Outcome::Yes)), Status::Resolved(Some(Outcome::No))]
        {
            let none = Summary { best_bid: None, best_ask: None, last_trade: None, is_fresh: false, status, ..some };
            assert_eq!(decode(encode(&none)), none);
        }
    }

    #[test]
    fn trades_and_gaps_survive_the_ring() {
        let (mut publisher, shown) = shown(MarketId(3), 1, 8);
        let id = TradeId { sequence: Sequence(1 << 60), index: u32::MAX };
        let trade = |taker_side, kind| PublicTrade {
            market: MarketId(3),
            id,
            time: UnixMs(1 << 50),
            price: Price::MIN,
            quantity: Quantity(u32::MAX),
            taker_side,
            kind,
        };
        let some = [
            trade(Side::Bid, TradeKind::Mint),
            trade(Side::Ask, TradeKind::Merge),
            trade(Side::Ask, TradeKind::Transfer),
        ];
        some.iter().for_each(|trade| publisher.trade(trade));
        publisher.gap(id, Sequence(u64::MAX));
        publisher.tell();
        let heard: Vec<_> = (0..shown.trades.head()).filter_map(|position| shown.entry(position)).collect();
        let to = TradeId::first_of(Sequence(u64::MAX));
        let gap = Entry::Gap(Missed { market: MarketId(3), from: id, to });
        assert_eq!(heard[..3], some.map(Entry::Trade));
        assert_eq!(heard[3..], [gap]);
    }
}
