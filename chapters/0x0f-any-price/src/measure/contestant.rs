//! An engine in the measurement, independent of its type.

use std::hint::black_box;
use std::time::Instant;

use crate::contract::{Book, Command, Event, Receiver, Side};
use crate::flow::Flow;
use crate::measure::timed::{Clock, Timed};

/// One pass without a clock inside.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Nanoseconds per measured command.
    pub ns: f64,
    /// A digest of all events, in order.
    pub digest: u64,
    /// The digest of the trades among them.
    pub trades: u64,
    /// How many bytes the book held at the end.
    pub bytes: usize,
    /// How many orders rested at the end.
    pub orders: usize,
}

/// An engine that can be run over a flow.
pub trait Contestant {
    /// Its name in the record; it does not change.
    fn name(&self) -> &'static str;

    /// Whether all its events are compared; otherwise only its trades are.
    fn answers_all(&self) -> bool;

    /// Why it does not support this flow, if it doesn't.
    fn unable(&self, flow: &str) -> Option<&'static str>;

    /// Runs it once, in a new book.
    fn pass(&self, flow: &Flow) -> Pass;

    /// Runs it once, in a new book, with the clock read around each command, including the setup.
    fn timed(&self, flow: &Flow, clock: &Clock, timed: &mut Timed);
}

/// An engine of this chapter, or another library's book behind its trait.
pub struct Engine<B> {
    name: &'static str,
    answers_all: bool,
    unable: fn(&str) -> Option<&'static str>,
    new: fn() -> B,
}

impl<B: Book> Engine<B> {
    /// An engine that supports everything.
    pub fn new(name: &'static str) -> Engine<B> {
        Engine { name, answers_all: true, unable: |_| None, new: B::default }
    }

    /// An engine that supports everything, but is too slow for some flows.
    pub fn unable(name: &'static str, unable: fn(&str) -> Option<&'static str>) -> Engine<B> {
        Engine { unable, ..Engine::new(name) }
    }

    /// Another library's book, which reports only its trades, and does not support some flows.
    pub fn trades_only(name: &'static str, unable: fn(&str) -> Option<&'static str>) -> Engine<B> {
        Engine { name, answers_all: false, unable, new: B::default }
    }
}

impl<B: Book> Contestant for Engine<B> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn answers_all(&self) -> bool {
        self.answers_all
    }

    fn unable(&self, flow: &str) -> Option<&'static str> {
        (self.unable)(flow)
    }

    fn pass(&self, flow: &Flow) -> Pass {
        let (mut book, mut digest) = ((self.new)(), Digest::default());
        apply_all(&mut book, &flow.setup, &mut digest);
        let start = Instant::now();
        apply_all(&mut book, &flow.commands, &mut digest);
        let ns = start.elapsed().as_nanos() as f64 / flow.commands.len().max(1) as f64;
        let Digest { all: digest, trades } = black_box(digest);
        Pass { ns, digest, trades, bytes: book.bytes(), orders: book.orders() }
    }

    fn timed(&self, flow: &Flow, clock: &Clock, timed: &mut Timed) {
        let mut book = (self.new)();
        timed.begin();
        for &command in flow.setup.iter().chain(&flow.commands) {
            timed.message(clock, command, |heard| book.apply(command, heard));
        }
    }
}

// ANCHOR: apply_all
/// Never inlined: the counting starts and ends here.
#[inline(never)]
pub fn apply_all<B: Book, R: Receiver>(book: &mut B, commands: &[Command], receiver: &mut R) {
    for &command in commands {
        book.apply(command, receiver);
    }
}
// ANCHOR_END: apply_all

/// A digest of all events in order, and one of the trades.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Digest {
    all: u64,
    trades: u64,
}

impl Receiver for Digest {
    #[inline]
    fn event(&mut self, event: Event) {
        let (kind, a, b, c) = match event {
            Event::Filled { maker, taker, side, price, quantity, left } => {
                self.trades = mixed(self.trades, maker ^ taker.rotate_left(32), price as u64, quantity, 1);
                // Other libraries do not report what is left, so only the digest of all events contains it.
                (10 + side as u64, 0, 0, left)
            }
            Event::Rested { id, side, price, quantity } => (2 + side as u64, id, price as u64, quantity),
            Event::Reduced { id, side, price, quantity } => (4 + side as u64, id, price as u64, quantity),
            Event::Cancelled { id, side, price, quantity, reason } => {
                (6 + side as u64, id, price as u64 ^ (reason as u64) << 56, quantity)
            }
            Event::Rejected { id, order, reason } => {
                let (side, price) = order.unwrap_or((Side::Bid, 0));
                (8 + side as u64, id, price as u64 ^ (reason as u64) << 56, 0)
            }
        };
        // The order relative to trades matters.
        self.all = mixed(self.all ^ self.trades, a, b, c, kind);
    }
}

/// Hashes these values and the previous hash.
fn mixed(before: u64, a: u64, b: u64, c: u32, kind: u64) -> u64 {
    let new = a ^ b.rotate_left(24) ^ u64::from(c).rotate_left(40) ^ kind << 60;
    (before.rotate_left(5) ^ new).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fill_counts_with_its_side_and_with_what_is_left() {
        let fill = |side, left| {
            let mut digest = Digest::default();
            digest.event(Event::Filled { maker: 1, taker: 2, side, price: 7, quantity: 5, left });
            digest
        };
        let digests = [fill(Side::Bid, 3), fill(Side::Ask, 3), fill(Side::Bid, 0)];
        assert!(digests[0].all != digests[1].all && digests[0].all != digests[2].all, "{digests:?}");
        assert!(digests.iter().all(|digest| digest.trades == digests[0].trades), "{digests:?}");
    }
}
