//! The ladder: an array around the market, a tree for prices far from it, and queues that are linked through a slab.
//!
//! A price is not an index, but prices around the market nearly are: [`side`] keeps them in a [`window`] that follows
//! the best price, and all others in a tree ([`far`]). [`orders`] wait in queues and are found by id in an [`id_table`];
//! both grow in small steps ([`slab`]). The book is never crossed, so the price alone tells which side an order is on.
//! Invariants: an id is in the table exactly when its order is in a queue; a level's total is the sum of its orders.
//! Costs: the lines of an order, of its bucket and of its neighbours; only growth allocates; the only loop that depends
//! on the size of the book is the one over fills.

pub mod far;
pub mod id_table;
pub mod orders;
pub mod side;
pub mod slab;
pub mod window;

use crate::contract::{
    Book, CancelReason, Command, Event, Handle, Id, Price, Quantity, Receiver, RejectReason, Side, TimeInForce,
};
use id_table::{Found, IdTable};
use orders::{Order, Orders};
use side::{Levels, price, rank};
use slab::NONE;

/// How many steps a moving window takes per message.
const STEPS: usize = 4;

/// A book for any price.
#[derive(Default)]
pub struct Ladder {
    /// The bids, the asks.
    sides: [Levels; 2],
    orders: Orders,
    ids: IdTable,
}

/// An incoming order.
#[derive(Clone, Copy)]
struct Taker {
    id: Id,
    side: Side,
    price: Price,
    quantity: Quantity,
    /// The worst rank of the other side that it trades with.
    limit: u64,
}

impl Ladder {
    /// A book whose table of ids is keyed with these numbers, which must be unknown to clients. The default draws them
    /// at random.
    pub fn with_key(key: [u64; 2]) -> Ladder {
        Ladder { ids: IdTable::with_key(key), ..Ladder::default() }
    }

    /// The same as [`Book::apply`], for a cancel or a replace of an order whose handle is known. The command is rejected
    /// if its order does not rest there.
    #[inline]
    pub fn apply_at<R: Receiver>(&mut self, command: Command, handle: Handle, receiver: &mut R) {
        self.run(command, Some(handle), receiver);
    }

    // ANCHOR: apply
    #[inline(always)]
    fn run<R: Receiver>(&mut self, command: Command, handle: Option<Handle>, receiver: &mut R) {
        for levels in &mut self.sides {
            if levels.is_moving() {
                levels.advance(STEPS);
            }
        }
        match command {
            Command::Limit { id, side, price, quantity, time_in_force } => {
                let limit = rank(side.opposite(), price);
                let end = CancelReason::ImmediateOrCancel;
                self.place(Taker { id, side, price, quantity, limit }, time_in_force, end, receiver);
            }
            Command::Market { id, side, quantity } => {
                let taker = Taker { id, side, price: 0, quantity, limit: 0 };
                self.place(taker, TimeInForce::Ioc, CancelReason::NoLiquidity, receiver);
            }
            Command::Cancel { id } => self.cancel(id, handle, receiver),
            Command::Replace { id, price, quantity } => self.replace(id, handle, price, quantity, receiver),
        }
    }
    // ANCHOR_END: apply

    // ANCHOR: place
    /// A new order: it is rejected, or it trades, and what is left rests or is cancelled.
    #[inline(always)]
    fn place(&mut self, taker: Taker, time_in_force: TimeInForce, end: CancelReason, receiver: &mut impl Receiver) {
        let Taker { id, side, price, quantity, limit } = taker;
        self.ids.grow(&mut self.orders);
        let home = self.ids.home(id);
        let other = &self.sides[side.opposite() as usize];
        let reason = match time_in_force {
            _ if quantity == 0 => Some(RejectReason::ZeroQuantity),
            _ if self.ids.find(id, home, &self.orders).is_some() => Some(RejectReason::DuplicateId),
            TimeInForce::PostOnly if other.meets(limit) => Some(RejectReason::WouldCross),
            TimeInForce::Fok if other.total_from(limit) < u64::from(quantity) => Some(RejectReason::CannotFill),
            _ => None,
        };
        if let Some(reason) = reason {
            return receiver.event(Event::Rejected { id, order: Some((side, price)), reason });
        }
        let left = if other.meets(limit) { self.trade(&taker, receiver) } else { quantity };
        if left == 0 {
        } else if time_in_force == TimeInForce::Ioc {
            receiver.event(Event::Cancelled { id, side, price, quantity: left, reason: end });
        } else {
            let level = self.sides[side as usize].add(rank(side, price), left.into());
            let order = Order { id, price, quantity: left, previous: level.last, next: NONE, link: NONE };
            let slot = self.orders.put(order);
            self.orders.append(level, slot);
            self.ids.insert(home, slot, &mut self.orders);
            receiver.handle(Handle(slot));
            receiver.event(Event::Rested { id, side, price, quantity: left });
        }
    }
    // ANCHOR_END: place

    // ANCHOR: change
    /// Removes an order from the book.
    #[inline(always)]
    fn cancel(&mut self, id: Id, handle: Option<Handle>, receiver: &mut impl Receiver) {
        let Some(found) = self.find(id, handle) else {
            return receiver.event(Event::Rejected { id, order: None, reason: RejectReason::UnknownId });
        };
        let order = *self.orders.get(found.slot);
        self.forget(found);
        let side = self.leave(&order);
        let Order { price, quantity, .. } = order;
        receiver.event(Event::Cancelled { id, side, price, quantity, reason: CancelReason::Asked });
    }

