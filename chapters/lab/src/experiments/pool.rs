//! The memory of an order: from the allocator, in a pool of objects, or in a slab.
//!
//! **Expected:** the allocator is slow, so objects that are reused belong in a pool.
//!
//! **Compared:** orders of 32 bytes that come and go, 10,000 alive at a time; in each step one leaves from anywhere
//! and one comes. `allocator`: a `Box` each. `pool`: a list of free boxes, as in object pools. `shared_pool`: the
//! same behind a mutex, so that any thread may return one. `slab`: the chapters' own, whose orders are next to each
//! other and are named by a number of 4 bytes. `walk`: the same orders, read once in the order in which they came.
//!
//! **Left out:** objects that own memory, for which a pool saves more than one allocation; the memory that each uses;
//! and orders that leave on another thread than they came on.

use std::hint::black_box;
use std::sync::Mutex;

use ch05::slab::{Slab, Slot};

use crate::error::LabError;
use crate::experiment::{Case, Experiment, Prepared, Sample, Setting, Size, timed};
use crate::pattern::Pattern;
use crate::words::words;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "pool",
    title: (
        "Does a pool of objects spare what the allocator costs, and what is left for a slab?",
        "对象池能省下分配器的开销吗？槽池还能再省什么？",
    ),
    per: ("an order that comes and one that goes; in a walk, an order", "来一单加走一单；遍历时为每一单"),
    on_request: false,
    prepare,
};

/// The size of a resting order in 0x05.
#[derive(Clone, Copy, Default)]
struct Order {
    id: u64,
    price: u64,
    quantity: u64,
    account: u64,
}

impl Order {
    fn new(id: u64) -> Order {
        Order { id, price: id % 99 + 1, quantity: id % 500, account: id % 10_000 }
    }

    fn weight(&self) -> u64 {
        self.id + 3 * self.price + 5 * self.quantity + 7 * self.account
    }
}

/// A place for orders.
trait Home {
    /// The handle of an order.
    type Key;
    fn add(&mut self, order: Order) -> Self::Key;
    fn see(&self, key: &Self::Key) -> u64;
    fn remove(&mut self, key: Self::Key);
}

struct Allocator;

impl Home for Allocator {
    type Key = Box<Order>;

    fn add(&mut self, order: Order) -> Box<Order> {
        // The box must be opaque: a compiler may remove an allocation that is never used.
        black_box(Box::new(order))
    }

    fn see(&self, order: &Box<Order>) -> u64 {
        order.weight()
    }

    fn remove(&mut self, order: Box<Order>) {
        drop(order);
    }
}

// ANCHOR: pool
/// Free boxes. Each is a separate allocation, which moves out with its order.
#[derive(Default)]
#[allow(clippy::vec_box)]
struct Pool(Vec<Box<Order>>);

impl Home for Pool {
    type Key = Box<Order>;

    fn add(&mut self, order: Order) -> Box<Order> {
        let mut place = self.0.pop().unwrap_or_default();
        *place = order;
        place
    }
    // ANCHOR_END: pool

    fn see(&self, order: &Box<Order>) -> u64 {
        order.weight()
    }

    fn remove(&mut self, order: Box<Order>) {
        self.0.push(order);
    }
}

#[derive(Default)]
struct SharedPool(Mutex<Pool>);

impl Home for SharedPool {
    type Key = Box<Order>;

    fn add(&mut self, order: Order) -> Box<Order> {
        // Locked as by one thread of many: it does not know that it is alone.
        black_box(&self.0).lock().map(|mut pool| pool.add(order)).unwrap_or_default()
    }

    fn see(&self, order: &Box<Order>) -> u64 {
        order.weight()
    }

    fn remove(&mut self, order: Box<Order>) {
        let _ = black_box(&self.0).lock().map(|mut pool| pool.remove(order));
    }
}

impl Home for Slab<Order> {
    type Key = Slot;

    fn add(&mut self, order: Order) -> Slot {
        let slot = self.take();
        *self.get_mut(slot) = order;
        slot
    }

    fn see(&self, slot: &Slot) -> u64 {
        self.get(*slot).weight()
    }

    fn remove(&mut self, slot: Slot) {
        Slab::remove(self, slot);
    }
}

/// Orders that come and go. The same orders leave in every home.
fn churn<H: Home>(home: &mut H, keys: &mut [H::Key], steps: usize) -> u64 {
    let (mut pattern, live, mut sum) = (Pattern::new(3), keys.len(), 0);
    for id in (live as u64..).take(steps) {
        let at = pattern.below(live);
        let key = home.add(Order::new(id));
        let gone = std::mem::replace(&mut keys[at], key);
        sum += home.see(&gone);
        home.remove(gone);
    }
    sum
}

fn filled<H: Home>(home: &mut H, live: usize) -> Vec<H::Key> {
    (0..live as u64).map(|id| home.add(Order::new(id))).collect()
}

fn come_and_go<H: Home>(mut home: H, live: usize, steps: usize) -> Sample {
    let mut keys = filled(&mut home, live);
    timed(steps, || churn(&mut home, &mut keys, steps))
}

/// Reads all orders once, after many have come and gone.
fn walk<H: Home>(mut home: H, live: usize, steps: usize) -> Sample {
    let mut keys = filled(&mut home, live);
    churn(&mut home, &mut keys, steps);
    let rounds = (steps / live).max(1);
    timed(rounds * live, || {
        let around = |_| keys.iter().map(|key| home.see(black_box(key))).fold(0, u64::wrapping_add);
        (0..rounds).map(around).fold(0, u64::wrapping_add)
    })
}

fn case(name: &'static str, (en, zh): (&str, &str), live: usize, steps: usize, walks: bool) -> Case {
    fn run<H: Home>(home: H, live: usize, steps: usize, walks: bool) -> Result<Sample, LabError> {
        Ok(if walks { walk(home, live, steps) } else { come_and_go(home, live, steps) })
    }
    Case::new(name, words(en, zh))
        .with("allocator", words("allocator", "分配器"), move || run(Allocator, live, steps, walks))
        .with("shared_pool", words("pool in a Mutex", "对象池，加 Mutex"), move || {
            run(SharedPool::default(), live, steps, walks)
        })
        .with("pool", words("pool", "对象池"), move || run(Pool::default(), live, steps, walks))
        .with("slab", words("slab", "槽池"), move || run(Slab::default(), live, steps, walks))
}

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let steps = setting.size.of(4_000_000);
    let live = if setting.size == Size::Tiny { 100 } else { 10_000 };
    let cases = vec![
        case("come_and_go", ("come and go", "来来去去"), live, steps, false),
        case("walk", ("walk", "遍历"), live, steps, true),
    ];
    Ok(Prepared { cases, left_out: Vec::new() })
}
