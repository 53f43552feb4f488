//! `hostile`: names and prices chosen by somebody who has read the code.
//!
//! Names that differ only in their highest bits, or that many well-known hash functions send to the same place. Prices
//! that make a tree deep, that lie at both ends of the type, and a best price that jumps to and fro so that a window
//! would follow it. Fill-or-kill orders that ask for more than there is, level by level.

use crate::contract::{Command, Id, Price, Side, TimeInForce};
use crate::flow::street::{Flow, Street};

/// The lowest ask; bids are below `-SPREAD`, so that there is room to jump in.
const SPREAD: Price = 100_000;

/// The flow.
pub fn flow(mut street: Street, orders: usize, commands: usize) -> Flow {
    let mut number = 0_u64;
    while street.live() < orders {
        add(&mut street, &mut number);
    }
    street.end_setup();
    while street.commands() < commands {
        match street.random.below(100) {
            0..45 if street.live() < orders => add(&mut street, &mut number),
            0..45 => street.cancel(),
            45..80 => replace(&mut street),
            80..90 => jump(&mut street, &mut number),
            90..95 => ask_for_all(&mut street, &mut number),
            _ => {
                let id = name(number.wrapping_sub(u64::from(street.random.below(10_000))));
                street.send(Command::Cancel { id });
            }
        }
    }
    street.flow(commands)
}

/// The next of five families of names.
fn name(number: u64) -> Id {
    let index = number / 5;
    match number % 5 {
        0 => index << 44,
        1 => index << 20 | 0xFFFFF,
        // Where a hash multiplies by the golden ratio and keeps the upper bits, these meet.
        2 => index.wrapping_mul(0xF1DE_83E1_9937_733D),
        // Where upper and lower bits are folded, these do.
        3 => index << 32 | index,
        _ => !index,
    }
}

/// A price on this side: near, in steps of powers of two, or at the end of the type.
fn price(street: &mut Street, side: Side) -> Price {
    let distance = match street.random.below(8) {
        0 => 1_i64 << street.random.below(62),
        1 => i64::MAX - SPREAD - i64::from(street.random.below(64)),
        _ => 1 + i64::from(street.random.below(100)),
    };
    match side {
        Side::Bid => -SPREAD - distance,
        Side::Ask => SPREAD.saturating_add(distance),
    }
}

fn add(street: &mut Street, number: &mut u64) {
    *number += 1;
    let side = Side::BOTH[street.random.below(2) as usize];
    let (id, price, quantity) = (name(*number), price(street, side), 1 + street.random.below(50));
    street.send(Command::Limit { id, side, price, quantity, time_in_force: TimeInForce::Gtc });
}

fn replace(street: &mut Street) {
    if let Some((id, side, ..)) = street.anybody() {
        let (price, quantity) = (price(street, side), 1 + street.random.below(50));
        street.send(Command::Replace { id, price, quantity });
    }
}

/// A lone order in the gap, and away again.
fn jump(street: &mut Street, number: &mut u64) {
    *number += 1;
    let (id, side) = (name(*number), Side::BOTH[street.random.below(2) as usize]);
    let inside = i64::from(street.random.below(SPREAD as u32 / 2));
    let price = if side == Side::Bid { -1 - inside } else { 1 + inside };
    street.send(Command::Limit { id, side, price, quantity: 1, time_in_force: TimeInForce::Gtc });
    street.send(Command::Cancel { id });
}

/// More than there is, at the worst price: whoever adds it up order by order is busy for long.
fn ask_for_all(street: &mut Street, number: &mut u64) {
    *number += 1;
    let (id, side) = (name(*number), Side::BOTH[street.random.below(2) as usize]);
    let price = if side == Side::Bid { Price::MAX } else { Price::MIN };
    street.send(Command::Limit { id, side, price, quantity: u32::MAX, time_in_force: TimeInForce::Fok });
}
