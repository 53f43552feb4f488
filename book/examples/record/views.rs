//! The memory that the ring uses, as the language promises it and not as one processor happens to behave.
//!
//! Every place keeps everything that was ever stored in it. Each thread has a **view**: for each place, the oldest
//! store that it may still read. A load gets that store or any later one, and moves the view there. A store with
//! `Release` carries its thread's view along, and a load with `Acquire` that reads it takes over that view. That is
//! all that the two orderings do.
//!
//! Which store a load gets is a choice. [`every_way`] tries all of them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

pub use std::sync::Arc;
pub use std::sync::atomic::Ordering;

/// For each place, the number of the oldest store that may still be seen.
type View = BTreeMap<usize, usize>;

/// One access, in the order in which they happened.
#[derive(Clone, Debug)]
pub struct Access {
    pub does: &'static str,
    pub place: String,
    /// The store of the place that was made or seen, counted from 0.
    pub store: usize,
    /// What each thread may see of each place after it: the oldest and the newest store.
    pub seen: [BTreeMap<String, (usize, usize)>; 2],
}

/// The ordering that is weakened: every access with it at that place gets `Relaxed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weakened {
    Nothing,
    ReleaseOfHead,
    AcquireOfHead,
}

#[derive(Default)]
struct World {
    names: Vec<String>,
    /// The view that each store of each place carries along.
    stores: Vec<Vec<View>>,
    views: [View; 2],
    accesses: Vec<Access>,
}

thread_local! {
    static WORLD: RefCell<World> = RefCell::default();
    static THREAD: Cell<usize> = const { Cell::new(0) };
    static WEAKENED: Cell<Weakened> = const { Cell::new(Weakened::Nothing) };
    /// The choices to make, and how many options each choice so far had.
    static CHOICES: RefCell<(Vec<usize>, Vec<usize>)> = RefCell::default();
}

/// Runs `run` from an empty memory with every possible result of its loads, and returns what each led
/// to.
pub fn every_way<R>(weakened: Weakened, run: impl Fn() -> R) -> Vec<(R, Vec<Access>)> {
    let mut found = Vec::new();
    let mut next = Some(Vec::new());
    while let Some(choices) = next {
        WORLD.set(World::default());
        WEAKENED.set(weakened);
        CHOICES.set((choices, Vec::new()));
        let result = run();
        found.push((result, WORLD.with_borrow_mut(|world| std::mem::take(&mut world.accesses))));
        let (mut made, ways) = CHOICES.take();
        made.resize(ways.len(), 0);
        // The last choice that has another option left takes it; those after it start again.
        let last = (0..ways.len()).rev().find(|&at| made[at] + 1 < ways[at]);
        next = last.map(|at| {
            made.truncate(at + 1);
            made[at] += 1;
            made
        });
    }
    found
}

/// The thread of the following accesses.
pub fn as_thread(thread: usize) {
    THREAD.set(thread);
}

/// Everything done so far has reached all threads long ago, and is not recorded.
pub fn settle() {
    WORLD.with_borrow_mut(|world| {
        let newest: View = world.stores.iter().enumerate().map(|(place, stores)| (place, stores.len() - 1)).collect();
        world.views = [newest.clone(), newest];
        world.accesses.clear();
    });
}

/// A new place, with its initial value.
fn place(name: String) -> usize {
    WORLD.with_borrow_mut(|world| {
        world.names.push(name);
        world.stores.push(vec![View::new()]);
        world.names.len() - 1
    })
}

fn choose(ways: usize) -> usize {
    CHOICES.with_borrow_mut(|(choices, seen)| {
        seen.push(ways);
        choices.get(seen.len() - 1).copied().unwrap_or(0)
    })
}

fn stored(place: usize, does: &'static str, asked: Ordering) {
    let thread = THREAD.get();
    WORLD.with_borrow_mut(|world| {
        let number = world.stores[place].len();
        world.views[thread].insert(place, number);
        let weakened = WEAKENED.get() == Weakened::ReleaseOfHead && world.names[place] == "head";
        let carries = asked == Ordering::Release && !weakened;
        world.stores[place].push(if carries { world.views[thread].clone() } else { View::new() });
        world.note(does, place, number);
    });
}

