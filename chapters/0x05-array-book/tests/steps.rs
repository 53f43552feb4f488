//! The steps of 0x05, each by what can be observed of it: first a new price allocates no tree node, then no queue
//! either; an id is found after any history. The answers are tested by the contract.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::HashMap;

use ch05::exchange::Exchange;
use ch05::id_table::{Entries, IdTable};
use ch05::metrics::Unmeasured;
use ch05::slab::Slot;
use market::{AccountId, Cents, Command, Event, Intent, MarketId, OrderId, Place, TimeInForce};

const MARKET: MarketId = MarketId(7);

/// Prices are 1 to 99 cents.
const PRICES: u8 = 99;

/// This many orders come and go first, so that the slab and the table of ids have space for all that
/// follow.
const WARM_UP: u64 = 1_000;

/// How many heap blocks are allocated while a bid arrives at each price except one that was used
/// already.
fn blocks_for_new_prices() -> usize {
    let (market, account) = (MARKET, AccountId(1));
    let (mut exchange, mut events) = (Exchange::default(), Vec::with_capacity(1_000));
    let mut apply = |command: Command| {
        events.clear();
        exchange.apply(&command, &mut events, &mut Unmeasured);
        assert!(!matches!(events[0], Event::Rejected { .. }), "{command:?}: {:?}", events[0]);
    };
    let bid = |price| {
        let (intent, quantity, time_in_force) = (Intent::BuyYes, 1, TimeInForce::Gtc);
        Command::Place(Place { market, account, intent, price, quantity, time_in_force, client_order_id: 0 })
    };
    apply(Command::Open { market });
    apply(Command::Deposit { market, account, amount: Cents(1_000_000), request: 0 });
    (0..WARM_UP).for_each(|_| apply(bid(1)));
    (1..=WARM_UP).for_each(|order| apply(Command::Cancel { market, account, order: OrderId(order), request: 0 }));
    let before = BLOCKS.get();
    (2..=PRICES).for_each(|price| apply(bid(price)));
    BLOCKS.get() - before
}

#[test]
fn levels_allocate_at_most_a_queue_each() {
    let (blocks, queues) = (blocks_for_new_prices(), usize::from(PRICES) - 1);
    assert!(blocks <= queues, "{queues} new prices took {blocks} blocks of memory: more than a queue for each");
}

#[test]
fn links_allocate_nothing() {
    assert_eq!(blocks_for_new_prices(), 0, "blocks of memory that orders at new prices took");
}

/// Entries that exist only for their ids.
#[derive(Default)]
struct Ids(Vec<(u64, Slot)>);

impl Entries for Ids {
    fn entry(&self, slot: Slot) -> Option<(u64, Slot)> {
        self.0.get(slot as usize).copied()
    }

    fn link(&mut self, slot: Slot) -> &mut Slot {
        &mut self.0[slot as usize].1
    }
}

/// Ids come and go at random, close together, far apart, and all in one place: the table finds what a map finds.
#[test]
fn ids_are_found_after_any_history() {
    for (ids, apart) in [(5_000, 1), (5_000, 1_024), (97, 1 << 40)] {
        let (mut table, mut entries, mut map) = (IdTable::default(), Ids::default(), HashMap::new());
        let mut random = 7_u64;
        for step in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let id = ((random >> 33) % ids) * apart;
            let (found, wanted) = (table.find(id, &entries), map.get(&id).copied());
            assert_eq!(found, wanted, "the slot of {id} after {step} steps, with ids {apart} apart");
            match map.remove(&id) {
                Some(slot) => table.remove(id, slot, &mut entries),
                None => {
                    let slot = entries.0.len() as Slot;
                    let link = table.insert(id, slot, &mut entries);
                    entries.0.push((id, link));
                    map.insert(id, slot);
                }
            }
        }
    }
}

/// Removed ids take no memory.
#[test]
fn ids_that_are_gone_take_nothing() {
    let (mut table, mut entries) = (IdTable::default(), Ids::default());
    let empty = table.bytes();
    for id in 0..100_000 {
        let link = table.insert(id, id as Slot, &mut entries);
        entries.0.push((id, link));
        table.remove(id, id as Slot, &mut entries);
    }
    assert_eq!(table.bytes(), empty, "bytes of a table from which every id has gone");
}

thread_local! {
    /// The blocks that this thread has allocated; each test has its own thread.
    static BLOCKS: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The system's allocator, and a count of the blocks allocated.
struct Counting;

fn count() {
    // A thread that is ending no longer has a count.
    let _ = BLOCKS.try_with(|blocks| blocks.set(blocks.get() + 1));
}

// SAFETY: everything is passed on to `System` unchanged; the count neither panics nor allocates.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are the ones that `System` needs.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }
}
