//! What a reader of trades gets: every trade in order, or a notice of the gap if it was too slow.
//!
//! A late book is repaired by the next one. A lost trade is lost, so a reader must always learn of it. Public trades
//! name no account and no order.

use std::fmt;

use market::{MarketId, Price, Quantity, Sequence, Side, TradeKind, UnixMs};

/// Identifies a trade: the command that led to it, and its index among that command's trades. Trades of one market are
/// in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TradeId {
    /// The command, by its number in its shard's log. Restarts do not change it.
    pub sequence: Sequence,
    /// The index among its trades, from 0.
    pub index: u32,
}

impl TradeId {
    /// The first trade that this command can lead to.
    pub const fn first_of(sequence: Sequence) -> TradeId {
        TradeId { sequence, index: 0 }
    }

    /// The position after this trade.
    pub const fn next(self) -> TradeId {
        TradeId { sequence: self.sequence, index: self.index + 1 }
    }
}

impl fmt::Display for TradeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of command {}", self.index, self.sequence)
    }
}

/// A trade as everyone may see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PublicTrade {
    /// The market.
    pub market: MarketId,
    /// Its id within the market.
    pub id: TradeId,
    /// The time of its command.
    pub time: UnixMs,
    /// The price in YES cents.
    pub price: Price,
    /// How many shares.
    pub quantity: Quantity,
    /// The side of the incoming order, which made the trade.
    pub taker_side: Side,
    /// How it changed the number of shares in existence.
    pub kind: TradeKind,
}

/// Trades that a reader will not see: from `from` up to but not including `to`. There may have been none: a reader that
/// was away can't know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missed {
    /// The market.
    pub market: MarketId,
    /// The first that may be missing.
    pub from: TradeId,
    /// The first that is not.
    pub to: TradeId,
}

/// A reader's position among the trades of a market.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TradeCursor {
    /// The feed's epoch to which `position` belongs; 0 for none.
    pub epoch: u64,
    /// The position in the feed's ring.
    pub position: u64,
    /// Everything before this trade has been seen, or was announced as missed.
    pub next: TradeId,
}

/// What a reader of trades gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heard {
    /// A trade.
    Trade(PublicTrade),
    /// A gap.
    Missed(Missed),
}

impl Heard {
    /// The position after it: everything before is known.
    pub const fn next(&self) -> TradeId {
        match self {
            Heard::Trade(trade) => trade.id.next(),
            Heard::Missed(missed) => missed.to,
        }
    }
}
