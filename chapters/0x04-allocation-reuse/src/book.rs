//! The order book: which orders wait at which price, and in what order.
//!
//! A tree of levels for each side, a queue of slots at each level, a slab of orders, and a map from
//! id to slot. A level that was created stays, even when it is empty, so its queue is allocated
//! only once. Invariants: every slot in a queue is in the map and vice versa; the book is never
//! crossed. Costs: O(log levels) for a level and a step over each empty one, a hash for an order's
//! id, and a cancel walks its level's queue.

use std::collections::{BTreeMap, HashMap, VecDeque};

use market::state::RestingOrder;
use market::{AccountId, CancelReason, Intent, OrderId, Price, Quantity, Reason, Side, TimeInForce};

use crate::slab::{Slab, Slot};

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
    bids: BTreeMap<Price, VecDeque<Slot>>,
    asks: BTreeMap<Price, VecDeque<Slot>>,
    orders: Slab<Order>,
    slots: HashMap<OrderId, Slot>,
}

impl Book {
    // ANCHOR: place
    /// Matches an incoming order in price-time priority and lets the rest of it stay in the book,
    /// if its time in force allows. Its fills are left in `fills`.
    ///
    /// # Errors
    /// [`Reason::WouldCross`] and [`Reason::CannotFill`]; then the book has not changed.
    pub fn place(&mut self, taker: &Order, time_in_force: TimeInForce, fills: &mut Vec<Fill>) -> Result<Fate, Reason> {
        fills.clear();
        match time_in_force {
            TimeInForce::PostOnly if self.best_match(taker).is_some() => return Err(Reason::WouldCross),
            TimeInForce::Fok if !self.can_fill(taker) => return Err(Reason::CannotFill),
            _ => {}
        }
        let mut left = taker.quantity;
        while !left.is_zero() {
            let Some(slot) = self.best_match(taker) else { break };
            let maker = *self.orders.get(slot);
            if maker.account == taker.account {
                let reason = CancelReason::SelfTrade;
                return Ok(Fate::Cancelled { quantity: left, reason });
            }
            let fill = self.fill(slot, maker, left);
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
        Ok(fate)
    }
    // ANCHOR_END: place

    // ANCHOR: best_match
    /// The resting order that `taker` meets first: the best price, and at that price the one that
    /// has waited longest.
    fn best_match(&self, taker: &Order) -> Option<Slot> {
        let (&price, queue) = match taker.intent.side() {
            Side::Bid => self.asks.iter().find(|(_, queue)| !queue.is_empty())?,
            Side::Ask => self.bids.iter().rev().find(|(_, queue)| !queue.is_empty())?,
        };
        if !taker.intent.side().crosses(taker.price, price) {
            return None;
        }
        queue.front().copied()
    }
    // ANCHOR_END: best_match

    /// Trades up to `left` shares with `maker`, which is the first of its level.
    fn fill(&mut self, slot: Slot, maker: Order, left: Quantity) -> Fill {
        let quantity = left.min(maker.quantity);
        if quantity == maker.quantity {
            self.remove(slot);
        } else {
            self.orders.get_mut(slot).quantity.0 -= quantity.0;
        }
        Fill { maker: maker.id, maker_account: maker.account, maker_intent: maker.intent, price: maker.price, quantity }
    }

    /// Whether `taker` can trade completely before it reaches an order of its own account.
    fn can_fill(&self, taker: &Order) -> bool {
        let side = taker.intent.side();
        let mut left = u64::from(taker.quantity.0);
        for slot in self.walk(side.opposite()) {
            let resting = self.orders.get(slot);
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
        let slot = self.orders.insert(order);
        self.slots.insert(order.id, slot);
        self.levels(order.intent.side()).entry(order.price).or_default().push_back(slot);
    }

    // ANCHOR: cancel
    /// Takes an order of `account` out of the book.
    ///
    /// # Errors
    /// [`Reason::UnknownOrder`] and [`Reason::NotTheOwner`].
    pub fn cancel(&mut self, account: AccountId, order: OrderId) -> Result<Order, Reason> {
        let slot = *self.slots.get(&order).ok_or(Reason::UnknownOrder)?;
        let resting = *self.orders.get(slot);
        if resting.account != account {
            return Err(Reason::NotTheOwner);
        }
        self.remove(slot);
        Ok(resting)
    }

    /// Takes an order out of the map, the slab and its level.
    fn remove(&mut self, slot: Slot) {
        let order = *self.orders.get(slot);
        self.orders.remove(slot);
        self.slots.remove(&order.id);
        let queue = self.levels(order.intent.side()).get_mut(&order.price).expect("a resting order has a level");
        let at = queue.iter().position(|&queued| queued == slot).expect("a level holds its orders");
        queue.remove(at);
    }
    // ANCHOR_END: cancel

    /// Takes the first order of the best bid out of the book, or of the best ask when no bid is left.
    pub fn take_best(&mut self) -> Option<Order> {
        let slot = self.walk(Side::Bid).chain(self.walk(Side::Ask)).next()?;
        let best = *self.orders.get(slot);
        self.remove(slot);
        Some(best)
    }

    fn levels(&mut self, side: Side) -> &mut BTreeMap<Price, VecDeque<Slot>> {
        match side {
            Side::Bid => &mut self.bids,
            Side::Ask => &mut self.asks,
        }
    }

    /// The orders of a side, best price first, then by time.
    fn walk(&self, side: Side) -> impl Iterator<Item = Slot> + '_ {
        let (bids, asks) = match side {
            Side::Bid => (Some(&self.bids), None),
            Side::Ask => (None, Some(&self.asks)),
        };
        let bids = bids.into_iter().flat_map(|levels| levels.values().rev());
        let asks = asks.into_iter().flat_map(BTreeMap::values);
        bids.chain(asks).flatten().copied()
    }

    /// The bids and the asks, best first.
    pub fn state(&self) -> (Vec<RestingOrder>, Vec<RestingOrder>) {
        let side = |side| self.walk(side).map(|slot| resting(self.orders.get(slot))).collect();
        (side(Side::Bid), side(Side::Ask))
    }
}

fn resting(&Order { id, account, intent, price, quantity }: &Order) -> RestingOrder {
    RestingOrder { order: id, account, intent, price, quantity }
}
