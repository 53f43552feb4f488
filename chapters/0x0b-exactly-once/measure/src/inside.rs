//! What one thing costs in memory: a look-up, a lane, an outcome, a notice in the ring.

use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use exactly_once::lane::{Kind, Lane, Numbered};
use exactly_once::lanes::Lanes;
use exactly_once::memory::Memory;
use exactly_once::notices::place::{Notice, Place};
use exactly_once::notices::ring::{Ring, Seat, Taken};
use exactly_once::outcome::{OUTCOMES_MAX, reply};
use exactly_once::table::{Found, Table, Waiter};
use exactly_once::window::NUMBERS;
use gateway::reply::Answer;
use load::figures::spread;
use market::log::ShardOf;
use market::{
    AccountId, Cents, Command, Event, Intent, MarketId, OrderId, Place as Order, Price, Quantity, Sequence, Stamp,
    Ticket, TimeInForce, UnixMs,
};

use crate::record::Inside;

/// Lanes whose windows are looked at in turn: more than the caches hold.
const LANES: u32 = 100_000;

/// Lanes that are counted in bytes.
const COUNTED: u32 = 1_000_000;

pub fn measure(rounds: u32, quick: bool) -> Inside {
    let orders = if quick { 100_000 } else { 1_000_000 };
    let (lane_bytes, outcome_bytes) = (lane_bytes(), outcome_bytes(orders));
    let mut all: [Vec<f64>; 5] = Default::default();
    for _ in 0..rounds {
        all[0].push(look_ns());
        let (new, again) = through_the_table(orders);
        all[1].push(new);
        all[2].push(again);
        let (added, taken) = ring(orders);
        all[3].push(added);
        all[4].push(taken);
    }
    let [look, new, again, added, taken] = all.map(|figures| spread(&figures));
    let (look_ns, new_ns, repeat_ns, added_per_s, taken_per_s) = (look, new, again, added, taken);
    Inside { look_ns, new_ns, repeat_ns, lane_bytes, outcome_bytes, added_per_s, taken_per_s }
}

fn lane(number: u32) -> Lane {
    Lane { account: AccountId(number), kind: Kind::Orders, lane: 0 }
}

fn look_ns() -> f64 {
    let mut lanes = Lanes::default();
    for number in 0..LANES {
        lanes.entry(lane(number)).window.mark(1);
    }
    // A step that visits each lane once, and never two neighbours in a row.
    let (began, step) = (Instant::now(), 61_803);
    let mut at = 0;
    for _ in 0..LANES {
        at = (at + step) % LANES;
        black_box(lanes.get(lane(at)).map(|row| row.window.look(2)));
    }
    began.elapsed().as_nanos() as f64 / f64::from(LANES)
}

fn order(number: u64) -> Command {
    Command::Place(Order {
        intent: Intent::BuyYes,
        time_in_force: TimeInForce::Gtc,
        price: 50,
        market: MarketId(1),
        account: AccountId(1_000 + (number % 64) as u32),
        quantity: 1,
        client_order_id: number / 64 + 1,
    })
}

fn accepted(number: u64) -> Event {
    Event::Accepted {
        market: MarketId(1),
        account: AccountId(1_000 + (number % 64) as u32),
        order: OrderId(number + 1),
        intent: Intent::BuyYes,
        price: Price::MIN,
        quantity: Quantity(1),
    }
}

fn stamp(number: u64) -> Stamp {
    Stamp { sequence: Sequence(number + 1), time: UnixMs(1) }
}

/// Nanoseconds for a new number and for a repeat, without the lock and the answer's own memory.
fn through_the_table(orders: u64) -> (f64, f64) {
    let mut table = Table::new(vec![Memory::new(ShardOf::ONLY, OUTCOMES_MAX)], OUTCOMES_MAX);
    let unread = Arc::new(Mutex::new(Answer::new(0, |_| {})));
    let waiter = || Waiter { answer: Arc::clone(&unread), place: 0 };
    let replies: Vec<_> = (0..orders.min(1_000))
        .map(|number| {
            Ok(reply(Ticket { shard: 0, sequence: stamp(number).sequence }, stamp(number), &[accepted(number)]))
        })
        .collect();
    let began = Instant::now();
    for number in 0..orders {
        let command = order(number);
        let Some(numbered) = Numbered::of(&command) else { continue };
        if matches!(table.enter(numbered, &command, waiter), Found::New) {
            black_box(table.settle(numbered, &command, &replies[number as usize % replies.len()]));
        }
    }
    let new = began.elapsed().as_nanos() as f64 / orders as f64;
    // The last of each lane that its window holds, the newest first.
    let again = 64 * NUMBERS;
    let began = Instant::now();
    for number in (orders - again..orders).rev() {
        let command = order(number);
        let Some(numbered) = Numbered::of(&command) else { continue };
        black_box(matches!(table.enter(numbered, &command, waiter), Found::Given(Ok(_))));
    }
    (new, began.elapsed().as_nanos() as f64 / again as f64)
}

/// Notices a second into the ring, and out of it to one reader whose account all of them concern.
fn ring(notices: u64) -> (f64, f64) {
    let account = AccountId(1_000);
    let mut ring = Ring::new(notices as usize, vec![Place::default()]);
    let event = Event::Paid { market: MarketId(1), account, amount: Cents(1) };
    let began = Instant::now();
    for number in 0..notices {
        let place = Place { sequence: Sequence(number + 1), index: 0 };
        ring.add(Notice { shard: 0, place, time: UnixMs(1), whom: Some(account), event });
        ring.seen(0, place.sequence);
    }
    let added = notices as f64 / began.elapsed().as_secs_f64();
    let (mut seat, mut at, mut taken) = (Seat::default(), vec![Place::default()], 0u64);
    let began = Instant::now();
    while ring.take(account, &mut seat, &mut at, 1_024, |notice| taken += u64::from(black_box(notice).place.index == 0))
        == Taken::Some
    {}
    (added, taken as f64 / began.elapsed().as_secs_f64())
}

/// The memory that this process holds, in bytes; none if the system does not report it.
fn resident() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|pages| pages.split(' ').nth(1)?.parse::<f64>().ok());
    pages.map_or(0.0, |pages| pages * 4_096.0)
}

fn lane_bytes() -> f64 {
    let before = resident();
    let mut lanes = Lanes::default();
    for number in 0..COUNTED {
        lanes.entry(lane(number)).window.mark(1);
    }
    let bytes = (resident() - before) / f64::from(COUNTED);
    drop(black_box(lanes));
    bytes
}

fn outcome_bytes(orders: u64) -> f64 {
    let before = resident();
    let mut table = Table::new(vec![Memory::new(ShardOf::ONLY, OUTCOMES_MAX)], OUTCOMES_MAX);
    let unread = Arc::new(Mutex::new(Answer::new(0, |_| {})));
    for number in 0..orders {
        let command = order(number);
        let Some(numbered) = Numbered::of(&command) else { continue };
        table.enter(numbered, &command, || Waiter { answer: Arc::clone(&unread), place: 0 });
        let given =
            Ok(reply(Ticket { shard: 0, sequence: stamp(number).sequence }, stamp(number), &[accepted(number)]));
        table.settle(numbered, &command, &given);
    }
    let bytes = (resident() - before) / orders as f64;
    drop(black_box(table));
    bytes
}
