//! A book of queues: the common part of two engines that differ in how they sort their levels.
//!
//! A level is a queue of orders; a map leads from an order's id to its side and price. It is the book of 0x01 without
//! the money. A side's levels are sorted by their **rank**: higher is better on both sides, so that the same code
//! serves both. Costs: a search per level that is touched, and a walk through its queue per cancel.

use std::collections::{HashMap, VecDeque};

use crate::contract::{
    Book, CancelReason, Command, Event, Id, Price, Quantity, Receiver, RejectReason, Side, TimeInForce,
};

/// A resting order: its id and what is left of it.
#[derive(Clone, Copy)]
pub struct Waiting {
    id: Id,
    quantity: Quantity,
}

/// The orders at one price, the oldest first.
pub type Queue = VecDeque<Waiting>;

/// The levels of a side, by rank.
pub trait Levels: Default {
    /// The best rank with orders.
    fn best(&self) -> Option<i64>;

    /// The orders of a rank.
    fn queue(&self, rank: i64) -> Option<&Queue>;

    /// The same, mutable.
    fn queue_mut(&mut self, rank: i64) -> Option<&mut Queue>;

    /// The orders of a rank, which may be new.
    fn open(&mut self, rank: i64) -> &mut Queue;

    /// Removes a rank without orders.
    fn close(&mut self, rank: i64);

    /// All levels of at least this rank, the best first.
    fn down_to(&self, rank: i64) -> impl Iterator<Item = &Queue>;

    /// How many bytes the levels and their queues hold.
    fn bytes(&self) -> usize;
}

/// How good a price is for its side; higher is better. Applied again, it returns the price.
pub fn rank(side: Side, price: Price) -> i64 {
    match side {
        Side::Bid => price,
        // Inverting all bits reverses the order, and unlike negation it can't overflow.
        Side::Ask => !price,
    }
}

/// A book of queues.
#[derive(Default)]
pub struct QueueBook<L> {
    sides: [L; 2],
    places: HashMap<Id, (Side, Price)>,
}

/// An incoming order. A market order's limit is the worst possible price.
struct Taker {
    id: Id,
    side: Side,
    limit: Price,
    quantity: Quantity,
}

impl<L: Levels> QueueBook<L> {
    /// The rank of the best level that the taker matches.
    fn best_match(&self, taker: &Taker) -> Option<i64> {
        let other = taker.side.opposite();
        self.sides[other as usize].best().filter(|best| *best >= rank(other, taker.limit))
    }

    fn can_fill(&self, taker: &Taker) -> bool {
        let other = taker.side.opposite();
        let met = self.sides[other as usize].down_to(rank(other, taker.limit));
        let mut left = u64::from(taker.quantity);
        for waiting in met.flatten() {
            left = left.saturating_sub(u64::from(waiting.quantity));
            if left == 0 {
                return true;
            }
        }
        false
    }

    fn check(&self, taker: &Taker, time_in_force: TimeInForce) -> Result<(), RejectReason> {
        match time_in_force {
            _ if taker.quantity == 0 => Err(RejectReason::ZeroQuantity),
            _ if self.places.contains_key(&taker.id) => Err(RejectReason::DuplicateId),
            TimeInForce::PostOnly if self.best_match(taker).is_some() => Err(RejectReason::WouldCross),
            TimeInForce::Fok if !self.can_fill(taker) => Err(RejectReason::CannotFill),
            _ => Ok(()),
        }
    }

    /// Trades until nothing is left or no order matches. Returns what is left.
    fn trade(&mut self, taker: &Taker, receiver: &mut impl Receiver) -> Quantity {
        let (other, mut left) = (taker.side.opposite(), taker.quantity);
        while let Some(best) = self.best_match(taker).filter(|_| left > 0) {
            let levels = &mut self.sides[other as usize];
            let Some(queue) = levels.queue_mut(best) else { break };
            while let Some(maker) = queue.front_mut().filter(|_| left > 0) {
                let quantity = left.min(maker.quantity);
                let (maker_id, price) = (maker.id, rank(other, best));
                left -= quantity;
                maker.quantity -= quantity;
                let (taker, maker_left) = (taker.id, maker.quantity);
                receiver.event(Event::Filled {
                    maker: maker_id,
                    taker,
                    side: other,
                    price,
                    quantity,
                    left: maker_left,
                });
                if maker.quantity == 0 {
                    self.places.remove(&maker_id);
                    queue.pop_front();
                }
            }
            if queue.is_empty() {
                levels.close(best);
            }
        }
        left
    }

