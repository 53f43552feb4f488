//! Commands and events as C sees them, and what waits between two calls.

use std::collections::VecDeque;
use std::mem::MaybeUninit;

use any_price::contract::{
    Book as _, CancelReason, Command, Event, Handle, Price, Receiver, RejectReason, Side, TimeInForce,
};
use any_price::ladder::Ladder;

/// A command; see the header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnyPriceCommand {
    /// The caller's number, which comes back with each event of this command.
    pub number: u64,
    /// The order.
    pub id: u64,
    /// The limit, in ticks.
    pub price: i64,
    /// How many lots.
    pub quantity: u32,
    /// The order's handle for a cancel or a replace; 0 to find it by its id.
    pub handle: u32,
    /// 1 limit, 2 market, 3 cancel, 4 replace.
    pub kind: u8,
    /// 0 bid, 1 ask.
    pub side: u8,
    /// 0 good till cancelled, 1 immediate or cancel, 2 fill or kill, 3 post only.
    pub time_in_force: u8,
}

/// An event; see the header.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnyPriceEvent {
    /// The command's number.
    pub number: u64,
    /// The order; for a fill, the resting one.
    pub id: u64,
    /// For a fill, the incoming order; otherwise 0.
    pub taker: u64,
    /// The price; 0 for a market order.
    pub price: i64,
    /// The quantity.
    pub quantity: u32,
    /// What is left of `id` in the book.
    pub left: u32,
    /// Where the order rests; otherwise 0.
    pub handle: u32,
    /// 1 filled, 2 rested, 3 reduced, 4 cancelled, 5 rejected.
    pub kind: u8,
    /// Why it was cancelled or rejected, otherwise 0.
    pub reason: u8,
    /// The side of `id`: 0 bid, 1 ask, 2 unknown.
    pub side: u8,
}

/// The reason for a command that is none.
const NO_COMMAND: u8 = 6;
/// The side of an order that does not exist.
const NO_SIDE: u8 = 2;

impl AnyPriceCommand {
    /// The command, if its numbers are valid.
    fn read(&self) -> Option<Command> {
        let Self { id, price, quantity, .. } = *self;
        let side = || Side::BOTH.get(usize::from(self.side)).copied();
        let all = [TimeInForce::Gtc, TimeInForce::Ioc, TimeInForce::Fok, TimeInForce::PostOnly];
        Some(match self.kind {
            1 => {
                let time_in_force = *all.get(usize::from(self.time_in_force))?;
                Command::Limit { id, side: side()?, price, quantity, time_in_force }
            }
            2 => Command::Market { id, side: side()?, quantity },
            3 => Command::Cancel { id },
            4 => Command::Replace { id, price, quantity },
            _ => return None,
        })
    }
}

/// Passes events on, in the form that C sees.
struct Written<F> {
    to: F,
    number: u64,
    handle: u32,
}

impl<F: FnMut(AnyPriceEvent)> Receiver for Written<F> {
    #[inline]
    fn event(&mut self, event: Event) {
        let none = AnyPriceEvent { number: self.number, ..AnyPriceEvent::default() };
        let at = |kind, id, side: Side, price: Price, quantity| AnyPriceEvent {
            kind,
            id,
            side: side as u8,
            price,
            quantity,
            left: quantity,
            ..none
        };
        (self.to)(match event {
            Event::Filled { maker, taker, side, price, quantity, left } => {
                AnyPriceEvent { taker, left, ..at(1, maker, side, price, quantity) }
            }
            Event::Rested { id, side, price, quantity } => {
                AnyPriceEvent { handle: self.handle, ..at(2, id, side, price, quantity) }
            }
            Event::Reduced { id, side, price, quantity } => at(3, id, side, price, quantity),
            Event::Cancelled { id, side, price, quantity, reason } => {
                let reason = match reason {
                    CancelReason::Asked => 1,
                    CancelReason::Replaced => 2,
                    CancelReason::ImmediateOrCancel => 3,
                    CancelReason::NoLiquidity => 4,
                };
                AnyPriceEvent { reason, left: 0, ..at(4, id, side, price, quantity) }
            }
            Event::Rejected { id, order, reason } => {
                let reason = match reason {
                    RejectReason::ZeroQuantity => 1,
                    RejectReason::DuplicateId => 2,
                    RejectReason::UnknownId => 3,
                    RejectReason::WouldCross => 4,
                    RejectReason::CannotFill => 5,
                };
                let (side, price) = order.map_or((NO_SIDE, 0), |(side, price)| (side as u8, price));
                AnyPriceEvent { kind: 5, reason, id, side, price, ..none }
            }
        });
    }

    #[inline]
    fn handle(&mut self, handle: Handle) {
        self.handle = handle.0 + 1;
    }
}

/// A book, and the events that found no room in the last array.
#[derive(Default)]
pub struct AnyPriceBook {
    /// The book.
    pub ladder: Ladder,
    waiting: VecDeque<AnyPriceEvent>,
}

impl AnyPriceBook {
    /// Applies a command, and passes its events on, after those that wait. A command whose numbers are invalid is
    /// rejected.
    #[inline]
    pub fn apply(&mut self, command: &AnyPriceCommand, mut to: impl FnMut(AnyPriceEvent)) {
        while let Some(event) = self.waiting.pop_front() {
            to(event);
        }
        apply(&mut self.ladder, command, to);
    }

    /// Applies a command whose events are not wanted. Those that wait go on waiting.
    pub fn apply_untold(&mut self, command: &AnyPriceCommand) {
        apply(&mut self.ladder, command, |_| ());
    }

    /// Applies commands until all are done or the array is full, and writes their events, after those that wait.
    /// Returns how many commands are done, and how many events are written: so many of the array are initialised.
    pub fn batch(&mut self, commands: &[AnyPriceCommand], events: &mut [MaybeUninit<AnyPriceEvent>]) -> (usize, usize) {
        let mut written = self.waiting.len().min(events.len());
        for (event, waiting) in events.iter_mut().zip(self.waiting.drain(..written)) {
            event.write(waiting);
        }
        for (done, command) in commands.iter().enumerate() {
            if written == events.len() {
                return (done, written);
            }
            apply(&mut self.ladder, command, |event| match events.get_mut(written) {
                Some(free) => {
                    free.write(event);
                    written += 1;
                }
                None => self.waiting.push_back(event),
            });
        }
        (commands.len(), written)
    }
}

#[inline]
fn apply(ladder: &mut Ladder, command: &AnyPriceCommand, mut to: impl FnMut(AnyPriceEvent)) {
    let &AnyPriceCommand { number, id, handle, .. } = command;
    let Some(read) = command.read() else {
        return to(AnyPriceEvent {
            number,
            id,
            kind: 5,
            reason: NO_COMMAND,
            side: NO_SIDE,
            ..AnyPriceEvent::default()
        });
    };
    let mut receiver = Written { to, number, handle: 0 };
    match (read, handle) {
        (Command::Cancel { .. } | Command::Replace { .. }, 1..) => {
            ladder.apply_at(read, Handle(handle - 1), &mut receiver);
        }
        _ => ladder.apply(read, &mut receiver),
    }
}
