//! The tap's cost for the matching thread: no allocation, and one record for a million cancellations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use ch08::exchange::Exchange;
use ch08::metrics::Unmeasured;
use contract::streams::Random;
use market::log::ShardOf;
use market::model::Model;
use market::state::ExchangeState;
use market::{
    AccountId, Acknowledge, Cents, Command, Event, Intent, MarketId, Options, Outcome, Place, Sequence, Stamp, Step,
    TimeInForce, UnixMs,
};
use market_data::feed::{Feed, Settings};
use market_data::past::LogPast;
use market_data::reader::Reader;
use market_data::tap::{Tap, tap};
use market_data::{Cursor, Depth, Prices, Status};

/// Counts allocations.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator, which keeps the contract; counting touches no block.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// A tap whose engine was opened empty, and the feed behind it.
fn tap_and_feed(records: usize) -> (Tap, Feed) {
    let (mut tap, tapped) = tap(records);
    tap.recovered(Sequence::FIRST, &ExchangeState::default);
    let past = LogPast::new(&Options::new("there is none"), ShardOf::ONLY);
    let feed = Feed::new(Settings { epoch: 1, trades_kept: 16 }, vec![(tapped, Box::new(past))]);
    (tap, feed)
}

fn stamp(sequence: usize) -> Stamp {
    Stamp { sequence: Sequence(sequence as u64 + 1), time: UnixMs(1) }
}

fn allocations(work: impl FnOnce()) -> usize {
    ALLOCATIONS.store(0, Relaxed);
    work();
    ALLOCATIONS.load(Relaxed)
}

/// One test, because the counter is global.
#[test]
fn the_tap_allocates_nothing_and_leaves_out_the_cancellations_of_a_resolution() {
    let (mut model, commands) = (Model::default(), Random::new(1).stream(5_000));
    let events: Vec<Vec<Event>> = commands.iter().map(|command| model.apply(command)).collect();
    let (mut one, _feed) = tap_and_feed(256);
    let all = |tap: &mut Tap| events.iter().enumerate().for_each(|(at, events)| tap.acknowledge(stamp(at), events));
    assert_eq!(allocations(|| all(&mut one)), 0, "allocations of the tap, without a reader");
    // The counter works.
    let copies = allocations(|| events.iter().for_each(|events| drop(std::hint::black_box(events.to_vec()))));
    assert_eq!(copies, events.len());

    a_million_orders_go_in_one_record();
}

fn catch_up(feed: &mut Feed) {
    while feed.step().expect("there is no need for a log") != Step::Idle {}
}

fn a_million_orders_go_in_one_record() {
    const ORDERS: usize = 1_000_000;
    let (market, account) = (MarketId(9), AccountId(1));
    let (mut exchange, mut events) = (Exchange::default(), Vec::new());
    let (mut tap, mut feed) = tap_and_feed(4_096);
    let place = |n: usize| {
        let (price, intent) = (1 + (n % 49) as u8, [Intent::BuyYes, Intent::BuyNo][n % 2]);
        let time_in_force = TimeInForce::Gtc;
        Command::Place(Place { market, account, intent, price, quantity: 2, client_order_id: 0, time_in_force })
    };
    let opening = [Command::Open { market }, Command::Deposit { market, account, amount: Cents(1 << 30), request: 0 }];
    let commands = opening.into_iter().chain((0..ORDERS).map(place));
    let mut sequence = 0;
    let mut command = |command: &Command, feed: &mut Feed| {
        events.clear();
        exchange.apply(command, &mut events, &mut Unmeasured);
        tap.acknowledge(stamp(sequence), &events);
        sequence += 1;
        if sequence.is_multiple_of(1_000) || events.len() > 1 {
            catch_up(feed);
        }
        events.len()
    };
    commands.for_each(|one| _ = command(&one, &mut feed));
    catch_up(&mut feed);

    let shown = feed.board().market(market).expect("it is shown");
    let (mut reader, mut cursor) = (Reader::default(), Cursor::default());
    let before = *reader.book(&shown, &mut cursor).expect("there is a book");
    let shares: i64 = Prices::ALL.iter().map(|price| before.depth.at(price).abs()).sum();
    assert_eq!(shares, 2 * ORDERS as i64);
    let held = feed.order_bytes();
    assert!((24 * ORDERS..48 * ORDERS).contains(&held), "{held} bytes for {ORDERS} orders");

    let led_to = command(&Command::Resolve { market, outcome: Outcome::Yes }, &mut feed);
    assert_eq!(led_to, ORDERS + 1, "events");
    assert_eq!(feed.laps(), 0, "the ring is far smaller than what was cancelled");
    let after = *reader.book(&shown, &mut cursor).expect("there is news");
    assert_eq!((after.summary.status, after.summary.best_bid), (Status::Resolved(Some(Outcome::Yes)), None));
    assert_eq!(
        (after.depth, after.prices.len()),
        (Depth::default(), 98),
        "the update contains every price that was not empty"
    );
    assert!(feed.order_bytes() < 1_000, "{} bytes for no orders", feed.order_bytes());
}
