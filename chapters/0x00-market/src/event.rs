//! What commands lead to.
//!
//! Events are the engine's answer. Two engines agree when the bytes of their events agree, so the
//! encoding is fixed: [`Event::BYTES`] bytes, little-endian, unused bytes zero. The events that
//! move money or shares are also the entries of the ledger.

use crate::bytes::codes;
use crate::{AccountId, Cents, Intent, MarketId, OrderId, Outcome, Price, Quantity};

/// One thing that happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A market opened.
    Opened {
        /// The market.
        market: MarketId,
    },
    /// Cash came in.
    Deposited {
        /// The market that holds it now.
        market: MarketId,
        /// The account that owns it.
        account: AccountId,
        /// How much.
        amount: Cents,
    },
    /// Free cash went out.
    Withdrawn {
        /// The market that held it.
        market: MarketId,
        /// The account that owned it.
        account: AccountId,
        /// How much.
        amount: Cents,
    },
    /// An order passed every check, and what it needs is locked. Its trades follow; the rest then
    /// stays in the book, unless a [`Event::Cancelled`] follows.
    Accepted {
        /// The market.
        market: MarketId,
        /// The owner.
        account: AccountId,
        /// The order's id.
        order: OrderId,
        /// What it wants.
        intent: Intent,
        /// Its limit as it stands in the book, in YES cents.
        price: Price,
        /// Its whole quantity.
        quantity: Quantity,
    },
    /// Two orders met.
    Traded {
        /// The market.
        market: MarketId,
        /// The resting order.
        maker: OrderId,
        /// Its owner.
        maker_account: AccountId,
        /// The incoming order.
        taker: OrderId,
        /// Its owner.
        taker_account: AccountId,
        /// The maker's price, in YES cents.
        price: Price,
        /// How many shares.
        quantity: Quantity,
        /// What the maker wanted.
        maker_intent: Intent,
        /// What the taker wanted. The pair decides the [`TradeKind`].
        taker_intent: Intent,
    },
    /// The rest of an order was cancelled, and what it had locked is free again.
    Cancelled {
        /// The market.
        market: MarketId,
        /// The owner.
        account: AccountId,
        /// The order.
        order: OrderId,
        /// How much of it was left.
        quantity: Quantity,
        /// The reason.
        reason: CancelReason,
    },
    /// A winner was paid when the market was resolved.
    Paid {
        /// The market.
        market: MarketId,
        /// The winner.
        account: AccountId,
        /// How much.
        amount: Cents,
    },
    /// The market is closed. Its pot is empty.
    Resolved {
        /// The market.
        market: MarketId,
        /// Which side won.
        outcome: Outcome,
        /// The sum paid to all winners.
        paid: Cents,
    },
    /// The command changed nothing.
    Rejected {
        /// The market that the command named.
        market: MarketId,
        /// The reason.
        reason: Reason,
    },
}

/// What a trade does to the number of shares in existence. The pair of intents decides it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum TradeKind {
    /// Two buyers: together they pay 100 cents into the pot for a new pair of shares.
    Mint = 1,
    /// Two sellers: their pair of shares is destroyed and the pot pays out 100 cents.
    Merge = 2,
    /// A buyer and a seller: a share changes hands.
    Transfer = 3,
}

// ANCHOR: trade_kind
impl TradeKind {
    /// The kind of a trade between these two intents of opposite sides.
    pub const fn of(one: Intent, other: Intent) -> TradeKind {
        match (one.buys(), other.buys()) {
            (true, true) => TradeKind::Mint,
            (false, false) => TradeKind::Merge,
            _ => TradeKind::Transfer,
        }
    }
}
// ANCHOR_END: trade_kind

/// Why the rest of an order was cancelled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum CancelReason {
    /// Its owner asked for it.
    Requested = 1,
    /// Its time in force does not let it rest.
    ImmediateOrCancel = 2,
    /// It reached a resting order of its own account.
    SelfTrade = 3,
    /// The market was resolved.
    Resolved = 4,
}

/// Why a command was rejected. The list is closed, and where several apply, the first in this
/// order is given.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Reason {
    /// No market of this id was ever opened.
    UnknownMarket = 1,
    /// A market of this id was opened before.
    MarketExists = 2,
    /// The market was resolved.
    MarketClosed = 3,
    /// A price outside 1 to 99.
    BadPrice = 4,
    /// An order for no shares.
    ZeroQuantity = 5,
    /// A deposit or withdrawal of nothing, or a deposit beyond [`Cents::MARKET_MAX`].
    AmountOutOfRange = 6,
    /// More than the account's free cash.
    InsufficientCash = 7,
    /// More than the account's free shares.
    InsufficientShares = 8,
    /// No order of this id rests in the book.
    UnknownOrder = 9,
    /// The order is another account's.
    NotTheOwner = 10,
    /// A post-only order that would trade at once.
    WouldCross = 11,
    /// A fill-or-kill order that can't trade whole.
    CannotFill = 12,
}

codes!(CancelReason { Requested, ImmediateOrCancel, SelfTrade, Resolved });
codes!(Reason {
    UnknownMarket,
    MarketExists,
    MarketClosed,
    BadPrice,
    ZeroQuantity,
    AmountOutOfRange,
    InsufficientCash,
    InsufficientShares,
    UnknownOrder,
    NotTheOwner,
    WouldCross,
    CannotFill,
});

impl Event {
    /// The event's market.
    pub const fn market(&self) -> MarketId {
        match *self {
            Event::Opened { market }
            | Event::Deposited { market, .. }
            | Event::Withdrawn { market, .. }
            | Event::Accepted { market, .. }
            | Event::Traded { market, .. }
            | Event::Cancelled { market, .. }
            | Event::Paid { market, .. }
            | Event::Resolved { market, .. }
            | Event::Rejected { market, .. } => market,
        }
    }

    /// Whether it moves money or shares between accounts, and so belongs in the ledger.
    pub const fn moves_value(&self) -> bool {
        matches!(self, Event::Deposited { .. } | Event::Withdrawn { .. } | Event::Traded { .. } | Event::Paid { .. })
    }
}
