//! The ring under `loom`: every interleaving of a small ring, and every stale value that the memory
//! orderings permit, not only those that this machine's cores happen to show.
//!
//! `ring.rs` is compiled here a second time, over another `memory`: loom's atomics, and slots that
//! notice when two threads meet in one. And to show that no scenario is missing,
//! `every_ordering_is_needed` weakens each Acquire and Release of the ring in turn, and expects a
//! scenario to fail.

#![allow(clippy::unwrap_used)] // loom reports a panic with the execution that led to it

#[allow(dead_code, unused_imports)]
#[path = "../src/memory.rs"]
mod real;
#[allow(dead_code)]
#[path = "../src/ring.rs"]
mod ring;

mod one_by_one;

/// The parts of the machine that the ring uses, watched.
mod memory {
    use super::real;
    use loom::cell::UnsafeCell;
    use loom::sync::atomic;
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeSet;
    use std::panic::Location;

    pub use loom::sync::Arc;
    pub use std::sync::atomic::Ordering;

    thread_local! {
        /// The line of `ring.rs` whose ordering is weakened to Relaxed.
        pub static WEAKENED: Cell<Option<u32>> = const { Cell::new(None) };
        /// The lines that asked for more than Relaxed.
        pub static ORDERED: RefCell<BTreeSet<u32>> = const { RefCell::new(BTreeSet::new()) };
    }

    #[track_caller]
    fn ordering(asked: Ordering) -> Ordering {
        let line = Location::caller().line();
        if asked != Ordering::Relaxed {
            ORDERED.with_borrow_mut(|lines| lines.insert(line));
        }
        if WEAKENED.get() == Some(line) { Ordering::Relaxed } else { asked }
    }

    pub struct AtomicU32(atomic::AtomicU32);

    impl AtomicU32 {
        pub fn new(value: u32) -> AtomicU32 {
            AtomicU32(atomic::AtomicU32::new(value))
        }
        #[track_caller]
        pub fn load(&self, asked: Ordering) -> u32 {
            self.0.load(ordering(asked))
        }
        #[track_caller]
        pub fn fetch_or(&self, bits: u32, asked: Ordering) -> u32 {
            self.0.fetch_or(bits, ordering(asked))
        }
    }

    pub struct AtomicU64(atomic::AtomicU64);

    impl AtomicU64 {
        pub fn new(value: u64) -> AtomicU64 {
            AtomicU64(atomic::AtomicU64::new(value))
        }
        #[track_caller]
        pub fn load(&self, asked: Ordering) -> u64 {
            self.0.load(ordering(asked))
        }
        #[track_caller]
        pub fn store(&self, value: u64, asked: Ordering) {
            self.0.store(value, ordering(asked));
        }
    }

    /// The real slots, and beside each of them a cell through which loom sees which thread uses it.
    pub struct Slots<T> {
        real: real::Slots<T>,
        watched: Vec<UnsafeCell<()>>,
    }

    // SAFETY: as for the real slots; loom checks the promise, and runs one thread at a time.
    unsafe impl<T: Send + Sync> Sync for Slots<T> {}

    impl<T: Copy> Slots<T> {
        pub fn new(capacity: usize) -> Slots<T> {
            let watched = (0..capacity).map(|_| UnsafeCell::new(())).collect();
            Slots { real: real::Slots::new(capacity), watched }
        }

        pub fn capacity(&self) -> usize {
            self.real.capacity()
        }

        pub unsafe fn write(&self, position: u64, items: &[T]) {
            for offset in 0..items.len() {
                self.slot(position, offset).with_mut(|_| ());
            }
            // SAFETY: the caller's promise.
            unsafe { self.real.write(position, items) }
        }

        pub unsafe fn read(&self, position: u64, count: usize) -> &[T] {
            // SAFETY: the caller's promise.
            let items = unsafe { self.real.read(position, count) };
            for offset in 0..items.len() {
                self.slot(position, offset).with(|_| ());
            }
            items
        }