    fn take(&mut self, taker: &Taker, time_in_force: TimeInForce, end: CancelReason, receiver: &mut impl Receiver) {
        let (id, side) = (taker.id, taker.side);
        let price = if end == CancelReason::NoLiquidity { 0 } else { taker.limit };
        if let Err(reason) = self.check(taker, time_in_force) {
            return receiver.event(Event::Rejected { id, order: Some((side, price)), reason });
        }
        let quantity = self.trade(taker, receiver);
        if quantity == 0 {
        } else if time_in_force == TimeInForce::Ioc {
            receiver.event(Event::Cancelled { id, side, price, quantity, reason: end });
        } else {
            self.places.insert(id, (side, price));
            self.sides[side as usize].open(rank(side, price)).push_back(Waiting { id, quantity });
            receiver.event(Event::Rested { id, side, price, quantity });
        }
    }

    /// The queue of an order, and its index there.
    fn find(&mut self, id: Id) -> Option<(Side, Price, usize)> {
        let (side, price) = *self.places.get(&id)?;
        let queue = self.sides[side as usize].queue(rank(side, price))?;
        Some((side, price, queue.iter().position(|waiting| waiting.id == id)?))
    }

    /// Removes an order. Returns what was left of it.
    fn remove(&mut self, id: Id, side: Side, price: Price, place: usize) -> Quantity {
        self.places.remove(&id);
        let (levels, rank) = (&mut self.sides[side as usize], rank(side, price));
        let Some(queue) = levels.queue_mut(rank) else { return 0 };
        let quantity = queue.remove(place).map_or(0, |waiting| waiting.quantity);
        if queue.is_empty() {
            levels.close(rank);
        }
        quantity
    }

    fn replace(&mut self, id: Id, price: Price, quantity: Quantity, receiver: &mut impl Receiver) {
        let Some((side, old_price, place)) = self.find(id) else {
            return receiver.event(Event::Rejected { id, order: None, reason: RejectReason::UnknownId });
        };
        if quantity == 0 {
            let order = Some((side, old_price));
            return receiver.event(Event::Rejected { id, order, reason: RejectReason::ZeroQuantity });
        }
        let queue = self.sides[side as usize].queue_mut(rank(side, old_price));
        let waiting = queue.and_then(|queue| queue.get_mut(place));
        if let Some(waiting) = waiting.filter(|waiting| price == old_price && quantity < waiting.quantity) {
            waiting.quantity = quantity;
            return receiver.event(Event::Reduced { id, side, price, quantity });
        }
        let was = self.remove(id, side, old_price, place);
        let reason = CancelReason::Replaced;
        receiver.event(Event::Cancelled { id, side, price: old_price, quantity: was, reason });
        let taker = Taker { id, side, limit: price, quantity };
        self.take(&taker, TimeInForce::Gtc, CancelReason::ImmediateOrCancel, receiver);
    }
}

impl<L: Levels> Book for QueueBook<L> {
    fn apply<R: Receiver>(&mut self, command: Command, receiver: &mut R) {
        match command {
            Command::Limit { id, side, price, quantity, time_in_force } => {
                let taker = Taker { id, side, limit: price, quantity };
                self.take(&taker, time_in_force, CancelReason::ImmediateOrCancel, receiver);
            }
            Command::Market { id, side, quantity } => {
                let worst = rank(side.opposite(), i64::MIN);
                let taker = Taker { id, side, limit: worst, quantity };
                self.take(&taker, TimeInForce::Ioc, CancelReason::NoLiquidity, receiver);
            }
            Command::Cancel { id } => match self.find(id) {
                Some((side, price, place)) => {
                    let quantity = self.remove(id, side, price, place);
                    receiver.event(Event::Cancelled { id, side, price, quantity, reason: CancelReason::Asked });
                }
                None => receiver.event(Event::Rejected { id, order: None, reason: RejectReason::UnknownId }),
            },
            Command::Replace { id, price, quantity } => self.replace(id, price, quantity, receiver),
        }
    }

    fn best(&self, side: Side) -> Option<Price> {
        self.sides[side as usize].best().map(|best| rank(side, best))
    }

    fn quantity_at(&self, side: Side, price: Price) -> u64 {
        let queue = self.sides[side as usize].queue(rank(side, price));
        queue.into_iter().flatten().map(|waiting| u64::from(waiting.quantity)).sum()
    }

    fn orders(&self) -> usize {
        self.places.len()
    }

    fn bytes(&self) -> usize {
        // A slot of the map is a pair and a control byte; its table is at most seven eighths full.
        let places = self.places.capacity() * 8 / 7 * (size_of::<(Id, (Side, Price))>() + 1);
        places + self.sides.iter().map(L::bytes).sum::<usize>()
    }
}
