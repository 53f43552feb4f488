//! How many allocations an order costs from message to answer, over all threads of the venue: journal, matching, feed
//! and replies. The connection's own task, which reads and writes the socket, is not included.
//!
//! The test counts allocations and measures no time, so the bounds hold on any machine. They leave some room, but one
//! more allocation per order exceeds them.
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use contract::fixture::unsynced_disk;
use contract::folder::Folder;
use gateway::door::{Commands, Door as _};
use gateway::limits::Allowed;
use gateway::reply::{Given, Session};
use gateway::stream::binary;
use gateway::stream::outbox::{Form, Outbox, Outgoing, Words};
use gateway::venue::{Running, Venue};
use market::log::encode_command;
use market::{AccountId, Cents, Command, Intent, MarketId, Place, TimeInForce};
use market_data::engines::Rung;

/// Orders per list.
const LIST: usize = 1_000;

/// How many lists, or single orders, are counted.
const ROUNDS: usize = 200;

/// Allocations per order in a list. Every other order rests first, and for some of them the projection's tree grows.
const LIST_MAX: f64 = 0.25;

/// Allocations per single order.
const ALONE_MAX: f64 = 2.9;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

/// The system's allocator, with a count of allocations.
struct Counting;

// SAFETY: every call is passed on to `System` unchanged; counting neither panics nor allocates.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller guarantees what `System` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// One connection of an account, without a socket.
struct Connection {
    running: Running,
    outbox: Arc<Outbox>,
    taken: VecDeque<Outgoing>,
}

impl Connection {
    /// Sends these commands through the door, and returns the answer.
    fn ask(&mut self, account: AccountId, form: Form, commands: Commands) -> Outgoing {
        let request = self.outbox.request(7, form, commands, None).unwrap();
        self.running.venue().door.enter(Session::Account(account), request);
        loop {
            self.outbox.take(&mut self.taken).unwrap();
            if let Some(answer) = self.taken.pop_front() {
                return answer;
            }
            std::thread::sleep(Duration::from_micros(50));
        }
    }

    /// A binary message, answered in binary.
    fn list(&mut self, account: AccountId, message: &[u8]) {
        let (id, commands) = binary::read(message).unwrap();
        let Outgoing::Answer(id, _, given, _) = self.ask(account, Form::Bytes, commands) else { panic!("{id}") };
        assert!(given.len() == LIST && given.iter().all(is_taken), "{given:?}");
        assert!(binary::write(id, account, &given).len() > LIST * 32);
    }

    fn alone(&mut self, account: AccountId, order: Command) {
        let form = Form::Words(Words::One(order));
        let Outgoing::Answer(_, _, given, _) = self.ask(account, form, [order].into()) else { panic!("no answer") };
        assert!(given.iter().all(is_taken), "{given:?}");
    }
}

fn is_taken(given: &Given) -> bool {
    given.as_ref().is_ok_and(|reply| reply.rejected().is_none())
}

/// The order that an account repeats: the two accounts' orders trade with each other.
fn order(account: AccountId) -> Command {
    let intent = if account.0 == 1 { Intent::BuyYes } else { Intent::BuyNo };
    let (market, time_in_force) = (MarketId(1), TimeInForce::Gtc);
    Command::Place(Place { market, account, intent, time_in_force, price: 50, quantity: 1, client_order_id: 0 })
}

/// Allocations per order over this many orders, once all buffers have their final size.
fn each(orders: usize, mut ask: impl FnMut()) -> f64 {
    (0..ROUNDS).for_each(|_| ask());
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    (0..ROUNDS).for_each(|_| ask());
    (ALLOCATIONS.load(Ordering::Relaxed) - before) as f64 / (ROUNDS * orders) as f64
}

#[test]
fn an_order_takes_few_allocations_alone_and_hardly_any_in_a_list() {
    let folder = Folder::new(unsynced_disk());
    let (running, _) = Venue::start(Rung::Snapshots, &folder.options, 0, Allowed::ANYTHING, Vec::new()).unwrap();
    let accounts = [AccountId(1), AccountId(2)];
    let deposit = |account| Command::Deposit { market: MarketId(1), account, amount: Cents(1 << 30), request: 0 };
    let first = [Command::Open { market: MarketId(1) }, deposit(accounts[0]), deposit(accounts[1])];
    let given = running.venue().enter(Session::Operator, first.into_iter().collect()).blocking_recv().unwrap();
    assert!(given.iter().all(is_taken), "{given:?}");
    let mut connection = Connection { running, outbox: Arc::default(), taken: VecDeque::new() };

    let messages =
        accounts.map(|account| [&7u64.to_le_bytes()[..], &encode_command(&order(account)).repeat(LIST)].concat());
    let in_list = each(2 * LIST, || {
        accounts.into_iter().zip(&messages).for_each(|(account, message)| connection.list(account, message));
    });
    let alone = each(2, || accounts.into_iter().for_each(|account| connection.alone(account, order(account))));
    connection.running.close().unwrap();
    println!("allocations an order: {in_list:.4} in a list, {alone:.2} alone");
    assert!(in_list <= LIST_MAX, "an order in a list takes {in_list:.4} allocations; the limit is {LIST_MAX}");
    assert!(alone <= ALONE_MAX, "a single order takes {alone:.2} allocations; the limit is {ALONE_MAX}");
}
