//! Flows as a stranger makes them: half of the messages are new orders, and the price does not wait for them.
//!
//! Of a hundred messages 50 are new orders, 15 in a hundred of these immediate-or-cancel; 41 are cancels, and one
//! in twenty of these comes twice; 9 change the quantity by one lot, and four fifths of these the price by one tick.
//! New orders are placed around a middle price that walks by a geometric Brownian motion. Most are about eight ticks
//! away, and the number of those further away falls with the power 2.2 of their distance. Orders do not follow the
//! price, so they stay behind, spread over hundreds of levels, until they are cancelled or the price comes back.
//! Clients do not hear of their fills, so many cancels and changes come too late.

use crate::contract::{Command, Id, Price, Quantity, Side, TimeInForce};
use crate::flow::random::Random;
use crate::flow::street::Flow;

/// The price at the start, in ticks.
const START: u64 = 33_504;
/// A walk's size is its standard deviation over this many messages.
const DAY: u64 = 2_000_000;
/// Where most orders are, and how far an order is from the middle at most, in ticks.
const HUMP: u64 = 8;
const DEPTH: u64 = 45;
/// A flow that crashes does so every so many messages: it falls, and takes longer to come back.
const CRASH: (usize, u64, u64) = (100_000, 5_000, 20_000);

/// How the price moves.
#[derive(Clone, Copy)]
pub struct Walk {
    /// The standard deviation of a day, in percent of the price.
    pub percent: u64,
    /// By how many percent the price falls in a crash.
    pub crash: u64,
}

/// Clients who remember what they sent, and do not hear what became of it.
struct Clients {
    random: Random,
    /// Every distance from the middle, as often as it occurs.
    distances: Vec<Price>,
    /// Orders that were not cancelled: the id, the price, the quantity.
    orders: Vec<(Id, Price, Quantity)>,
    /// The last order that was cancelled.
    cancelled: Id,
    number: Id,
}

/// Messages of clients who follow a walking price. `orders` fill the book first. Plain ones never reduce an order.
pub fn flow(random: Random, walk: Walk, orders: usize, commands: usize, is_plain: bool) -> Flow {
    let mut clients = Clients { random, distances: distances(), orders: Vec::new(), cancelled: 0, number: 0 };
    let setup = (0..orders).map(|_| clients.place(START as Price, false)).collect();
    // ANCHOR: message
    // With 24 bits after the point.
    let mut price = START << 24;
    let mut message = |at: usize| {
        price = walked(price, walk.percent, clients.random.bits());
        let middle = ((price >> 24) - (price >> 24) * walk.crash * fallen(at) / 100_000) as Price;
        match clients.random.below(1_000) {
            0..425 => clients.place(middle, false),
            425..500 => clients.place(middle, true),
            500..910 => clients.cancel(),
            _ => clients.amend(is_plain),
        }
    };
    // ANCHOR_END: message
    Flow { setup, commands: (0..commands).map(&mut message).collect() }
}

/// How much of a crash the price has fallen at a message, in thousandths.
fn fallen(message: usize) -> u64 {
    let (every, fall, rise) = CRASH;
    let at = (message % every) as u64;
    if at < fall { at * 1_000 / fall } else { (fall + rise).saturating_sub(at) * 1_000 / rise }
}

/// The price after a step of the walk. The sum of four uniform numbers of 16 bits is nearly normal; its mean is 131,070
/// and its deviation 37,837.
fn walked(price: u64, percent: u64, bits: u64) -> u64 {
    let sum: u64 = (0..4).map(|part| bits >> (16 * part) & 0xFFFF).sum();
    let deviation = (percent << 48) / 100 / DAY.isqrt() / 37_837;
    let change = (i128::from(price) * i128::from(sum as i64 - 131_070) * i128::from(deviation)) >> 48;
    // It stays above the depth, so that no order's price is negative.
    price.saturating_add_signed(change as i64).max((2 * DEPTH) << 24)
}

/// Every distance, as often as it occurs.
fn distances() -> Vec<Price> {
    let away = |distance: u64| u128::from(HUMP + distance.abs_diff(HUMP));
    // The power 2.2 is the fifth root of the eleventh power. In integers, so that it is the same on every machine.
    let weight = |distance: u64| fifth_root(10_u128.pow(15) * u128::from(HUMP).pow(11) / away(distance).pow(11));
    (1..=DEPTH).flat_map(|distance| (0..weight(distance)).map(move |_| distance as Price)).collect()
}

fn fifth_root(of: u128) -> u128 {
    (0..20).rev().fold(0, |root: u128, bit| if (root | 1 << bit).pow(5) <= of { root | 1 << bit } else { root })
}

impl Clients {
    fn new_id(&mut self) -> Id {
        self.number += 1;
        self.number
    }

    fn order(&mut self) -> Option<usize> {
        (!self.orders.is_empty()).then(|| self.random.below(self.orders.len() as u32) as usize)
    }

    /// A new order near the middle; an immediate one is on the other side of it.
    fn place(&mut self, middle: Price, is_immediate: bool) -> Command {
        let (id, side) = (self.new_id(), Side::BOTH[self.random.below(2) as usize]);
        let quantity = 1 + self.random.below(100);
        let distance = self.distances[self.random.below(self.distances.len() as u32) as usize];
        let away = if is_immediate { -distance } else { distance };
        let price = if side == Side::Bid { middle - away } else { middle + away };
        let time_in_force = if is_immediate { TimeInForce::Ioc } else { TimeInForce::Gtc };
        if !is_immediate {
            self.orders.push((id, price, quantity));
        }
        Command::Limit { id, side, price, quantity, time_in_force }
    }

    /// Cancels an order, or the last one again.
    fn cancel(&mut self) -> Command {
        if self.random.below(20) > 0
            && let Some(at) = self.order()
        {
            self.cancelled = self.orders.swap_remove(at).0;
        }
        Command::Cancel { id: self.cancelled }
    }

    /// Changes an order's quantity by one lot, and its price by one tick in four of five cases.
    fn amend(&mut self, is_plain: bool) -> Command {
        let (is_moved, up, more) = (self.random.below(5) > 0, self.random.chance(1, 2), self.random.chance(1, 2));
        let Some(at) = self.order() else { return self.cancel() };
        let (id, price, quantity) = &mut self.orders[at];
        if is_moved {
            *price += if up { 1 } else { -1 };
        }
        *quantity = if more || *quantity == 1 || (is_plain && !is_moved) { *quantity + 1 } else { *quantity - 1 };
        Command::Replace { id: *id, price: *price, quantity: *quantity }
    }
}

/// Limit orders alone, at prices over a million and a half ticks, as in a file of orders. Half of them rest.
pub fn scattered(mut random: Random, commands: usize) -> Flow {
    let mut order = |id: usize| {
        let side = Side::BOTH[random.below(2) as usize];
        let lowest = if side == Side::Bid { 0 } else { 500_000 };
        let (price, quantity) = (i64::from(lowest + random.below(1_000_000)), 1 + random.below(100));
        Command::Limit { id: id as Id, side, price, quantity, time_in_force: TimeInForce::Gtc }
    };
    Flow { setup: Vec::new(), commands: (0..commands).map(&mut order).collect() }
}
