//! A concurrent skip list against a tree and an array: as a book, as a table of orders, and between threads.
//!
//! **Expected:** a skip list keeps its keys in order and takes no lock, so a book is best kept in one.
//!
//! **Compared:** `BTreeMap`, `crossbeam-skiplist`'s `SkipMap`, and an array. `book`: 99 prices with a count of orders
//! each; an order joins at any price, another takes the lowest. `table`: 100,000 live orders by id; one is added, one
//! is looked up, the oldest is removed. `threads_N`: each thread does the same with 10,000 ids of its own, in one
//! tree in a mutex, in one skip list, or in an array for each thread.
//!
//! **Left out:** scans over a range, which both ordered maps are made for; keys that are not dense, where there is no
//! array; and threads that want the same key.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use crossbeam_skiplist::SkipMap;

use crate::error::LabError;
use crate::experiment::{Case, Experiment, Prepared, Sample, Setting, Size, timed};
use crate::pattern::Pattern;
use crate::threads::{counts, together};
use crate::words::{Words, counted, words};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "skip_list",
    title: ("Is a concurrent skip list a good book, or a good table?", "用并发跳表做订单簿或订单表，合适吗？"),
    per: (
        "an order that joins and one that leaves, in a table also a lookup",
        "一单挂入加一单离开，订单表还要加一次查找",
    ),
    on_request: false,
    prepare,
};

/// The operations of a book of prices: the lowest price is the best.
trait Prices: Default {
    fn join(&mut self, price: u8);
    fn take_best(&mut self) -> u8;
}

impl Prices for BTreeMap<u8, u32> {
    fn join(&mut self, price: u8) {
        *self.entry(price).or_default() += 1;
    }

    fn take_best(&mut self) -> u8 {
        let Some(mut best) = self.first_entry() else { return 0 };
        let price = *best.key();
        *best.get_mut() -= 1;
        if *best.get() == 0 {
            best.remove();
        }
        price
    }
}

// ANCHOR: skip_list
impl Prices for SkipMap<u8, AtomicU32> {
    fn join(&mut self, price: u8) {
        self.get_or_insert(price, AtomicU32::new(0)).value().fetch_add(1, Ordering::Relaxed);
    }

    fn take_best(&mut self) -> u8 {
        let Some(best) = self.front() else { return 0 };
        if best.value().fetch_sub(1, Ordering::Relaxed) == 1 {
            best.remove();
        }
        *best.key()
    }
}
// ANCHOR_END: skip_list

/// A count for each price, and a bit for each that has orders.
struct Slots {
    occupied: u128,
    orders: [u32; 100],
}

impl Default for Slots {
    fn default() -> Slots {
        Slots { occupied: 0, orders: [0; 100] }
    }
}

impl Prices for Slots {
    fn join(&mut self, price: u8) {
        self.orders[usize::from(price)] += 1;
        self.occupied |= 1 << price;
    }

    fn take_best(&mut self) -> u8 {
        let best = self.occupied.trailing_zeros() as u8;
        let Some(orders) = self.orders.get_mut(usize::from(best)) else { return 0 };
        *orders -= 1;
        self.occupied &= !(u128::from(*orders == 0) << best);
        best
    }
}

fn book<P: Prices>(steps: usize) -> Sample {
    const RESTING: usize = 40;
    let prices = Pattern::list(5, RESTING + steps, 99);
    let price = |n: usize| prices[n] as u8 + 1;
    let mut book = P::default();
    (0..RESTING).for_each(|n| book.join(price(n)));
    timed(steps, || {
        let one = |n| {
            book.join(black_box(price(n)));
            u64::from(book.take_best())
        };
        (RESTING..RESTING + steps).map(one).sum()
    })
}

/// A table of orders that are added and removed in the order of their ids.
trait Orders {
    fn insert(&mut self, id: u64, order: u32);
    fn find(&self, id: u64) -> Option<u32>;
    fn remove(&mut self, id: u64);
}

impl Orders for BTreeMap<u64, u32> {
    fn insert(&mut self, id: u64, order: u32) {
        BTreeMap::insert(self, id, order);
    }

    fn find(&self, id: u64) -> Option<u32> {
        self.get(&id).copied()
    }

    fn remove(&mut self, id: u64) {
        BTreeMap::remove(self, &id);
    }
}

impl Orders for &Mutex<BTreeMap<u64, u32>> {
    fn insert(&mut self, id: u64, order: u32) {
        let _ = self.lock().map(|mut map| map.insert(id, order));
    }

    fn find(&self, id: u64) -> Option<u32> {
        self.lock().ok()?.get(&id).copied()
    }

    fn remove(&mut self, id: u64) {
        let _ = self.lock().map(|mut map| map.remove(&id));
    }
}

impl Orders for &SkipMap<u64, u32> {
    fn insert(&mut self, id: u64, order: u32) {
        SkipMap::insert(self, id, order);
    }

