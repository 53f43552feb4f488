//! The commands and events of a book for any price. Every engine of this chapter implements it.
//!
//! Prices are ticks, any signed 64-bit number; ids are chosen by clients, any 64-bit number; quantities are lots. A
//! book has no accounts and no clock. It passes its events one by one to a receiver, so that no engine needs a list for
//! them. [`crate::model::Model`] defines the expected behaviour, and reads like a list of rules.

/// A price in ticks. Both ends of the type are prices like any other.
pub type Price = i64;

/// An order's id, chosen by its client. It is in use while the order rests, and can be reused afterwards.
pub type Id = u64;

/// A number of lots. With at most 2^32 resting orders, 64 bits hold the sum of any of them.
pub type Quantity = u32;

/// Where an order rests in a book that has handles. It finds the order without a search for its id, and is valid until
/// the order is filled, cancelled or moved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Handle(pub u32);

/// Buy or sell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// Buys, and pays at most its price.
    Bid,
    /// Sells, and wants at least its price.
    Ask,
}

impl Side {
    /// Both.
    pub const BOTH: [Side; 2] = [Side::Bid, Side::Ask];

    /// The side that it trades with.
    pub fn opposite(self) -> Side {
        match self {
            Side::Bid => Side::Ask,
            Side::Ask => Side::Bid,
        }
    }
}

/// What happens to the part of an order that does not trade at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TimeInForce {
    /// It rests (good till cancelled).
    Gtc,
    /// It is cancelled (immediate or cancel).
    Ioc,
    /// Nothing may be left: the order is filled completely or rejected (fill or kill).
    Fok,
    /// All of it rests, or the order is rejected: it never takes (post only).
    PostOnly,
}

// ANCHOR: command
/// A client's command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// An order with a limit price.
    Limit {
        /// Its id.
        id: Id,
        /// Whether it buys.
        side: Side,
        /// The worst price that it takes.
        price: Price,
        /// How much it wants.
        quantity: Quantity,
        /// What becomes of the rest.
        time_in_force: TimeInForce,
    },
    /// An order without a limit price. What it can't trade is cancelled.
    Market {
        /// Its id.
        id: Id,
        /// Whether it buys.
        side: Side,
        /// How much it wants.
        quantity: Quantity,
    },
    /// Removes an order from the book.
    Cancel {
        /// The order.
        id: Id,
    },
    /// Changes a resting order's price or quantity. A smaller quantity at the same price keeps its place in the
    /// queue. Anything else is a cancel and a new [`TimeInForce::Gtc`] order with the same id and side.
    Replace {
        /// The order.
        id: Id,
        /// Its new price.
        price: Price,
        /// Its new quantity.
        quantity: Quantity,
    },
}
// ANCHOR_END: command

// ANCHOR: event
/// A book's answer. It names the side and the price of the order, so that a caller needs no table of orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// Two orders traded, at the resting one's price.
    Filled {
        /// The resting order.
        maker: Id,
        /// The incoming order.
        taker: Id,
        /// The resting order's side.
        side: Side,
        /// The price.
        price: Price,
        /// The quantity.
        quantity: Quantity,
        /// What is left of the resting order. With 0 it is gone.
        left: Quantity,
    },
    /// An order rests.
    Rested {
        /// The order.
        id: Id,
        /// Its side.
        side: Side,
        /// Its price.
        price: Price,
        /// What is left of it.
        quantity: Quantity,
    },
    /// A resting order was reduced and keeps its place.
    Reduced {
        /// The order.
        id: Id,
        /// Its side.
        side: Side,
        /// Its price.
        price: Price,
        /// What is left of it.
        quantity: Quantity,
    },
    /// An order, or the rest of it, is removed.
    Cancelled {
        /// The order.
        id: Id,
        /// Its side.
        side: Side,
        /// Its price; 0 for a market order.
        price: Price,
        /// What was left of it.
        quantity: Quantity,
        /// The reason.
        reason: CancelReason,
    },
    /// The book did not change.
    Rejected {
        /// The id in the command.
        id: Id,
        /// The side and the price of a new order (0 for a market order), or those of the resting order that the
        /// command names. None if no such order rests.
        order: Option<(Side, Price)>,
        /// Why.
        reason: RejectReason,
    },
}
// ANCHOR_END: event

/// Why an order was removed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CancelReason {
    /// Its client cancelled it.
    Asked,
    /// Its client replaced it; the following events are about the new order.
    Replaced,
    /// It may not rest.
    ImmediateOrCancel,
    /// It is a market order, and the other side is empty.
    NoLiquidity,
}

/// Why a command changed nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RejectReason {
    /// Its quantity is 0.
    ZeroQuantity,
    /// An order with this id already rests.
    DuplicateId,
    /// No order with this id rests.
    UnknownId,
    /// A [`TimeInForce::PostOnly`] order would trade.
    WouldCross,
    /// A [`TimeInForce::Fok`] order can't be filled completely.
    CannotFill,
}

// ANCHOR: book
/// Receives a book's events, in order.
pub trait Receiver {
    /// The next event.
    fn event(&mut self, event: Event);

    /// Where the order of the next event rests, if the book has handles.
    fn handle(&mut self, _: Handle) {}
}

/// A book for any price.
pub trait Book: Default {
    /// Executes a command, and passes the resulting events to `receiver`.
    fn apply<R: Receiver>(&mut self, command: Command, receiver: &mut R);

    /// The best price of a side: the highest bid, the lowest ask.
    fn best(&self, side: Side) -> Option<Price>;

    /// The quantity that rests at a price.
    fn quantity_at(&self, side: Side, price: Price) -> u64;

    /// How many orders rest.
    fn orders(&self) -> usize;

    /// How many bytes of memory it holds.
    fn bytes(&self) -> usize;
}
// ANCHOR_END: book

/// Keeps all events.
impl Receiver for Vec<Event> {
    fn event(&mut self, event: Event) {
        self.push(event);
    }
}

/// Ignores all events.
impl Receiver for () {
    fn event(&mut self, _: Event) {}
}

impl Command {
    /// The id of the order that it is about.
    pub fn id(&self) -> Id {
        match *self {
            Command::Limit { id, .. } | Command::Market { id, .. } => id,
            Command::Cancel { id } | Command::Replace { id, .. } => id,
        }
    }
}
