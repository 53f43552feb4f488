//! `lobster` behind the chapter's trait. It has limit and market orders and cancels; resting orders are looked up by
//! id, and a replace is a cancel and a new order. It reports neither prices nor quantities of cancelled
//! orders, and not what is left of a filled one.

use std::collections::HashMap;

use any_price::contract::{
    Book, CancelReason, Command, Event, Id, Price, Quantity, Receiver, RejectReason, Side, TimeInForce,
};
use lobster::{FillMetadata, OrderBook, OrderEvent, OrderType};

/// The book, and the side of each order, which a replace does not contain.
#[derive(Default)]
pub struct Lobster {
    book: OrderBook,
    sides: HashMap<Id, Side>,
}

fn unsigned(price: Price) -> u64 {
    price as u64 ^ 1 << 63
}

fn signed(price: u64) -> Price {
    (price ^ 1 << 63) as Price
}

fn side_of(side: Side) -> lobster::Side {
    match side {
        Side::Bid => lobster::Side::Bid,
        Side::Ask => lobster::Side::Ask,
    }
}

impl Lobster {
    fn fills(&mut self, taker: Id, taker_side: Side, fills: &[FillMetadata], receiver: &mut impl Receiver) {
        for fill in fills {
            let maker = fill.order_2 as Id;
            if fill.total_fill {
                self.sides.remove(&maker);
            }
            let (side, price, quantity) = (taker_side.opposite(), signed(fill.price), fill.qty as Quantity);
            receiver.event(Event::Filled { maker, taker, side, price, quantity, left: 0 });
        }
    }

    fn limit(&mut self, id: Id, side: Side, price: Price, quantity: Quantity, ends: bool, receiver: &mut impl Receiver) {
        let (name, qty) = (u128::from(id), u64::from(quantity));
        let order = OrderType::Limit { id: name, side: side_of(side), qty, price: unsigned(price) };
        let left = match self.book.execute(order) {
            OrderEvent::Filled { fills, .. } => {
                self.fills(id, side, &fills, receiver);
                0
            }
            OrderEvent::PartiallyFilled { fills, filled_qty, .. } => {
                self.fills(id, side, &fills, receiver);
                quantity - filled_qty as Quantity
            }
            _ => quantity,
        };
        if left > 0 && ends {
            self.book.execute(OrderType::Cancel { id: name });
            let reason = CancelReason::ImmediateOrCancel;
            receiver.event(Event::Cancelled { id, side, price, quantity: left, reason });
        } else if left > 0 {
            self.sides.insert(id, side);
            receiver.event(Event::Rested { id, side, price, quantity: left });
        }
    }

    fn would_cross(&self, side: Side, price: Price) -> bool {
        match side {
            Side::Bid => self.book.min_ask().is_some_and(|ask| unsigned(price) >= ask),
            Side::Ask => self.book.max_bid().is_some_and(|bid| unsigned(price) <= bid),
        }
    }
}

impl Book for Lobster {
    fn apply<R: Receiver>(&mut self, command: Command, receiver: &mut R) {
        match command {
            Command::Limit { id, side, price, quantity, time_in_force } => match time_in_force {
                TimeInForce::PostOnly if self.would_cross(side, price) => {
                    receiver.event(Event::Rejected { id, order: Some((side, price)), reason: RejectReason::WouldCross });
                }
                _ => self.limit(id, side, price, quantity, time_in_force == TimeInForce::Ioc, receiver),
            },
            Command::Market { id, side, quantity } => {
                let order = OrderType::Market { id: id.into(), side: side_of(side), qty: quantity.into() };
                if let OrderEvent::Filled { fills, .. } | OrderEvent::PartiallyFilled { fills, .. } =
                    self.book.execute(order)
                {
                    self.fills(id, side, &fills, receiver);
                }
            }
            Command::Cancel { id } => match self.sides.remove(&id) {
                Some(side) => {
                    self.book.execute(OrderType::Cancel { id: id.into() });
                    receiver.event(Event::Cancelled { id, side, price: 0, quantity: 0, reason: CancelReason::Asked });
                }
                None => receiver.event(Event::Rejected { id, order: None, reason: RejectReason::UnknownId }),
            },
            Command::Replace { id, price, quantity } => match self.sides.remove(&id) {
                Some(side) => {
                    self.book.execute(OrderType::Cancel { id: id.into() });
                    self.limit(id, side, price, quantity, false, receiver);
                }
                None => receiver.event(Event::Rejected { id, order: None, reason: RejectReason::UnknownId }),
            },
        }
    }

    fn best(&self, side: Side) -> Option<Price> {
        match side {
            Side::Bid => self.book.max_bid().map(signed),
            Side::Ask => self.book.min_ask().map(signed),
        }
    }

    fn quantity_at(&self, _: Side, _: Price) -> u64 {
        0
    }

    fn orders(&self) -> usize {
        self.sides.len()
    }

    fn bytes(&self) -> usize {
        0
    }
}