    fn find(&self, id: u64) -> Option<u32> {
        self.get(&id).map(|entry| *entry.value())
    }

    fn remove(&mut self, id: u64) {
        SkipMap::remove(self, &id);
    }
}

/// A circle of places: an id's low bits are its place, and live orders never fill it.
struct Circle(Box<[Option<u32>]>);

impl Circle {
    fn of(live: usize) -> Circle {
        Circle(vec![None; (live + 1).next_power_of_two()].into())
    }

    fn place(&self, id: u64) -> usize {
        id as usize & (self.0.len() - 1)
    }
}

impl Orders for Circle {
    fn insert(&mut self, id: u64, order: u32) {
        let place = self.place(id);
        self.0[place] = Some(order);
    }

    fn find(&self, id: u64) -> Option<u32> {
        self.0[self.place(id)]
    }

    fn remove(&mut self, id: u64) {
        let place = self.place(id);
        self.0[place] = None;
    }
}

/// The first orders of `live`, from the id `first` on.
fn fill(orders: &mut impl Orders, first: u64, live: usize) {
    (first..first + live as u64).for_each(|id| orders.insert(id, id as u32));
}

/// One is added, one is looked up, the oldest is removed.
fn churn(orders: &mut impl Orders, first: u64, live: usize, steps: usize) -> u64 {
    let (mut pattern, mut sum) = (Pattern::new(first), 0);
    for oldest in first..first + steps as u64 {
        let id = oldest + live as u64;
        orders.insert(id, id as u32);
        sum += orders.find(oldest + pattern.below(live) as u64).map_or(0, u64::from);
        orders.remove(oldest);
    }
    sum
}

fn table(mut orders: impl Orders, live: usize, steps: usize) -> Sample {
    fill(&mut orders, 0, live);
    timed(steps, || churn(&mut orders, 0, live, steps))
}

fn names() -> [Words; 3] {
    [words("BTreeMap", "BTreeMap"), words("SkipMap", "SkipMap"), words("array", "数组")]
}

fn between_threads(threads: usize, steps: usize) -> Case {
    const LIVE: usize = 10_000;
    let first = |thread: usize| (thread as u64) << 40;
    let [tree, skip_list, array] = names();
    let of = |what: Words, en: &str, zh: &str| words(format!("{}{en}", what.en), format!("{}{zh}", what.zh));
    Case::new(format!("threads_{threads}"), counted(threads, ("thread", "threads"), "个线程"))
        .with("tree", of(tree, " in a Mutex", "，加 Mutex"), move || {
            let map = Mutex::new(BTreeMap::new());
            (0..threads).for_each(|thread| fill(&mut &map, first(thread), LIVE));
            Ok(together(threads, steps, |thread| churn(&mut &map, first(thread), LIVE, steps)))
        })
        .with("skip_list", skip_list, move || {
            let map = SkipMap::new();
            (0..threads).for_each(|thread| fill(&mut &map, first(thread), LIVE));
            Ok(together(threads, steps, |thread| churn(&mut &map, first(thread), LIVE, steps)))
        })
        .with("array", of(array, ", one a thread", "，每个线程一个"), move || {
            let filled = |thread| {
                let mut circle = Circle::of(LIVE);
                fill(&mut circle, first(thread), LIVE);
                Mutex::new(circle)
            };
            let circles: Vec<Mutex<Circle>> = (0..threads).map(filled).collect();
            Ok(together(threads, steps, |thread| {
                // Locked once, by its owner.
                circles[thread].lock().map_or(0, |mut own| churn(&mut *own, first(thread), LIVE, steps))
            }))
        })
}

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let steps = setting.size.of(1_000_000);
    let live = if setting.size == Size::Tiny { 100 } else { 100_000 };
    let [tree, skip_list, array] = names();
    let book_case = Case::new("book", words("book of 99 prices", "99 档的订单簿"))
        .with("tree", tree, move || Ok(book::<BTreeMap<u8, u32>>(steps)))
        .with("skip_list", skip_list, move || Ok(book::<SkipMap<u8, AtomicU32>>(steps)))
        .with("array", array, move || Ok(book::<Slots>(steps)));
    let [tree, skip_list, array] = names();
    let table_case = Case::new("table", words("table of orders", "订单表"))
        .with("tree", tree, move || Ok(table(BTreeMap::new(), live, steps)))
        .with("skip_list", skip_list, move || Ok(table(&SkipMap::new(), live, steps)))
        .with("array", array, move || Ok(table(Circle::of(live), live, steps)));
    let mut cases = vec![book_case, table_case];
    cases.extend(counts().into_iter().filter(|&threads| threads > 1).map(|threads| between_threads(threads, steps)));
    Ok(Prepared { cases, left_out: Vec::new() })
}
