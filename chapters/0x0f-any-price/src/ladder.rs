//! The ladder: an array around the market, a tree for prices far from it, and queues with three orders per cache line.
//!
//! A price is not an index, but prices around the market nearly are: [`side`] keeps them in a [`window`] that follows
//! the best price, and all others in a tree ([`far`]). Orders wait in [`blocks`] and are found by id in an
//! [`id_table`]; both grow in small steps ([`slab`]). The book is never crossed, so the price alone tells which side an
//! order is on. Invariants: an id is in the table exactly when its order is in a queue; a level's total is the sum of
//! its orders. Costs: for an order that is added or removed near the market, two lines that may not be cached, its
//! bucket's and its block's; only growth allocates; the only loop that depends on the size of the book is the one over
//! fills.

pub mod blocks;
pub mod far;
pub mod id_table;
pub mod side;
pub mod slab;
pub mod window;

use crate::contract::{
    Book, CancelReason, Command, Event, Id, Price, Quantity, Receiver, RejectReason, Side, TimeInForce,
};
use blocks::Blocks;
use id_table::{IdTable, Vacancy};
use side::{Levels, price, rank};
use slab::{NONE, Slot};

/// How many steps a moving window takes per message.
const STEPS: usize = 4;

/// A book for any price.
#[derive(Default)]
pub struct Ladder {
    /// The bids, the asks.
    sides: [Levels; 2],
    blocks: Blocks,
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
    /// Why its remainder must not rest, unless it may.
    end: Option<CancelReason>,
}

impl Taker {
    fn new(id: Id, side: Side, price: Price, quantity: Quantity) -> Taker {
        Taker { id, side, price, quantity, limit: rank(side.opposite(), price), end: None }
    }
}

impl Ladder {
    /// A book whose table of ids is keyed with these numbers, which must be unknown to clients. The default draws them
    /// at random.
    pub fn with_key(key: [u64; 2]) -> Ladder {
        Ladder { ids: IdTable::with_key(key), ..Ladder::default() }
    }

    // ANCHOR: admit
    /// Checks an incoming order, or rejects it, and finds the slot where its id will go if it rests. Always inlined:
    /// every message runs through this once, and the result of a call would go through memory.
    #[inline(always)]
    fn admit(
        &mut self,
        taker: Taker,
        time_in_force: TimeInForce,
        receiver: &mut impl Receiver,
    ) -> Option<(Taker, Vacancy)> {
        let Taker { id, side, quantity, limit, .. } = taker;
        let mut refuse = |reason| receiver.event(Event::Rejected { id, reason });
        if quantity == 0 {
            refuse(RejectReason::ZeroQuantity);
            return None;
        }
        let Some(vacancy) = self.ids.vacancy(id, &mut self.blocks) else {
            refuse(RejectReason::DuplicateId);
            return None;
        };
        let other = &self.sides[side.opposite() as usize];
        match time_in_force {
            TimeInForce::PostOnly if other.meets(limit) => refuse(RejectReason::WouldCross),
            TimeInForce::Fok if other.total_from(limit) < u64::from(quantity) => refuse(RejectReason::CannotFill),
            _ => return Some((taker, vacancy)),
        }
        None
    }
    // ANCHOR_END: admit

    // ANCHOR: change
    /// Removes an order from the book. If it gets another price or quantity it is added again under its id, which keeps
    /// its slot in the table. A smaller quantity at the same price is changed in place.
    #[inline(always)]
    fn change(
        &mut self,
        id: Id,
        to: Option<(Price, Quantity)>,
        receiver: &mut impl Receiver,
    ) -> Option<(Taker, Vacancy)> {
        let Some(found) = self.ids.find(id, &self.blocks) else {
            receiver.event(Event::Rejected { id, reason: RejectReason::UnknownId });
            return None;
        };
        let (slot, number) = Blocks::split(found.place);
        let block = self.blocks.get_mut(slot);
        let (price, was) = (block.price, block.orders[number].quantity);
        // Asks are never below the best ask, and bids always are. Computed as a number, because a branch would be
        // unpredictable.
        let side = Side::BOTH[usize::from(self.sides[Side::Ask as usize].reaches(rank(Side::Ask, price)))];
        let rank = rank(side, price);
        let levels = &mut self.sides[side as usize];
        match to {
            Some((_, 0)) => {
                receiver.event(Event::Rejected { id, reason: RejectReason::ZeroQuantity });
                return None;
            }
            Some((to_price, quantity)) if to_price == price && quantity < was => {
                levels.sub(rank, u64::from(was - quantity));
                block.orders[number].quantity = quantity;
                receiver.event(Event::Reduced { id, quantity });
                return None;
            }
            _ => {}
        }
        block.orders[number].quantity = 0;
        let level = levels.sub(rank, u64::from(was));
        if block.is_empty() {
            self.blocks.unlink(level, slot);
            if level.is_empty() {
                levels.close(rank);
            }
        }
        let vacancy = self.ids.remove(found, &mut self.blocks);
        let reason = if to.is_some() { CancelReason::Replaced } else { CancelReason::Asked };
        receiver.event(Event::Cancelled { id, quantity: was, reason });
        to.map(|(price, quantity)| (Taker::new(id, side, price, quantity), vacancy))
    }
    // ANCHOR_END: change

    // ANCHOR: trade
    /// Trades level by level until nothing is left or no order matches. Returns what is left. Never inlined: most
    /// messages match nothing, and keep their registers.
    #[inline(never)]
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

    /// Trades with a queue, starting at its first block. Returns the first remaining block.
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
}

impl Book for Ladder {
    // ANCHOR: apply
    #[inline]
    fn apply<R: Receiver>(&mut self, command: Command, receiver: &mut R) {
        for levels in &mut self.sides {
            if levels.is_moving() {
                levels.advance(STEPS);
            }
        }
        let admitted = match command {
            Command::Limit { id, side, price, quantity, time_in_force } => {
                let end = (time_in_force == TimeInForce::Ioc).then_some(CancelReason::ImmediateOrCancel);
                self.admit(Taker { end, ..Taker::new(id, side, price, quantity) }, time_in_force, receiver)
            }
            Command::Market { id, side, quantity } => {
                let end = Some(CancelReason::NoLiquidity);
                self.admit(Taker { limit: 0, end, ..Taker::new(id, side, 0, quantity) }, TimeInForce::Ioc, receiver)
            }
            Command::Cancel { id } => self.change(id, None, receiver),
            Command::Replace { id, price, quantity } => self.change(id, Some((price, quantity)), receiver),
        };
        let Some((taker, vacancy)) = admitted else { return };
        let quantity = match self.sides[taker.side.opposite() as usize].meets(taker.limit) {
            true => self.trade(&taker, receiver),
            false => taker.quantity,
        };
        let Taker { id, side, price, end, .. } = taker;
        match end {
            _ if quantity == 0 => {}
            Some(reason) => receiver.event(Event::Cancelled { id, quantity, reason }),
            None => {
                let level = self.sides[side as usize].add(rank(side, price), quantity.into());
                let place = self.blocks.append(level, price, id, quantity);
                self.ids.insert(vacancy, place, &mut self.blocks);
                receiver.event(Event::Rested { id, price, quantity });
            }
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