    /// Gives an order another price or quantity. It keeps its slot and its place in the table, and loses its place in
    /// the queue, unless only its quantity becomes smaller.
    #[inline(always)]
    fn replace(
        &mut self,
        id: Id,
        handle: Option<Handle>,
        price: Price,
        quantity: Quantity,
        receiver: &mut impl Receiver,
    ) {
        let Some(found) = self.find(id, handle) else {
            return receiver.event(Event::Rejected { id, order: None, reason: RejectReason::UnknownId });
        };
        let order = *self.orders.get(found.slot);
        if quantity == 0 {
            let order = Some((self.side_of(order.price), order.price));
            return receiver.event(Event::Rejected { id, order, reason: RejectReason::ZeroQuantity });
        }
        if price == order.price && quantity < order.quantity {
            let side = self.side_of(price);
            self.sides[side as usize].sub(rank(side, price), u64::from(order.quantity - quantity));
            self.orders.get_mut(found.slot).quantity = quantity;
            return receiver.event(Event::Reduced { id, side, price, quantity });
        }
        let side = self.leave(&order);
        let reason = CancelReason::Replaced;
        receiver.event(Event::Cancelled { id, side, price: order.price, quantity: order.quantity, reason });
        let limit = rank(side.opposite(), price);
        let left = match self.sides[side.opposite() as usize].meets(limit) {
            true => self.trade(&Taker { id, side, price, quantity, limit }, receiver),
            false => quantity,
        };
        match left {
            0 => self.forget(found),
            quantity => {
                let level = self.sides[side as usize].add(rank(side, price), quantity.into());
                let order = self.orders.get_mut(found.slot);
                (order.price, order.quantity, order.previous, order.next) = (price, quantity, level.last, NONE);
                self.orders.append(level, found.slot);
                receiver.handle(Handle(found.slot));
                receiver.event(Event::Rested { id, side, price, quantity });
            }
        }
    }
    // ANCHOR_END: change

    /// Finds an order, by its handle if it is known.
    #[inline(always)]
    fn find(&self, id: Id, handle: Option<Handle>) -> Option<Found> {
        let home = self.ids.home(id);
        let Some(Handle(slot)) = handle else { return self.ids.find(id, home, &self.orders) };
        let is_there = self.orders.has(slot) && self.orders.get(slot).quantity > 0 && self.orders.get(slot).id == id;
        is_there.then(|| self.ids.find_at(home, slot))
    }

    /// The side of a resting order: asks are never below the best ask, and bids always are. Computed as a number,
    /// because a branch would be unpredictable.
    #[inline(always)]
    fn side_of(&self, price: Price) -> Side {
        Side::BOTH[usize::from(self.sides[Side::Ask as usize].reaches(rank(Side::Ask, price)))]
    }

    /// Removes an order from its queue. Returns its side.
    #[inline(always)]
    fn leave(&mut self, order: &Order) -> Side {
        let side = self.side_of(order.price);
        let (levels, rank) = (&mut self.sides[side as usize], rank(side, order.price));
        let level = levels.sub(rank, order.quantity.into());
        self.orders.unlink(level, order);
        if level.is_empty() {
            levels.close(rank);
        }
        side
    }

    /// Removes an order from the table and the slab. The caller repairs its queue.
    #[inline(always)]
    fn forget(&mut self, found: Found) {
        self.ids.remove(found, &mut self.orders);
        self.orders.free(found.slot);
    }

    // ANCHOR: trade
    /// Trades level by level until nothing is left or no order matches. Returns what is left. Never inlined: most
    /// messages match nothing, and keep their registers.
    #[inline(never)]
    fn trade(&mut self, taker: &Taker, receiver: &mut impl Receiver) -> Quantity {
        let (side, mut left) = (taker.side.opposite(), taker.quantity);
        while left > 0 && self.sides[side as usize].meets(taker.limit) {
            let levels = &self.sides[side as usize];
            let (Some(best), before) = (levels.best(), left) else { break };
            let mut first = levels.get(best).map_or(NONE, |level| level.first);
            while first != NONE && left > 0 {
                let slot = first;
                let maker = self.orders.get_mut(slot);
                let (id, price, quantity) = (maker.id, maker.price, maker.quantity.min(left));
                maker.quantity -= quantity;
                left -= quantity;
                let (taker, maker_left, next) = (taker.id, maker.quantity, maker.next);
                receiver.event(Event::Filled { maker: id, taker, side, price, quantity, left: maker_left });
                if maker_left > 0 {
                    break;
                }
                self.forget(self.ids.find_at(self.ids.home(id), slot));
                first = next;
            }
            let levels = &mut self.sides[side as usize];
            let level = levels.sub(best, u64::from(before - left));
            level.first = first;
            if first == NONE {
                level.last = NONE;
                levels.close(best);
            } else {
                self.orders.get_mut(first).previous = NONE;
            }
        }
        left
    }
    // ANCHOR_END: trade
}

impl Book for Ladder {
    #[inline(always)]
    fn apply<R: Receiver>(&mut self, command: Command, receiver: &mut R) {
        self.run(command, None, receiver);
    }

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
        self.orders.bytes() + self.ids.bytes() + self.sides.iter().map(Levels::bytes).sum::<usize>()
    }
}
