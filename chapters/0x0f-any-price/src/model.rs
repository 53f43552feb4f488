//! The reference model: a list of the resting orders, oldest first, and the rules, one after the other.
//!
//! It is simple and slow. Every engine has to produce the same events.

use crate::contract::{
    Book, CancelReason, Command, Event, Id, Price, Quantity, Receiver, RejectReason, Side, TimeInForce,
};

/// A resting order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resting {
    /// Its id.
    pub id: Id,
    /// Whether it buys.
    pub side: Side,
    /// Its limit.
    pub price: Price,
    /// What is left of it.
    pub quantity: Quantity,
}

/// The rules.
#[derive(Default)]
pub struct Model {
    /// The resting orders, the oldest first.
    orders: Vec<Resting>,
}

/// An incoming order; without a limit it accepts any price.
struct Taker {
    id: Id,
    side: Side,
    limit: Option<Price>,
    quantity: Quantity,
}

impl Taker {
    fn takes(&self, resting: &Resting) -> bool {
        let price_fits = self.limit.is_none_or(|limit| match self.side {
            Side::Bid => resting.price <= limit,
            Side::Ask => resting.price >= limit,
        });
        resting.side == self.side.opposite() && price_fits
    }
}

impl Model {
    /// The resting orders of a side: best price first, and at each price the oldest first.
    pub fn side(&self, side: Side) -> Vec<Resting> {
        let mut orders: Vec<Resting> = self.orders.iter().filter(|order| order.side == side).copied().collect();
        match side {
            Side::Bid => orders.sort_by_key(|order| std::cmp::Reverse(order.price)),
            Side::Ask => orders.sort_by_key(|order| order.price),
        }
        orders
    }

    fn place(&self, id: Id) -> Option<usize> {
        self.orders.iter().position(|order| order.id == id)
    }

    fn reason_to_reject(&self, taker: &Taker, time_in_force: TimeInForce) -> Option<RejectReason> {
        let met = self.orders.iter().filter(|order| taker.takes(order));
        let available: u64 = met.map(|order| u64::from(order.quantity)).sum();
        if taker.quantity == 0 {
            Some(RejectReason::ZeroQuantity)
        } else if self.place(taker.id).is_some() {
            Some(RejectReason::DuplicateId)
        } else if time_in_force == TimeInForce::PostOnly && available > 0 {
            Some(RejectReason::WouldCross)
        } else if time_in_force == TimeInForce::Fok && available < u64::from(taker.quantity) {
            Some(RejectReason::CannotFill)
        } else {
            None
        }
    }

    /// Trades with the best orders until none matches or nothing is left. Returns what is left.
    fn trade(&mut self, taker: &Taker, receiver: &mut impl Receiver) -> Quantity {
        let mut left = taker.quantity;
        for maker in self.side(taker.side.opposite()).into_iter().filter(|maker| taker.takes(maker)) {
            let quantity = left.min(maker.quantity);
            if quantity == 0 {
                break;
            }
            let Resting { id, side, price, quantity: was } = maker;
            receiver.event(Event::Filled { maker: id, taker: taker.id, side, price, quantity, left: was - quantity });
            left -= quantity;
            if let Some(place) = self.place(maker.id) {
                self.orders[place].quantity -= quantity;
            }
        }
        self.orders.retain(|order| order.quantity > 0);
        left
    }

    fn limit(&mut self, taker: &Taker, price: Price, time_in_force: TimeInForce, receiver: &mut impl Receiver) {
        if let Some(reason) = self.reason_to_reject(taker, time_in_force) {
            return receiver.event(Event::Rejected { id: taker.id, order: Some((taker.side, price)), reason });
        }
        let (id, side, quantity) = (taker.id, taker.side, self.trade(taker, receiver));
        if quantity == 0 {
            return;
        }
        if time_in_force == TimeInForce::Ioc {
            return receiver.event(Event::Cancelled {
                id,
                side,
                price,
                quantity,
                reason: CancelReason::ImmediateOrCancel,
            });
        }
        self.orders.push(Resting { id, side, price, quantity });
        receiver.event(Event::Rested { id, side, price, quantity });
    }

    fn market(&mut self, taker: &Taker, receiver: &mut impl Receiver) {
        if let Some(reason) = self.reason_to_reject(taker, TimeInForce::Ioc) {
            return receiver.event(Event::Rejected { id: taker.id, order: Some((taker.side, 0)), reason });
        }
        let quantity = self.trade(taker, receiver);
        if quantity > 0 {
            let (id, side, reason) = (taker.id, taker.side, CancelReason::NoLiquidity);
            receiver.event(Event::Cancelled { id, side, price: 0, quantity, reason });
        }
    }

    fn replace(&mut self, id: Id, price: Price, quantity: Quantity, receiver: &mut impl Receiver) {
        let Some(place) = self.place(id) else {
            return receiver.event(Event::Rejected { id, order: None, reason: RejectReason::UnknownId });
        };
        let order = &mut self.orders[place];
        let Resting { side, price: old_price, quantity: was, .. } = *order;
        if quantity == 0 {
            let order = Some((side, old_price));
            return receiver.event(Event::Rejected { id, order, reason: RejectReason::ZeroQuantity });
        }
        if price == old_price && quantity < was {
            order.quantity = quantity;
            return receiver.event(Event::Reduced { id, side, price, quantity });
        }
        self.orders.remove(place);
        let reason = CancelReason::Replaced;
        receiver.event(Event::Cancelled { id, side, price: old_price, quantity: was, reason });
        let taker = Taker { id, side, limit: Some(price), quantity };
        self.limit(&taker, price, TimeInForce::Gtc, receiver);
    }
}

impl Book for Model {
    fn apply<R: Receiver>(&mut self, command: Command, receiver: &mut R) {
        match command {
            Command::Limit { id, side, price, quantity, time_in_force } => {
                self.limit(&Taker { id, side, limit: Some(price), quantity }, price, time_in_force, receiver);
            }
            Command::Market { id, side, quantity } => {
                self.market(&Taker { id, side, limit: None, quantity }, receiver);
            }
            Command::Cancel { id } => match self.place(id) {
                Some(place) => {
                    let Resting { side, price, quantity, .. } = self.orders.remove(place);
                    receiver.event(Event::Cancelled { id, side, price, quantity, reason: CancelReason::Asked });
                }
                None => receiver.event(Event::Rejected { id, order: None, reason: RejectReason::UnknownId }),
            },
            Command::Replace { id, price, quantity } => self.replace(id, price, quantity, receiver),
        }
    }

    fn best(&self, side: Side) -> Option<Price> {
        self.side(side).first().map(|order| order.price)
    }

    fn quantity_at(&self, side: Side, price: Price) -> u64 {
        let there = self.orders.iter().filter(|order| order.side == side && order.price == price);
        there.map(|order| u64::from(order.quantity)).sum()
    }

    fn orders(&self) -> usize {
        self.orders.len()
    }

    fn bytes(&self) -> usize {
        self.orders.capacity() * size_of::<Resting>()
    }
}
