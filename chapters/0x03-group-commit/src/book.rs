//! The order book: which orders wait at which price, and in what order.
//!
//! A tree of levels for each side, a queue of order ids at each level, and a map from id to order.
//! Invariants: a level in a tree has at least one order; every id in a queue is in the map and vice
//! versa; the book is never crossed. Costs: O(log levels) for a level, a hash for an order, and a
//! cancel walks its level's queue.

use std::collections::{BTreeMap, HashMap, VecDeque};

use market::state::RestingOrder;
use market::{AccountId, CancelReason, Intent, OrderId, Price, Quantity, Reason, Side, TimeInForce};

/// An order, incoming or resting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// Its place among the market's orders.
    pub id: OrderId,
    /// Its owner.
    pub account: AccountId,
    /// What it wants.
    pub intent: Intent,
    /// Its limit in YES cents.
    pub price: Price,
    /// What is left of it.
    pub quantity: Quantity,
}

/// A match of the incoming order with a resting one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fill {
    /// The resting order.
    pub maker: OrderId,
    /// Its owner.
    pub maker_account: AccountId,
    /// What it wanted.
    pub maker_intent: Intent,
    /// Its price, at which both trade, in YES cents.
    pub price: Price,
    /// How many shares.
    pub quantity: Quantity,
}

/// What happened to an incoming order after its fills.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Nothing is left of it.
    Filled,
    /// The rest of it stays in the book.
    Rested,
    /// The rest of it was cancelled.
    Cancelled {
        /// How much was left.
        quantity: Quantity,
        /// Why it does not rest.
        reason: CancelReason,
    },
}

/// The resting orders of one market.
#[derive(Default)]
pub struct Book {
    bids: BTreeMap<Price, VecDeque<OrderId>>,
    asks: BTreeMap<Price, VecDeque<OrderId>>,
    orders: HashMap<OrderId, Order>,
}

impl Book {
    // ANCHOR: place
    /// Matches an incoming order in price-time priority and lets the rest of it stay in the book,
    /// if its time in force allows.
    ///
    /// # Errors
    /// [`Reason::WouldCross`] and [`Reason::CannotFill`]; then the book has not changed.
    pub fn place(&mut self, taker: &Order, time_in_force: TimeInForce) -> Result<(Vec<Fill>, Fate), Reason> {
        match time_in_force {
            TimeInForce::PostOnly if self.best_match(taker).is_some() => return Err(Reason::WouldCross),
            TimeInForce::Fok if !self.can_fill(taker) => return Err(Reason::CannotFill),
            _ => {}
        }
        let mut fills = Vec::new();
        let mut left = taker.quantity;
        while !left.is_zero() {
            let Some(maker) = self.best_match(taker) else { break };
            if maker.account == taker.account {
                let reason = CancelReason::SelfTrade;
                return Ok((fills, Fate::Cancelled { quantity: left, reason }));
            }
            let fill = self.fill(maker, left);
            left.0 -= fill.quantity.0;
            fills.push(fill);
        }
        let fate = if left.is_zero() {
            Fate::Filled
        } else if time_in_force == TimeInForce::Ioc {
            Fate::Cancelled { quantity: left, reason: CancelReason::ImmediateOrCancel }
        } else {
            self.rest(Order { quantity: left, ..*taker });
            Fate::Rested
        };
        Ok((fills, fate))
    }
    // ANCHOR_END: place

    // ANCHOR: best_match
    /// The resting order that `taker` meets first: the best price, and at that price the one that
    /// has waited longest.
    fn best_match(&self, taker: &Order) -> Option<Order> {
        let (&price, queue) = match taker.intent.side() {
            Side::Bid => self.asks.first_key_value()?,
            Side::Ask => self.bids.last_key_value()?,
        };
        if !taker.intent.side().crosses(taker.price, price) {
            return None;
        }
        self.orders.get(queue.front()?).copied()
    }
    // ANCHOR_END: best_match

    /// Trades up to `left` shares with `maker`, which is the first of its level.
    fn fill(&mut self, maker: Order, left: Quantity) -> Fill {
        let quantity = left.min(maker.quantity);
        if quantity == maker.quantity {
            self.remove(&maker);
        } else if let Some(resting) = self.orders.get_mut(&maker.id) {
            resting.quantity.0 -= quantity.0;
        }
        Fill { maker: maker.id, maker_account: maker.account, maker_intent: maker.intent, price: maker.price, quantity }
    }

    /// Whether `taker` can trade completely before it reaches an order of its own account.
    fn can_fill(&self, taker: &Order) -> bool {
        let side = taker.intent.side();
        let mut left = u64::from(taker.quantity.0);
        for resting in self.walk(side.opposite()) {
            if !side.crosses(taker.price, resting.price) || resting.account == taker.account {
                return false;
            }
            left = left.saturating_sub(u64::from(resting.quantity.0));
            if left == 0 {
                return true;
            }
        }
        false
    }

    fn rest(&mut self, order: Order) {
        self.levels(order.intent.side()).entry(order.price).or_default().push_back(order.id);
        self.orders.insert(order.id, order);
    }

    // ANCHOR: cancel
    /// Takes an order of `account` out of the book.
    ///
    /// # Errors
    /// [`Reason::UnknownOrder`] and [`Reason::NotTheOwner`].
    pub fn cancel(&mut self, account: AccountId, order: OrderId) -> Result<Order, Reason> {
        let resting = self.orders.get(&order).copied().ok_or(Reason::UnknownOrder)?;
        if resting.account != account {
            return Err(Reason::NotTheOwner);
        }
        self.remove(&resting);
        Ok(resting)
    }

    /// Takes an order out of the map and out of its level, and a level without orders out of its tree.
    fn remove(&mut self, order: &Order) {
        self.orders.remove(&order.id);
        let levels = self.levels(order.intent.side());
        let queue = levels.get_mut(&order.price).expect("a resting order has a level");
        let at = queue.iter().position(|&id| id == order.id).expect("a level holds its orders");
        queue.remove(at);
        if queue.is_empty() {
            levels.remove(&order.price);
        }
    }
    // ANCHOR_END: cancel

    /// Takes the first order of the best bid out of the book, or of the best ask when no bid is left.
    pub fn take_best(&mut self) -> Option<Order> {
        let best = self.walk(Side::Bid).chain(self.walk(Side::Ask)).next().copied()?;
        self.remove(&best);
        Some(best)
    }

    fn levels(&mut self, side: Side) -> &mut BTreeMap<Price, VecDeque<OrderId>> {
        match side {
            Side::Bid => &mut self.bids,
            Side::Ask => &mut self.asks,
        }
    }

    /// The orders of a side, best price first, then by time.
    fn walk(&self, side: Side) -> Box<dyn Iterator<Item = &Order> + '_> {
        let find = |id| &self.orders[id];
        match side {
            Side::Bid => Box::new(self.bids.values().rev().flatten().map(find)),
            Side::Ask => Box::new(self.asks.values().flatten().map(find)),
        }
    }

    /// The bids and the asks, best first.
    pub fn state(&self) -> (Vec<RestingOrder>, Vec<RestingOrder>) {
        let side = |side| self.walk(side).map(resting).collect();
        (side(Side::Bid), side(Side::Ask))
    }
}

fn resting(&Order { id, account, intent, price, quantity }: &Order) -> RestingOrder {
    RestingOrder { order: id, account, intent, price, quantity }
}
