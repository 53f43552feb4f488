//! `hostile`: ids and prices chosen by an attacker who has read the code.
//!
//! Ids that differ only in their highest bits, or that well-known hash functions map to the same slot. Prices that make
//! a tree deep, prices at both ends of the type, and a best price that jumps back and forth to make a window follow it.
//! Fill-or-kill orders for more than the book has, level by level.

use crate::contract::{Command, Id, Price, Side, TimeInForce};
use crate::flow::street::{Flow, Street};

/// The lowest ask; bids are below `-SPREAD`, which leaves room to jump in.
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

/// The next id, from one of five families.
fn name(number: u64) -> Id {
    let index = number / 5;
    match number % 5 {
        0 => index << 44,
        1 => index << 20 | 0xFFFFF,
        // A hash that multiplies by the golden ratio and keeps the upper bits maps these to the same slot.
        2 => index.wrapping_mul(0xF1DE_83E1_9937_733D),
        // A hash that folds upper and lower bits maps these to the same slot.
        3 => index << 32 | index,
        _ => !index,
    }
}

/// A price on this side: near, at distances that are powers of two, or at the end of the type.
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
    if let Some((id, side, ..)) = street.random_order() {
        let (price, quantity) = (price(street, side), 1 + street.random.below(50));
        street.send(Command::Replace { id, price, quantity });
    }
}

/// Places a lone order in the gap, and cancels it.
fn jump(street: &mut Street, number: &mut u64) {
    *number += 1;
    let (id, side) = (name(*number), Side::BOTH[street.random.below(2) as usize]);
    let inside = i64::from(street.random.below(SPREAD as u32 / 2));
    let price = if side == Side::Bid { -1 - inside } else { 1 + inside };
    street.send(Command::Limit { id, side, price, quantity: 1, time_in_force: TimeInForce::Gtc });
    street.send(Command::Cancel { id });
}

/// An order for more than there is, at the worst price: a book that sums order by order takes long.
fn ask_for_all(street: &mut Street, number: &mut u64) {
    *number += 1;
    let (id, side) = (name(*number), Side::BOTH[street.random.below(2) as usize]);
    let price = if side == Side::Bid { Price::MAX } else { Price::MIN };
    street.send(Command::Limit { id, side, price, quantity: u32::MAX, time_in_force: TimeInForce::Fok });
}
