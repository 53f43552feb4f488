//! Memory depends on what is alive: at most 64 bytes for a resting order and 64 for an account of a
//! market, everything included.
//!
//! `Exchange::bytes` reports what orders and accounts hold, by the capacities of their vectors and
//! tables. This program's allocator also counts, so that `bytes` can't leave anything out. The check is
//! made at the worst moment: every time something has just grown.
//!
//! A hundred million orders come and go in the release profile, a million otherwise; `MEMORY_ORDERS`
//! sets another number.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use ch06::exchange::Exchange;
use ch06::metrics::Unmeasured;
use market::{AccountId, Cents, Command, Event, Intent, MarketId, OrderId, Outcome, Place, TimeInForce};

/// What an order or an account may take, in bytes.
const EACH_MAX: usize = 64;

/// What an empty market takes, in bytes: its levels and empty tables.
const MARKET_MAX: usize = 6_000;

/// What the first order takes, in bytes: a chunk of the slab for it and a thousand more, which are on the free list.
const FIRST_MAX: usize = 37_000;

/// How large books and markets get here: past the growth of every table at 2^19.
const MANY: usize = 1_400_000;

const MARKET: MarketId = MarketId(7);

/// A market with an exchange around it, and what the heap held before.
struct Venue {
    exchange: Exchange,
    events: Vec<Event>,
    live_before: isize,
    placed: u64,
}

impl Venue {
    fn open() -> Venue {
        let events = Vec::with_capacity(1 << 20);
        let live_before = LIVE.get();
        let mut venue = Venue { exchange: Exchange::default(), events, live_before, placed: 0 };
        venue.apply(Command::Open { market: MARKET });
        venue
    }

    /// Applies a command, which must not be rejected.
    fn apply(&mut self, command: Command) {
        self.events.clear();
        self.exchange.apply(&command, &mut self.events, &mut Unmeasured);
        assert!(!matches!(self.events[0], Event::Rejected { .. }), "{command:?}: {:?}", self.events);
    }

    fn deposit(&mut self, account: u32, cents: u64) {
        self.apply(Command::Deposit { market: MARKET, account: AccountId(account), amount: Cents(cents), request: 0 });
    }

    fn place(&mut self, account: u32, intent: Intent, price: u8) -> OrderId {
        let time_in_force = TimeInForce::Gtc;
        self.placed += 1;
        let account = AccountId(account);
        self.apply(Command::Place(Place {
            market: MARKET,
            account,
            intent,
            price,
            quantity: 1,
            time_in_force,
            client_order_id: 0,
        }));
        OrderId(self.placed)
    }

    /// A bid that no order meets.
    fn bid(&mut self) -> OrderId {
        let price = 1 + self.placed % 49;
        self.place(1, Intent::BuyYes, price as u8)
    }

    fn cancel(&mut self, order: OrderId) {
        self.apply(Command::Cancel { market: MARKET, account: AccountId(1), order, request: 0 });
    }

    /// What the exchange holds on the heap, in bytes.
    fn live(&self) -> usize {
        (LIVE.get() - self.live_before) as usize
    }

    /// `bytes` must report everything, and be within the limits for this many orders and accounts.
    fn check(&self, orders: usize, accounts: usize) {
        let (order_bytes, account_bytes) = self.exchange.bytes();
        let live = self.live();
        assert!(live >= order_bytes + account_bytes, "bytes() counts memory that does not exist: {live}");
        let hidden = live - order_bytes - account_bytes;
        assert!(hidden < MARKET_MAX, "bytes() leaves out {hidden} bytes with {orders} orders, {accounts} accounts");
        for (what, count, bytes) in [("orders", orders, order_bytes), ("accounts", accounts, account_bytes)] {
            // A small book has space for more orders in its first chunk, and is small all the same.
            let limit = count * EACH_MAX + if count < 10_000 { FIRST_MAX } else { 0 };
            assert!(bytes <= limit, "{count} {what} take {bytes} bytes, {:.1} each", bytes as f64 / count as f64);
        }
    }
}