        fn slot(&self, position: u64, offset: usize) -> &UnsafeCell<()> {
            &self.watched[(position as usize + offset) % self.watched.len()]
        }
    }
}

use ch06::Chapter;
use loom::thread;
use one_by_one::{Pop, Push, Refused};
use ring::{Closed, Consumer, ring};
use runner::Chapter as _;
use std::io::Write as _;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Instant;

/// Takes the available items, in one batch, and returns how many there were.
fn take<const N: usize>(consumer: &mut Consumer<u32, N>, taken: &mut Vec<u32>) -> Result<usize, Closed> {
    let items = consumer.peek()?;
    let count = items.len();
    taken.extend_from_slice(items);
    consumer.advance(count);
    Ok(count)
}

/// Takes everything, until the ring is closed.
fn drain<const N: usize>(consumer: &mut Consumer<u32, N>, taken: &mut Vec<u32>) {
    while let Ok(count) = take(consumer, taken) {
        if count == 0 {
            thread::yield_now();
        }
    }
}

/// The end is seen after the last item, never before it.
fn the_end_comes_last() {
    let (mut producer, [mut consumer]) = ring::<u32, 1>(1);
    let writer = thread::spawn(move || producer.push(1));
    let mut taken = Vec::new();
    drain(&mut consumer, &mut taken);
    assert_eq!(taken, [1]);
    writer.join().unwrap().unwrap();
}

/// More items than slots: all arrive, in order, through a full ring and past the circle's end.
fn one_consumer() {
    let (mut producer, [mut consumer]) = ring::<u32, 1>(2);
    producer.push(0).unwrap();
    assert_eq!(consumer.pop(), Ok(Some(0))); // so that the next batch crosses the circle's end
    let reader = thread::spawn(move || {
        let mut taken = Vec::new();
        drain(&mut consumer, &mut taken);
        taken
    });
    let mut rest: &[u32] = &[1, 2, 3];
    while !rest.is_empty() {
        match producer.push_slice(rest).unwrap() {
            0 => thread::yield_now(),
            count => rest = &rest[count..],
        }
    }
    drop(producer);
    assert_eq!(reader.join().unwrap(), [1, 2, 3]);
}

/// Two consumers, each at its own pace: both see everything that the producer could push. (No
/// thread waits here: with three threads, the ways in which two of them wait for each other are
/// endless.)
fn two_consumers() {
    let (mut producer, [mut first, mut second]) = ring::<u32, 2>(1);
    let reader = thread::spawn(move || {
        let mut taken = Vec::new();
        let _ = take(&mut first, &mut taken);
        let _ = take(&mut first, &mut taken);
        (first, taken)
    });
    let writer = thread::spawn(move || {
        let pushed = [1, 2].into_iter().filter(|&item| producer.push(item).is_ok());
        pushed.collect::<Vec<_>>()
    });
    let mut taken = Vec::new();
    let _ = take(&mut second, &mut taken);
    let _ = take(&mut second, &mut taken);
    let pushed = writer.join().unwrap();
    drain(&mut second, &mut taken);
    assert_eq!(taken, pushed);
    let (mut first, mut taken) = reader.join().unwrap();
    drain(&mut first, &mut taken);
    assert_eq!(taken, pushed);
}

/// A consumer leaves in the middle: the producer does not wait for it forever, and the other
/// consumer, which stays, still sees everything that was pushed.
fn a_consumer_leaves() {
    let (mut producer, [mut stays, mut leaves]) = ring::<u32, 2>(1);
    let leaver = thread::spawn(move || {
        let _ = leaves.pop();
    });
    let reader = thread::spawn(move || {
        let mut taken = Vec::new();
        let _ = take(&mut stays, &mut taken);
        (stays, taken)
    });
    let mut pushed = Vec::new();
    loop {
        let item = pushed.len() as u32;
        match producer.push(item) {
            Ok(()) => pushed.push(item),
            Err(Refused::Full) => thread::yield_now(),
            Err(Refused::Closed) => break,
        }
    }
    let (mut stays, mut taken) = reader.join().unwrap();
    drain(&mut stays, &mut taken);
    assert_eq!(taken, pushed);
    leaver.join().unwrap();
}

