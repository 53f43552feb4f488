//! The order book: which orders wait at which price, and in what order.
//!
//! Each side has 99 levels, and a bit for each level that has orders. A level's index is what its orders bid for
//! their own outcome: a bid at 60 YES cents bids 60, an ask there bids 40 for NO. So the best level is the highest
//! bit on either side, and two orders match when together they bid 100 cents or more: both sides use the same
//! instructions. A level is a list linked through the slab, so an order can be removed from anywhere without a
//! search. Invariants: every order in a queue is in the table and vice versa; a bit is set exactly if its level has
//! orders, and the best is the highest; the book is never crossed. Costs: a load for the best price, a few
//! instructions when its level empties, one cache line for an order, two more for its neighbours when it is removed.

use market::state::RestingOrder;
use market::{AccountId, CancelReason, Intent, OrderId, Price, Quantity, Reason, Side, TimeInForce};

use crate::accounts::Holder;
use crate::id_table::{Entries, IdTable, NONE};
use crate::slab::{Slab, Slot};

/// An order, incoming or resting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// Its place among the market's orders.
    pub id: OrderId,
    /// Its owner's row in the accounts.
    pub holder: Holder,
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
    /// Its owner's row in the accounts.
    pub maker_holder: Holder,
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

// ANCHOR: layout
/// A resting order and its links, in half a cache line. An [`Order`] as one field would add its padding.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Node {
    id: OrderId,
    holder: Holder,
    intent: Intent,
    price: Price,
    quantity: Quantity,
    /// Its neighbours in the queue of its level.
    previous: Slot,
    next: Slot,
    /// The next order in the same place of the id table.
    link: Slot,
}

const _: () = assert!(size_of::<Node>() == 32 && align_of::<Node>() == 32, "two orders to a cache line");

/// The queue of a price.
#[derive(Clone, Copy)]
struct Level {
    first: Slot,
    last: Slot,
}

/// One side of the book. Bids are 1 to 99 cents, so level 0 is never used.
struct Levels {
    /// Bit `n` is set exactly when level `n` has orders.
    occupied: u128,
    /// The highest of them, 0 when none is set. Every order reads it, and few change it.
    best: usize,
    levels: [Level; 100],
}
// ANCHOR_END: layout

impl Node {
    fn order(&self) -> Order {
        let Node { id, holder, intent, price, quantity, .. } = *self;
        Order { id, holder, intent, price, quantity }
    }
}

impl Default for Node {
    /// The contents of a slot before the first order.
    fn default() -> Node {
        let (id, holder, intent, price) = (OrderId(0), Holder::default(), Intent::BuyYes, Price::MIN);
        Node { id, holder, intent, price, quantity: Quantity::ZERO, previous: NONE, next: NONE, link: NONE }
    }
}

impl Entries for Slab<Node> {
    fn entry(&self, slot: Slot) -> Option<(u64, Slot)> {
        (slot != NONE).then(|| (self.get(slot).id.0, self.get(slot).link))
    }

    fn link(&mut self, slot: Slot) -> &mut Slot {
        &mut self.get_mut(slot).link
    }
}

/// The resting orders of one market.
pub struct Book {
    /// Bids on YES, bids on NO.
    sides: [Levels; 2],
    orders: Slab<Node>,
    slots: IdTable,
}

impl Default for Book {
    fn default() -> Book {
        let side = || Levels { occupied: 0, best: 0, levels: [Level { first: NONE, last: NONE }; 100] };
        Book { sides: [side(), side()], orders: Slab::default(), slots: IdTable::default() }
    }
}

