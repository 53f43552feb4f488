//! The state of one account: its open orders and its latest trades.

use std::collections::{BTreeMap, VecDeque};

use market::{Intent, MarketId, OrderId, Price, Quantity, Stamp, UnixMs};

/// How many trades to keep per account.
pub const FILLS_MAX: usize = 500;

/// An account across all markets.
#[derive(Default)]
pub struct Account {
    /// Its resting orders, by market and id.
    pub open: BTreeMap<(MarketId, OrderId), OpenOrder>,
    /// Its latest trades, the newest last: at most [`FILLS_MAX`].
    pub fills: VecDeque<Fill>,
}

/// A resting order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenOrder {
    /// Its intent.
    pub intent: Intent,
    /// Its limit in cents of the share that the intent names.
    pub limit: Price,
    /// Its whole quantity; for a recovered order, what was left of it at recovery.
    pub quantity: Quantity,
    /// What is left of it.
    pub left: Quantity,
    /// When it was logged; unknown for a recovered order.
    pub time: UnixMs,
    /// Its client's own number, 0 for none; unknown for a recovered order, because an engine does not keep it.
    pub client_order_id: Option<u64>,
}

impl OpenOrder {
    /// An order that was already resting when the engine was opened.
    pub fn recovered(intent: Intent, limit: Price, left: Quantity) -> OpenOrder {
        OpenOrder { intent, limit, quantity: left, left, time: UnixMs::UNKNOWN, client_order_id: None }
    }
}

/// An order's part in a trade.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The resting order.
    Maker,
    /// The incoming order.
    Taker,
}

/// One side of a trade.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fill {
    /// The market.
    pub market: MarketId,
    /// The account's order.
    pub order: OrderId,
    /// Whether it was resting or incoming.
    pub role: Role,
    /// Its intent.
    pub intent: Intent,
    /// The price in cents of the share that the intent names.
    pub price: Price,
    /// How many shares.
    pub quantity: Quantity,
    /// The command that led to the trade.
    pub stamp: Stamp,
    /// Its client's own number, 0 for none; unknown for a recovered order.
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
