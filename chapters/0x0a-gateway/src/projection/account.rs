//! What is kept of one account: its open orders and its latest trades.

use std::collections::{BTreeMap, VecDeque};

use market::{Intent, MarketId, OrderId, Price, Quantity, Stamp, UnixMs};

/// How many trades of an account are kept.
pub const FILLS_MAX: usize = 500;

/// An account across all markets.
#[derive(Default)]
pub struct Account {
    /// Its orders that rest, by market and id.
    pub open: BTreeMap<(MarketId, OrderId), OpenOrder>,
    /// Its latest trades, the newest last: at most [`FILLS_MAX`].
    pub fills: VecDeque<Fill>,
}

/// An order that rests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenOrder {
    /// What it wants.
    pub intent: Intent,
    /// Its limit in cents of the share that the intent names.
    pub limit: Price,
    /// Its whole quantity; of a recovered order, what was left of it then.
    pub quantity: Quantity,
    /// What is left of it.
    pub left: Quantity,
    /// When it was logged; unknown of a recovered order.
    pub time: UnixMs,
    /// What its client calls it, 0 for nothing; none of a recovered order, for an engine does not keep it.
    pub client_order_id: Option<u64>,
}

impl OpenOrder {
    /// An order that rested already when the engine was opened.
    pub fn recovered(intent: Intent, limit: Price, left: Quantity) -> OpenOrder {
        OpenOrder { intent, limit, quantity: left, left, time: UnixMs::UNKNOWN, client_order_id: None }
    }
}

/// Which of the two orders of a trade.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The one that rested.
    Maker,
    /// The one that came in.
    Taker,
}

/// One side of a trade.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fill {
    /// The market.
    pub market: MarketId,
    /// The account's order.
    pub order: OrderId,
    /// Whether it rested or came in.
    pub role: Role,
    /// What it wants.
    pub intent: Intent,
    /// The price in cents of the share that the intent names.
    pub price: Price,
    /// How many shares.
    pub quantity: Quantity,
    /// The command that led to the trade.
    pub stamp: Stamp,
    /// What its client calls the order, 0 for nothing; none of a recovered order.
    pub client_order_id: Option<u64>,
}

impl Account {
    pub(super) fn remember(&mut self, fill: Fill) {
        if self.fills.len() == FILLS_MAX {
            self.fills.pop_front();
        }
        self.fills.push_back(fill);
    }
}