/// Which store of the place a load gets.
fn loaded(place: usize, does: &'static str, asked: Ordering) -> usize {
    let thread = THREAD.get();
    WORLD.with_borrow_mut(|world| {
        let oldest = world.views[thread].get(&place).copied().unwrap_or(0);
        let newest = world.stores[place].len() - 1;
        let number = newest - choose(newest - oldest + 1);
        world.views[thread].insert(place, number);
        let weakened = WEAKENED.get() == Weakened::AcquireOfHead && world.names[place] == "head";
        if asked == Ordering::Acquire && !weakened {
            for (place, store) in world.stores[place][number].clone() {
                let known = world.views[thread].entry(place).or_insert(0);
                *known = store.max(*known);
            }
        }
        world.note(does, place, number);
        number
    })
}

impl World {
    fn note(&mut self, does: &'static str, place: usize, store: usize) {
        let seen = [0, 1].map(|thread: usize| {
            let range = |place: usize| {
                let oldest = self.views[thread].get(&place).copied().unwrap_or(0);
                (self.names[place].clone(), (oldest, self.stores[place].len() - 1))
            };
            (0..self.names.len()).map(range).collect()
        });
        self.accesses.push(Access { does, place: self.names[place].clone(), store, seen });
    }
}

/// An atomic that keeps every value that it has held.
struct Kept<T> {
    place: usize,
    values: RefCell<Vec<T>>,
}

impl<T: Copy> Kept<T> {
    fn new(name: String, value: T) -> Kept<T> {
        Kept { place: place(name), values: RefCell::new(vec![value]) }
    }

    fn load(&self, asked: Ordering) -> T {
        self.values.borrow()[loaded(self.place, "loads", asked)]
    }

    fn store(&self, value: T, asked: Ordering) {
        self.values.borrow_mut().push(value);
        stored(self.place, "stores", asked);
    }
}

pub struct AtomicU32(Kept<u32>);

impl AtomicU32 {
    pub fn new(value: u32) -> AtomicU32 {
        AtomicU32(Kept::new("left".into(), value))
    }

    pub fn load(&self, asked: Ordering) -> u32 {
        self.0.load(asked)
    }

    /// A read-modify-write reads the newest value.
    pub fn fetch_or(&self, bits: u32, asked: Ordering) -> u32 {
        let newest = self.0.values.borrow().last().copied().unwrap_or(0);
        self.0.store(newest | bits, asked);
        newest
    }
}

pub struct AtomicU64(Kept<u64>);

impl AtomicU64 {
    /// The ring creates its head first, and then a tail for each consumer.
    pub fn new(value: u64) -> AtomicU64 {
        let has_head = WORLD.with_borrow(|world| world.names.iter().any(|name| name == "head"));
        AtomicU64(Kept::new(if has_head { "tail" } else { "head" }.into(), value))
    }

    pub fn load(&self, asked: Ordering) -> u64 {
        self.0.load(asked)
    }

    pub fn store(&self, value: u64, asked: Ordering) {
        self.0.store(value, asked);
    }
}

/// Slots that keep everything that was ever written into them. Nothing here is unsafe; the signatures are
/// the ring's.
pub struct Slots<T>(Vec<(usize, RefCell<Vec<T>>)>);

impl<T: Copy> Slots<T> {
    pub fn new(capacity: usize) -> Slots<T> {
        Slots((0..capacity).map(|slot| (place(format!("slot-{slot}")), RefCell::default())).collect())
    }

    pub fn capacity(&self) -> usize {
        self.0.len()
    }

    /// # Safety
    /// None is needed: the signature is that of the real slots.
    pub unsafe fn write(&self, position: u64, items: &[T]) {
        for (position, item) in (position..).zip(items) {
            let (place, values) = &self.0[position as usize % self.0.len()];
            values.borrow_mut().push(*item);
            stored(*place, "writes", Ordering::Relaxed);
        }
    }

    /// # Safety
    /// None is needed: the signature is that of the real slots.
    pub unsafe fn read(&self, position: u64, count: usize) -> &[T] {
        let read = (position..).take(count).filter_map(|position| {
            let (place, values) = &self.0[position as usize % self.0.len()];
            // The contents of a slot before the first write are not a command.
            let store = loaded(*place, "reads", Ordering::Relaxed).checked_sub(1)?;
            Some(values.borrow()[store])
        });
        // A few bytes for as long as the recorder runs.
        read.collect::<Vec<T>>().leak()
    }
}
