//! What a client may ask of the engine.
//!
//! A command holds what the client asked for, valid or not: a price of 0 or 255 can be sent, logged and rejected.
//! An engine turns it into a [`Price`] and a [`Quantity`](crate::Quantity) at its front door, and inside there is
//! nothing left to validate.

use crate::bytes::codes;
use crate::{AccountId, Cents, MarketId, OrderId, Price};

/// One request. Every command leads to at least one [`Event`](crate::Event).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// Opens a market that does not exist yet.
    Open {
        /// The new market.
        market: MarketId,
    },
    /// Brings cash into an account of a market. Cash is not shared between markets.
    Deposit {
        /// The market that will hold the cash.
        market: MarketId,
        /// The account that owns the cash.
        account: AccountId,
        /// How much, more than zero.
        amount: Cents,
        /// The client's number for this request, 0 for none.
        request: u32,
    },
    /// Takes free cash out of an account, also after the market was resolved.
    Withdraw {
        /// The market that holds the cash.
        market: MarketId,
        /// The account that owns the cash.
        account: AccountId,
        /// How much, more than zero.
        amount: Cents,
        /// The client's number for this request, 0 for none.
        request: u32,
    },
    /// Places a limit order.
    Place(Place),
    /// Takes a resting order out of the book.
    Cancel {
        /// The order's market.
        market: MarketId,
        /// The order's owner.
        account: AccountId,
        /// The order.
        order: OrderId,
        /// The client's number for this request, 0 for none.
        request: u32,
    },
    /// Ends a market: cancels what rests, pays the winners, closes it.
    Resolve {
        /// The market to end.
        market: MarketId,
        /// Which side won.
        outcome: Outcome,
    },
}

/// A limit order as it was asked for.
///
/// Packed in this order it takes 23 bytes. With the byte that says which command it is, a [`Command`] takes
/// 24, as on disk, and every field lies where its alignment wants it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, packed)]
pub struct Place {
    /// What to do: buy or sell, YES or NO.
    pub intent: Intent,
    /// What happens to the part that finds no match at once.
    pub time_in_force: TimeInForce,
    /// The limit in cents of the share named by `intent`. Valid are 1 to 99.
    pub price: u8,
    /// The market to trade in.
    pub market: MarketId,
    /// The account that trades.
    pub account: AccountId,
    /// How many shares. Valid is anything but 0.
    pub quantity: u32,
    /// The client's own number for the order, 0 for none.
    pub client_order_id: u64,
}

impl Command {
    /// The market that the command is about. It alone decides which shard sees the command.
    pub fn market(&self) -> MarketId {
        match *self {
            Command::Open { market }
            | Command::Deposit { market, .. }
            | Command::Withdraw { market, .. }
            | Command::Cancel { market, .. }
            | Command::Resolve { market, .. } => market,
            Command::Place(place) => place.market,
        }
    }

    /// The client's number for the request, 0 for none. It lets the layer in front of an engine recognise a
    /// retried request; no engine reads it, keeps it or repeats it.
    pub fn request(&self) -> u64 {
        match *self {
            Command::Open { .. } | Command::Resolve { .. } => 0,
            Command::Deposit { request, .. } | Command::Withdraw { request, .. } | Command::Cancel { request, .. } => {
                request.into()
            }
            Command::Place(place) => place.client_order_id,
        }
    }

    /// The same command with this number, where it can have one. Except for an order's, only 32 bits of the number
    /// are kept.
    #[must_use]
    pub fn with_request(mut self, number: u64) -> Command {
        match &mut self {
            Command::Open { .. } | Command::Resolve { .. } => {}
            Command::Deposit { request, .. } | Command::Withdraw { request, .. } | Command::Cancel { request, .. } => {
                *request = number as u32;
            }
            Command::Place(place) => place.client_order_id = number,
        }
        self
    }
}

/// What a trader wants to do. The four intents meet on the two sides of one book.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Intent {
    /// Pay cash for YES shares.
    BuyYes = 1,
    /// Give YES shares for cash.
    SellYes = 2,
    /// Pay cash for NO shares.
    BuyNo = 3,
    /// Give NO shares for cash.
    SellNo = 4,
}

impl Intent {
    // ANCHOR: side
    /// The side of the book on which this intent stands. Selling NO is betting on YES.
    pub const fn side(self) -> Side {
        match self {
            Intent::BuyYes | Intent::SellNo => Side::Bid,
            Intent::SellYes | Intent::BuyNo => Side::Ask,
        }
    }
    // ANCHOR_END: side

    /// Whether it pays cash (and otherwise gives shares).
    pub const fn buys(self) -> bool {
        matches!(self, Intent::BuyYes | Intent::BuyNo)
    }

    /// The share that is traded.
    pub const fn share(self) -> Outcome {
        match self {
            Intent::BuyYes | Intent::SellYes => Outcome::Yes,
            Intent::BuyNo | Intent::SellNo => Outcome::No,
        }
    }

    // ANCHOR: in_yes_cents
    /// Translates between the share's own price and the book's, which is in YES cents.
    /// The translation is its own inverse.
    pub const fn in_yes_cents(self, price: Price) -> Price {
        match self.share() {
            Outcome::Yes => price,
            Outcome::No => price.complement(),
        }
    }
    // ANCHOR_END: in_yes_cents
}

/// A side of the book, in YES cents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// Bets on YES; the highest price is the best.
    Bid,
    /// Bets on NO; the lowest price is the best.
    Ask,
}

impl Side {
    /// The side that this one trades with.
    pub const fn opposite(self) -> Side {
        match self {
            Side::Bid => Side::Ask,
            Side::Ask => Side::Bid,
        }
    }

    /// Whether an order of this side with this `limit` trades with a resting order at `price`.
    pub const fn crosses(self, limit: Price, price: Price) -> bool {
        match self {
            Side::Bid => price.cents() <= limit.cents(),
            Side::Ask => price.cents() >= limit.cents(),
        }
    }
}

/// What happens to the part of an order that finds no match at once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum TimeInForce {
    /// Good till cancelled: it rests in the book.
    Gtc = 1,
    /// Immediate or cancel: it is cancelled.
    Ioc = 2,
    /// Fill or kill: the whole order trades at once, or it is rejected.
    Fok = 3,
    /// Post only: it is rejected if it would trade at once, so it is always a maker.
    PostOnly = 4,
}

/// How an event ended, and the name of the share that pays then.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Outcome {
    /// It happened.
    Yes = 1,
    /// It did not.
    No = 2,
}

codes!(Intent { BuyYes = "buy-yes", SellYes = "sell-yes", BuyNo = "buy-no", SellNo = "sell-no" });
codes!(TimeInForce { Gtc = "gtc", Ioc = "ioc", Fok = "fok", PostOnly = "post-only" });
codes!(Outcome { Yes = "yes", No = "no" });
