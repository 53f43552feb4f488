//! What a book for any price is asked, and what it answers. Every engine of this chapter stands behind it.
//!
//! Prices are ticks, any signed 64-bit number; ids are chosen by clients, any 64-bit number; quantities are lots.
//! A book has no accounts and no clock. It answers with events, handed one by one to whoever receives them, so that
//! no engine needs a list for its answers. What must hold is said by [`crate::model::Model`], which reads as the rules.

/// A price in ticks. Both ends of the type are prices like any other.
pub type Price = i64;

/// An order's name, chosen by its client. It is taken while the order rests, and free again afterwards.
pub type Id = u64;

/// So many lots. With at most 2^32 orders at rest, 64 bits hold the sum of any of them.
pub type Quantity = u32;

/// Who buys and who sells.
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

/// What is left of an order once it has met whom it can.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TimeInForce {
    /// It rests (good till cancelled).
    Gtc,
    /// It is cancelled (immediate or cancel).
    Ioc,
    /// Nothing may be left: it trades whole or not at all (fill or kill).
    Fok,
    /// All of it rests, or it is refused: it never takes (post only).
    PostOnly,
}

// ANCHOR: command
/// What a client asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// An order with a limit.
    Limit {
        /// Its name.
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
    /// An order without a limit. What finds nobody is cancelled.
    Market {
        /// Its name.
        id: Id,
        /// Whether it buys.
        side: Side,
        /// How much it wants.
        quantity: Quantity,
    },
    /// Takes an order out of the book.
    Cancel {
        /// Which.
        id: Id,
    },
    /// Gives a resting order another price or quantity. A smaller quantity at its price keeps its place in the
    /// queue. All else is a cancel and a new [`TimeInForce::Gtc`] order of the same name and side.
    Replace {
        /// Which.
        id: Id,
        /// Its price from now on.
        price: Price,
        /// How much it wants from now on.
        quantity: Quantity,
    },
}
// ANCHOR_END: command

// ANCHOR: event
/// What a book answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// Two orders met, at the resting one's price.
    Filled {
        /// The resting order.
        maker: Id,
        /// The one that came.
        taker: Id,
        /// At this price.
        price: Price,
        /// So much.
        quantity: Quantity,
    },
    /// An order rests.
    Rested {
        /// Which.
        id: Id,
        /// Where.
        price: Price,
        /// What is left of it.
        quantity: Quantity,
    },
    /// A resting order wants less and keeps its place.
    Reduced {
        /// Which.
        id: Id,
        /// What is left of it.
        quantity: Quantity,
    },
    /// An order, or the rest of it, is gone.
    Cancelled {
        /// Which.
        id: Id,
        /// What was left of it.
        quantity: Quantity,
        /// Why.
        reason: CancelReason,
    },
    /// The book has not changed.
    Rejected {
        /// The order's name as it was given.
        id: Id,
        /// Why.
        reason: RejectReason,
    },
}
// ANCHOR_END: event

/// Why an order went.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CancelReason {
    /// Its client asked.
    Asked,
    /// Its client asked for another price or quantity; what comes next is about the new order.
    Replaced,
    /// It may not rest.
    ImmediateOrCancel,
    /// It is a market order, and nobody is left.
    NoLiquidity,
}

/// Why a command changed nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RejectReason {
    /// It wants nothing.
    ZeroQuantity,
    /// An order of this name rests.
    DuplicateId,
    /// No order of this name rests.
    UnknownId,
    /// A [`TimeInForce::PostOnly`] order would take.
    WouldCross,
    /// A [`TimeInForce::Fok`] order can't trade whole.
    CannotFill,
}

// ANCHOR: book
/// Takes a book's answers, in their order.
pub trait Receiver {
    /// The next one.
    fn event(&mut self, event: Event);
}

/// A book for any price.
pub trait Book: Default {
    /// Does what a command asks, and tells `receiver` what came of it.
    fn apply<R: Receiver>(&mut self, command: Command, receiver: &mut R);

    /// The best price of a side: the highest bid, the lowest ask.
    fn best(&self, side: Side) -> Option<Price>;

    /// How much rests at a price.
    fn quantity_at(&self, side: Side, price: Price) -> u64;

    /// How many orders rest.
    fn orders(&self) -> usize;

    /// How many bytes of memory it holds.
    fn bytes(&self) -> usize;
}
// ANCHOR_END: book

/// Keeps all answers.
impl Receiver for Vec<Event> {
    fn event(&mut self, event: Event) {
        self.push(event);
    }
}

/// Hears nothing.
impl Receiver for () {
    fn event(&mut self, _: Event) {}
}

impl Command {
    /// The name of the order that it is about.
    pub fn id(&self) -> Id {
        match *self {
            Command::Limit { id, .. } | Command::Market { id, .. } => id,
            Command::Cancel { id } | Command::Replace { id, .. } => id,
        }
    }
}
