//! The ladder: an array around the market, a tree for what is far from it, and queues of three orders to a line.
//!
//! A price is not an index, but the prices around the market nearly are: [`side`] keeps them in a [`window`] that
//! follows the best, and all others in a tree ([`far`]). Orders wait in [`blocks`], found by name in an [`id_table`];
//! both grow a little at a time ([`slab`]). The book is never crossed, so a price alone says which side an order is
//! on. Invariants: a name is in the table exactly when its order is in a queue; a level's total is the sum of its
//! orders. Costs: for an order that rests or leaves near the market two lines that may have left the cache, its
//! bucket's and its block's; nothing allocates but growth; no loop but that over its fills grows with the book.

pub mod blocks;
pub mod far;
pub mod id_table;
pub mod side;
pub mod slab;
pub mod window;

use crate::contract::{
    Book, CancelReason, Command, Event, Id, Price, Quantity, Receiver, RejectReason, Side, TimeInForce,
};
use blocks::{Blocks, Place};
use id_table::{IdTable, Vacancy};
use side::{Levels, price, rank};
use slab::{NONE, Slot};

/// How many steps a moving window takes with each message.
const STEPS: usize = 4;

/// A book for any price.
#[derive(Default)]
pub struct Ladder {
    /// The bids, the asks.
    sides: [Levels; 2],
    blocks: Blocks,
    ids: IdTable,
}

/// An order that comes in.
#[derive(Clone, Copy)]
struct Taker {
    id: Id,
    side: Side,
    price: Price,
    quantity: Quantity,
    /// The worst rank of the other side that it takes.
    limit: u64,
}

impl Taker {
    fn new(id: Id, side: Side, price: Price, quantity: Quantity) -> Taker {
        Taker { id, side, price, quantity, limit: rank(side.opposite(), price) }
    }
}

impl Ladder {
    /// A book whose table of names is keyed with these numbers, which nobody who chooses names may know. The
    /// default draws them.
    pub fn with_key(key: [u64; 2]) -> Ladder {
        Ladder { ids: IdTable::with_key(key), ..Ladder::default() }
    }

    // ANCHOR: check
    /// Sees whether an order may come in, and where its name would stand.
    #[inline]
    fn check(&mut self, taker: &Taker, time_in_force: TimeInForce) -> Result<Vacancy, RejectReason> {
        if taker.quantity == 0 {
            return Err(RejectReason::ZeroQuantity);
        }
        let vacancy = self.ids.vacancy(taker.id, &mut self.blocks).ok_or(RejectReason::DuplicateId)?;
        let other = &self.sides[taker.side.opposite() as usize];
        match time_in_force {
            TimeInForce::PostOnly if other.meets(taker.limit) => Err(RejectReason::WouldCross),
            TimeInForce::Fok if other.total_from(taker.limit) < u64::from(taker.quantity) => {
                Err(RejectReason::CannotFill)
            }
            _ => Ok(vacancy),
        }
    }
    // ANCHOR_END: check

    // ANCHOR: take
    #[inline]
    fn take(&mut self, taker: Taker, time_in_force: TimeInForce, end: CancelReason, receiver: &mut impl Receiver) {
        let id = taker.id;
        let vacancy = match self.check(&taker, time_in_force) {
            Ok(vacancy) => vacancy,
            Err(reason) => return receiver.event(Event::Rejected { id, reason }),
        };
        let quantity = self.trade(&taker, receiver);
        if quantity == 0 {
            return;
        }
        if time_in_force == TimeInForce::Ioc {
            return receiver.event(Event::Cancelled { id, quantity, reason: end });
        }
        let place = self.rest(&taker, quantity, receiver);
        self.ids.insert(vacancy, place, &mut self.blocks);
    }

    /// Lets what is left of an order rest.
    #[inline]
    fn rest(&mut self, taker: &Taker, quantity: Quantity, receiver: &mut impl Receiver) -> Place {
        let &Taker { id, side, price, .. } = taker;
        let level = self.sides[side as usize].add(rank(side, price), quantity.into());
        let place = self.blocks.append(level, price, id, quantity);
        receiver.event(Event::Rested { id, price, quantity });
        place
    }
    // ANCHOR_END: take

    // ANCHOR: trade
    /// Trades level by level until nothing is left or nobody fits. Returns what is left.
    #[inline]
    fn trade(&mut self, taker: &Taker, receiver: &mut impl Receiver) -> Quantity {
        let (other, mut left) = (taker.side.opposite(), taker.quantity);
        while left > 0 && self.sides[other as usize].meets(taker.limit) {
            let levels = &mut self.sides[other as usize];
            let (Some(best), before) = (levels.best(), left) else { break };
            let first = levels.get(best).map_or(NONE, |level| level.first);
            let first = Self::empty(&mut self.blocks, &mut self.ids, first, taker.id, &mut left, receiver);
            let level = levels.sub(best, u64::from(before - left));
            level.first = first;
            if first == NONE {
                level.last = NONE;
                levels.close(best);
            } else {
                self.blocks.get_mut(first).previous = NONE;
            }
        }
        left
    }