#[test]
fn a_resting_order_takes_64_bytes() {
    let mut venue = Venue::open();
    venue.deposit(1, 1_000_000_000);
    let (mut before, mut worst) = (venue.live(), 0.0_f64);
    for count in 1..=MANY {
        venue.bid();
        if venue.live() != before || [100_000, 1 << 19, (1 << 19) + 1, MANY].contains(&count) {
            venue.check(count, 1);
            before = venue.live();
            if count >= 10_000 {
                worst = worst.max(venue.exchange.bytes().0 as f64 / count as f64);
            }
        }
    }
    println!("at worst {worst:.1} bytes a resting order, {MANY} orders: {} bytes", venue.exchange.bytes().0);
    // All leave and as many come: then the free list is as long as it can get.
    for order in 1..=MANY as u64 {
        venue.cancel(OrderId(order));
    }
    for _ in 0..MANY {
        venue.bid();
    }
    venue.check(MANY, 1);
    println!("after all have been replaced: {} bytes", venue.exchange.bytes().0);
}

#[test]
fn an_account_takes_64_bytes() {
    for stride in [1, 1_024, 2_654_435_761] {
        let mut venue = Venue::open();
        let (mut before, mut worst) = (venue.live(), 0.0_f64);
        for count in 1..=MANY {
            venue.deposit((count as u32).wrapping_mul(stride), 10);
            if venue.live() != before || count == MANY {
                venue.check(0, count);
                before = venue.live();
                if count >= 10_000 {
                    worst = worst.max(venue.exchange.bytes().1 as f64 / count as f64);
                }
            }
        }
        println!("ids {stride} apart: at worst {worst:.1} bytes an account");
    }
}

#[test]
fn a_resolution_leaves_nothing_behind() {
    let mut venue = Venue::open();
    let accounts = 200_000;
    for account in 1..=accounts {
        venue.deposit(account, 100);
    }
    for pair in 0..accounts / 2 {
        venue.place(2 * pair + 1, Intent::BuyYes, 50);
        venue.place(2 * pair + 2, Intent::BuyNo, 50);
    }
    venue.check(1, accounts as usize);
    let before = venue.live();
    venue.apply(Command::Resolve { market: MARKET, outcome: Outcome::Yes });
    assert_eq!(venue.events.len(), accounts as usize / 2 + 1, "events of the resolution: a payment to each winner");
    assert_eq!(venue.live(), before, "bytes after the resolution, against those before");
}

/// Orders come, and each leaves after a hundred others, like those of a market maker.
#[test]
fn orders_that_are_gone_take_nothing() {
    let otherwise = if cfg!(debug_assertions) { 1_000_000 } else { 100_000_000 };
    let orders = std::env::var("MEMORY_ORDERS").map_or(otherwise, |text| text.parse().expect("MEMORY_ORDERS"));
    // None stays, the first one stays, every 1,024th stays.
    for stays in [|_| false, |order: u64| order == 1, |order: u64| order.is_multiple_of(1_024)] {
        let mut venue = Venue::open();
        venue.deposit(1, 100_000_000_000);
        let (mut resting, mut after_warm_up) = (0, 0);
        for number in 1..=orders {
            venue.bid();
            resting += 1;
            if number > 100 && !stays(number - 100) {
                venue.cancel(OrderId(number - 100));
                resting -= 1;
            }
            if number == 10_000 {
                after_warm_up = venue.live();
            }
        }
        venue.check(resting, 1);
        // Before the print below, whose text a test harness keeps in memory.
        let live = venue.live();
        println!("{orders} orders, of which {resting} rest: {} bytes", venue.exchange.bytes().0);
        if resting < 1_000 {
            assert_eq!(live, after_warm_up, "memory has grown with orders that are gone");
        }
    }
}

thread_local! {
    /// The bytes that this thread has allocated and not freed; each test has its own thread.
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The system's allocator, and a count of the bytes in use.
struct Counting;

fn count(bytes: isize) {
    // A thread that is ending no longer has a count.
    let _ = LIVE.try_with(|live| live.set(live.get() + bytes));
}

// SAFETY: everything is passed on to `System` unchanged; the count neither panics nor allocates.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are the ones that `System` needs.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }
}