impl Book {
    // ANCHOR: place
    /// Matches an incoming order in price-time priority and lets the rest of it stay in the book,
    /// if its time in force allows. Its fills are left in `fills`.
    ///
    /// # Errors
    /// [`Reason::WouldCross`] and [`Reason::CannotFill`]; then the book has not changed.
    #[inline(always)] // so that the order arrives in registers; see `rest`
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
            let maker = self.orders.get(slot).order();
            if maker.holder == taker.holder {
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
    /// The resting order that `taker` meets first: at the best bid of the other side, the oldest.
    fn best_match(&self, taker: &Order) -> Option<Slot> {
        let other = &self.sides[taker.intent.side().opposite() as usize];
        // With no order on the other side the best is 0, and no order bids 100.
        (bid(taker) + other.best >= 100).then(|| other.levels[other.best].first)
    }
    // ANCHOR_END: best_match

    /// Trades up to `left` shares with `maker`, which is the first of its level.
    #[inline] // as a part of `place`
    fn fill(&mut self, slot: Slot, maker: Order, left: Quantity) -> Fill {
        let quantity = left.min(maker.quantity);
        if quantity == maker.quantity {
            self.remove(slot);
        } else {
            self.orders.get_mut(slot).quantity.0 -= quantity.0;
        }
        Fill { maker: maker.id, maker_holder: maker.holder, maker_intent: maker.intent, price: maker.price, quantity }
    }

    /// Whether `taker` can trade completely before it reaches an order of its own account.
    fn can_fill(&self, taker: &Order) -> bool {
        let mut left = u64::from(taker.quantity.0);
        for (_, resting) in self.walk(taker.intent.side().opposite()) {
            if bid(taker) + bid(&resting) < 100 || resting.holder == taker.holder {
                return false;
            }
            left = left.saturating_sub(u64::from(resting.quantity.0));
            if left == 0 {
                return true;
            }
        }
        false
    }

    // ANCHOR: rest
    // A call would pass the order as bytes; reading them back as words stalls until they have left the store buffer.
    #[inline(always)]
    fn rest(&mut self, order: Order) {
        let levels = &mut self.sides[order.intent.side() as usize];
        let level = &mut levels.levels[bid(&order)];
        let previous = level.last;
        let slot = self.orders.take();
        let link = self.slots.insert(order.id.0, slot, &mut self.orders);
        let Order { id, holder, intent, price, quantity } = order;
        *self.orders.get_mut(slot) = Node { id, holder, intent, price, quantity, previous, next: NONE, link };
        level.last = slot;
        if previous == NONE {
            level.first = slot;
            levels.occupied |= 1 << bid(&order);
            levels.best = levels.best.max(bid(&order));
        } else {
            self.orders.get_mut(previous).next = slot;
        }
    }
    // ANCHOR_END: rest

    // ANCHOR: cancel
    /// Takes an order out of the book if `is_owner` accepts its owner's row.
    ///
    /// # Errors
    /// [`Reason::UnknownOrder`] and [`Reason::NotTheOwner`].
    pub fn cancel(&mut self, order: OrderId, is_owner: impl FnOnce(Holder) -> bool) -> Result<Order, Reason> {
        let slot = self.slots.find(order.0, &self.orders).ok_or(Reason::UnknownOrder)?;
        let resting = self.orders.get(slot).order();
        if !is_owner(resting.holder) {
            return Err(Reason::NotTheOwner);
        }
        self.remove(slot);
        Ok(resting)
    }

    /// Takes an order out of the table, the slab and its level.
    fn remove(&mut self, slot: Slot) {
        let node = *self.orders.get(slot);
        let (order, previous, next) = (node.order(), node.previous, node.next);
        self.slots.remove(order.id.0, slot, &mut self.orders);
        self.orders.remove(slot);
        let levels = &mut self.sides[order.intent.side() as usize];
        let level = &mut levels.levels[bid(&order)];
        match previous {
            NONE => level.first = next,
            previous => self.orders.get_mut(previous).next = next,
        }
        match next {
            NONE => level.last = previous,
            next => self.orders.get_mut(next).previous = previous,
        }
        if level.first == NONE {
            levels.occupied &= !(1 << bid(&order));
            levels.best = levels.occupied.checked_ilog2().unwrap_or(0) as usize;
        }
    }
    // ANCHOR_END: cancel

    /// Takes the first order of the best bid out of the book, or of the best ask when no bid is left.
    pub fn take_best(&mut self) -> Option<Order> {
        let (slot, best) = self.walk(Side::Bid).chain(self.walk(Side::Ask)).next()?;
        self.remove(slot);
        Some(best)
    }

    /// The orders of a side, best price first, then by time.
    pub fn walk(&self, side: Side) -> impl Iterator<Item = (Slot, Order)> + '_ {
        let levels = &self.sides[side as usize];
        let mut rest = levels.occupied;
        let bids = std::iter::from_fn(move || {
            let best = rest.checked_ilog2()?;
            rest &= !(1 << best);
            Some(best as usize)
        });
        let taken = |slot: Slot| (slot != NONE).then_some(slot);
        let slots = bids.flat_map(move |bid| {
            std::iter::successors(taken(levels.levels[bid].first), move |&slot| taken(self.orders.get(slot).next))
        });
        slots.map(|slot| (slot, self.orders.get(slot).order()))
    }

    /// How many bytes of memory the resting orders hold.
    pub fn bytes(&self) -> usize {
        self.orders.bytes() + self.slots.bytes()
    }

    /// The bids and the asks, best first.
    pub fn state(&self, account_of: impl Fn(Holder) -> AccountId) -> (Vec<RestingOrder>, Vec<RestingOrder>) {
        let resting = |(_, Order { id, holder, intent, price, quantity })| {
            let account = account_of(holder);
            RestingOrder { order: id, account, intent, price, quantity }
        };
        let side = |side| self.walk(side).map(resting).collect();
        (side(Side::Bid), side(Side::Ask))
    }
}

// ANCHOR: bid
/// What an order bids for the outcome that its side bets on, in cents.
fn bid(order: &Order) -> usize {
    let price = match order.intent.side() {
        Side::Bid => order.price,
        Side::Ask => order.price.complement(),
    };
    price.cents() as usize
}
// ANCHOR_END: bid