    /// Trades with a queue from its first block on. Returns the first block that is left.
    #[inline]
    fn empty(
        blocks: &mut Blocks,
        ids: &mut IdTable,
        mut first: Slot,
        taker: Id,
        left: &mut Quantity,
        receiver: &mut impl Receiver,
    ) -> Slot {
        while first != NONE && *left > 0 {
            let mut live = blocks.get(first).live();
            while live != 0 {
                let number = live.trailing_zeros();
                let place = first * 4 + number;
                let (price, maker) = blocks.order_mut(place);
                let (id, quantity) = (maker.id, maker.quantity.min(*left));
                maker.quantity -= quantity;
                *left -= quantity;
                let is_gone = maker.quantity == 0;
                receiver.event(Event::Filled { maker: id, taker, price, quantity });
                if !is_gone {
                    return first;
                }
                ids.remove(ids.find_at(id, place), blocks);
                live &= live - 1;
                if *left == 0 && live != 0 {
                    return first;
                }
            }
            let next = blocks.get(first).next;
            blocks.free(first);
            first = next;
        }
        first
    }
    // ANCHOR_END: trade

    /// The side that an order of this price rests on: asks are never below the best ask, and bids always are.
    #[inline]
    fn side_of(&self, price: Price) -> Side {
        let asks = &self.sides[Side::Ask as usize];
        if asks.best().is_some_and(|best| rank(Side::Ask, price) <= best) { Side::Ask } else { Side::Bid }
    }

    // ANCHOR: leave
    /// Takes an order out of its queue, not out of the table. Returns its side and what was left of it.
    #[inline]
    fn leave(&mut self, place: Place) -> (Side, Quantity) {
        let (price, &order) = self.blocks.order(place);
        let side = self.side_of(price);
        let levels = &mut self.sides[side as usize];
        let level = levels.sub(rank(side, price), order.quantity.into());
        self.blocks.leave(level, place);
        if level.is_empty() {
            levels.close(rank(side, price));
        }
        (side, order.quantity)
    }
    // ANCHOR_END: leave

    fn cancel(&mut self, id: Id, receiver: &mut impl Receiver) {
        let Some(found) = self.ids.find(id, &self.blocks) else {
            return receiver.event(Event::Rejected { id, reason: RejectReason::UnknownId });
        };
        self.ids.remove(found, &mut self.blocks);
        let (_, quantity) = self.leave(found.place);
        receiver.event(Event::Cancelled { id, quantity, reason: CancelReason::Asked });
    }

    // ANCHOR: replace
    fn replace(&mut self, id: Id, new_price: Price, quantity: Quantity, receiver: &mut impl Receiver) {
        let Some(found) = self.ids.find(id, &self.blocks) else {
            return receiver.event(Event::Rejected { id, reason: RejectReason::UnknownId });
        };
        if quantity == 0 {
            return receiver.event(Event::Rejected { id, reason: RejectReason::ZeroQuantity });
        }
        let (price, &order) = self.blocks.order(found.place);
        if new_price == price && quantity < order.quantity {
            let side = self.side_of(price);
            self.sides[side as usize].sub(rank(side, price), u64::from(order.quantity - quantity));
            self.blocks.order_mut(found.place).1.quantity = quantity;
            return receiver.event(Event::Reduced { id, quantity });
        }
        // The name stays where it is in the table, and only learns where its order goes.
        self.ids.lift(found, &mut self.blocks);
        let (side, was) = self.leave(found.place);
        receiver.event(Event::Cancelled { id, quantity: was, reason: CancelReason::Replaced });
        let taker = Taker::new(id, side, new_price, quantity);
        match self.trade(&taker, receiver) {
            0 => self.ids.forget(found),
            left => {
                let place = self.rest(&taker, left, receiver);
                self.ids.settle(found, place, &mut self.blocks);
            }
        }
    }
    // ANCHOR_END: replace
}

impl Book for Ladder {
    // ANCHOR: apply
    #[inline]
    fn apply<R: Receiver>(&mut self, command: Command, receiver: &mut R) {
        for levels in &mut self.sides {
            for _ in 0..STEPS {
                if !levels.is_moving() {
                    break;
                }
                levels.step();
            }
        }
        match command {
            Command::Limit { id, side, price, quantity, time_in_force } => {
                let taker = Taker::new(id, side, price, quantity);
                self.take(taker, time_in_force, CancelReason::ImmediateOrCancel, receiver);
            }
            Command::Market { id, side, quantity } => {
                let taker = Taker { limit: 0, ..Taker::new(id, side, 0, quantity) };
                self.take(taker, TimeInForce::Ioc, CancelReason::NoLiquidity, receiver);
            }
            Command::Cancel { id } => self.cancel(id, receiver),
            Command::Replace { id, price, quantity } => self.replace(id, price, quantity, receiver),
        }
    }
    // ANCHOR_END: apply

    fn best(&self, side: Side) -> Option<Price> {
        self.sides[side as usize].best().map(|best| price(side, best))
    }

    fn quantity_at(&self, side: Side, price: Price) -> u64 {
        self.sides[side as usize].get(rank(side, price)).map_or(0, |level| level.total)
    }

    fn orders(&self) -> usize {
        self.ids.count()
    }

    fn bytes(&self) -> usize {
        self.blocks.bytes() + self.ids.bytes() + self.sides.iter().map(Levels::bytes).sum::<usize>()
    }
}
