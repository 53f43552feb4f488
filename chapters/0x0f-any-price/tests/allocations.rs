//! The ladder allocates only to grow, no message waits for a large allocation, and an order takes at most 80 bytes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use any_price::contract::{Book, Command, Side, TimeInForce};
use any_price::flow::Name;
use any_price::flow::random::Random;
use any_price::ladder::Ladder;

/// Counts allocations.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator, which keeps the contract; counting touches no block.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        LARGEST.fetch_max(layout.size(), Relaxed);
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

fn during(work: impl FnOnce()) -> (usize, usize) {
    ALLOCATIONS.store(0, Relaxed);
    LARGEST.store(0, Relaxed);
    work();
    (ALLOCATIONS.load(Relaxed), LARGEST.load(Relaxed))
}

/// One test, because the counters are global.
#[test]
fn allocations_are_small_and_only_for_growth() {
    for name in [Name::Calm, Name::Wide, Name::Trend] {
        let flow = name.flow(1, 200_000, false);
        let (warm_up, measured) = flow.commands.split_at(150_000);
        let mut book = Ladder::default();
        flow.setup.iter().chain(warm_up).for_each(|&command| book.apply(command, &mut ()));
        let (allocations, _) = during(|| measured.iter().for_each(|&command| book.apply(command, &mut ())));
        // A new maximum of orders, levels or ids takes a chunk; a message takes none.
        assert!(allocations < 50, "{}: {allocations} allocations", name.word());
    }

    let (mut book, mut random) = (Ladder::default(), Random::new(1));
    let orders = 400_000;
    let (_, largest) = during(|| {
        for id in 0..orders {
            let side = Side::BOTH[id as usize % 2];
            let away = 1 + i64::from(random.below(3_000));
            let price = if side == Side::Bid { -away } else { away };
            let time_in_force = TimeInForce::Gtc;
            book.apply(Command::Limit { id: id << 32, side, price, quantity: 5, time_in_force }, &mut ());
        }
    });
    assert!(largest <= 64 * 1_024, "one message waited for {largest} bytes");
    let bytes = book.bytes() / book.orders();
    // Half a line for the order, and a quarter for its place in a table that has grown with the orders.
    assert!((46..=80).contains(&bytes), "{bytes} bytes per order");
}
