//! Mistakes that clients make. An engine must reject each with the right reason, and change
//! nothing.
//!
//! Each kind aims at one [`Reason`](crate::Reason). Two of them depend on what the book happens to
//! hold, so they may turn out not to be mistakes.

use super::orders;
use super::random::Random;
use super::slot::{Slot, Trader};
use crate::{AccountId, Cents, Command, Intent, MarketId, OrderId, Outcome, Side, TimeInForce};

/// Markets from this id on are never opened.
const NEVER_OPENED: u32 = 1 << 30;

/// Invalid prices.
const BAD_PRICES: [u8; 5] = [0, 100, 101, 150, 255];

/// Makes one of the mistakes. `closed` is a market that was resolved.
pub(super) fn make(slot: &mut Slot, closed: MarketId, random: &mut Random) -> Command {
    match random.below(12) {
        0 => elsewhere(slot, MarketId(NEVER_OPENED + random.below(1_000)), random),
        1 => elsewhere(slot, closed, random),
        2 => Command::Open { market: slot.market },
        3 => bad_price(slot, random),
        4 => order(slot, random, Intent::BuyYes, 50, 0, TimeInForce::Gtc),
        5 => bad_amount(slot, random),
        6 => too_poor(slot, random),
        7 => {
            let intent = random.pick(&[Intent::SellYes, Intent::SellNo]);
            order(slot, random, intent, 50, u32::MAX, TimeInForce::Gtc)
        }
        8 => unknown_order(slot, random),
        9 => not_the_owner(slot, random),
        // It would trade at once wherever the book has anything to trade with.
        10 => order(slot, random, Intent::BuyYes, 99, 1, TimeInForce::PostOnly),
        // No one sells YES for a cent.
        _ => order(slot, random, Intent::BuyYes, 1, 10, TimeInForce::Fok),
    }
}

fn order(
    slot: &mut Slot,
    random: &mut Random,
    intent: Intent,
    yes_cents: u32,
    quantity: u32,
    time_in_force: TimeInForce,
) -> Command {
    let trader = Trader { account: slot.member(random), intent };
    Command::Place(slot.place(random, trader, yes_cents, quantity, time_in_force))
}

/// Any command, in a market where nothing is possible.
fn elsewhere(slot: &Slot, market: MarketId, random: &mut Random) -> Command {
    let account = slot.member(random);
    match random.below(4) {
        0 => Command::Deposit { market, account, amount: Cents(1_000), request: 0 },
        1 => Command::Cancel { market, account, order: OrderId(1), request: 0 },
        2 => Command::Resolve { market, outcome: Outcome::No },
        _ => {
            let intent = random.pick(&[Intent::BuyYes, Intent::SellYes, Intent::BuyNo, Intent::SellNo]);
            Command::Place(orders::place(market, account, intent, 50, 10, TimeInForce::Gtc))
        }
    }
}

fn bad_price(slot: &mut Slot, random: &mut Random) -> Command {
    let side = random.pick(&[Side::Bid, Side::Ask]);
    let trader = slot.trader(random, side);
    let mut place = slot.place(random, trader, 50, 10, TimeInForce::Gtc);
    place.price = random.pick(&BAD_PRICES);
    Command::Place(place)
}

/// Nothing, or more than a market can hold.
fn bad_amount(slot: &Slot, random: &mut Random) -> Command {
    let (market, account) = (slot.market, slot.member(random));
    match random.below(4) {
        0 => Command::Withdraw { market, account, amount: Cents::ZERO, request: 0 },
        1 => Command::Deposit { market, account, amount: Cents::ZERO, request: 0 },
        2 => Command::Deposit { market, account, amount: Cents::MARKET_MAX, request: 0 },
        _ => Command::Deposit { market, account, amount: Cents(u64::MAX), request: 0 },
    }
}

/// More than any account has, or anything from an account that does not exist here.
fn too_poor(slot: &mut Slot, random: &mut Random) -> Command {
    let market = slot.market;
    match random.below(4) {
        0 => Command::Withdraw { market, account: slot.member(random), amount: Cents(u64::MAX), request: 0 },
        1 => Command::Withdraw { market, account: AccountId(u32::MAX), amount: Cents(1), request: 0 },
        2 => order(slot, random, Intent::BuyYes, 99, u32::MAX, TimeInForce::Ioc),
        _ => order(slot, random, Intent::BuyNo, 1, u32::MAX, TimeInForce::Gtc),
    }
}

/// An order that does not exist yet, or never will.
fn unknown_order(slot: &Slot, random: &mut Random) -> Command {
    let unknown = random.pick(&[0, slot.orders_placed + 1, slot.orders_placed + 1_000, u64::MAX]);
    Command::Cancel { market: slot.market, account: slot.member(random), order: OrderId(unknown), request: 0 }
}

/// Another account's order, or an unknown one where no order is open.
fn not_the_owner(slot: &Slot, random: &mut Random) -> Command {
    let order = slot.quote(random).map_or(OrderId(0), |quote| quote.order);
    // Accounts start at 1, so this one owns nothing.
    Command::Cancel { market: slot.market, account: AccountId(0), order, request: 0 }
}