/// The journal releases a command when it is on disk: a thread that sees the journal's position sees
/// the disk.
fn durable_before_acknowledged() {
    const JOURNAL: usize = 0;
    let disk = memory::Arc::new(loom::cell::UnsafeCell::new(0));
    let (mut producer, [mut journal, matching]) = ring::<u32, 2>(1);
    let disk_of_journal = memory::Arc::clone(&disk);
    producer.push(7).unwrap();
    let writer = thread::spawn(move || {
        let item = journal.peek().unwrap()[0];
        // SAFETY: loom fails the test if another thread is here.
        disk_of_journal.with_mut(|disk| unsafe { *disk = item });
        journal.advance(1);
    });
    while matching.progress(JOURNAL).position < 1 {
        thread::yield_now();
    }
    // SAFETY: as above.
    disk.with(|disk| unsafe { assert_eq!(*disk, 7) });
    writer.join().unwrap();
}

/// When the journal is seen to have left, the position read with that is its last.
fn the_last_word_of_one_that_left() {
    const JOURNAL: usize = 0;
    let (mut producer, [mut journal, matching]) = ring::<u32, 2>(1);
    producer.push(7).unwrap();
    let writer = thread::spawn(move || journal.pop());
    let last = loop {
        match matching.progress(JOURNAL) {
            progress if progress.left => break progress.position,
            _ => thread::yield_now(),
        }
    };
    assert_eq!(last, 1);
    writer.join().unwrap().unwrap();
}

type Scenario = (&'static str, fn());

const SCENARIOS: [Scenario; 6] = [
    ("the_last_word_of_one_that_left", the_last_word_of_one_that_left),
    ("durable_before_acknowledged", durable_before_acknowledged),
    ("the_end_comes_last", the_end_comes_last),
    ("one_consumer", one_consumer),
    ("two_consumers", two_consumers),
    ("a_consumer_leaves", a_consumer_leaves),
];

/// First every interleaving of the ring as it is. Then the proof that no scenario is missing: without any one
/// ordering the ring breaks in some scenario. A reader's own ring may ask for more than it needs and still be right,
/// so there that is only a remark.
#[test]
fn every_interleaving_is_sound_and_every_ordering_is_needed() {
    for (name, scenario) in SCENARIOS {
        let start = Instant::now();
        let executions = std::sync::Arc::new(AtomicU32::new(0));
        let count = std::sync::Arc::clone(&executions);
        loom::model(move || {
            count.fetch_add(1, Relaxed);
            scenario();
        });
        println!("{name}: {executions:?} executions, {:?}", start.elapsed());
    }

    let lines = memory::ORDERED.with_borrow(Clone::clone);
    assert!(!lines.is_empty(), "src/ring.rs: every load and store is Relaxed, so nothing is handed over");
    let mut spare = Vec::new();
    for line in lines {
        let start = Instant::now();
        memory::WEAKENED.set(Some(line));
        let caught = SCENARIOS.iter().find(|(_, scenario)| catch_unwind(|| loom::model(*scenario)).is_err());
        memory::WEAKENED.set(None);
        match caught {
            Some((name, _)) => println!("src/ring.rs:{line} made Relaxed: caught by {name}, {:?}", start.elapsed()),
            None => spare.push(format!("src/ring.rs:{line}: with Relaxed here, every scenario still passes")),
        }
    }
    if !spare.is_empty() && Chapter::NAME.ends_with("-exercise") {
        // Printed past the test harness, which hides the output of a test that passes.
        spare.iter().for_each(|remark| _ = writeln!(std::io::stderr(), "remark: {remark}"));
    } else {
        assert!(spare.is_empty(), "an ordering is not needed, or a scenario is missing:\n{}", spare.join("\n"));
    }
}
