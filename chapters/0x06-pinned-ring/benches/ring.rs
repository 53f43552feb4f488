//! The ring compared with others: 24-byte items (a record of the log) from one pinned thread to
//! another, one by one and in batches of 64.
//!
//! `cargo bench --bench ring`. Time runs from the producer's first item to the consumer's last;
//! threads are started and rings allocated before. Each library is used in the way that its
//! documentation recommends for the case; all copy the same items in and add up the same words.
//! Channels have no batches, so they get messages of 64 items.

#[allow(dead_code)]
#[path = "../tests/one_by_one/mod.rs"]
mod one_by_one;

use ch06::ring::{self, Closed, ring};
use ch06::wait::{Backoff, Wait};
use core_affinity::CoreId;
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use disruptor::{BusySpinWithSpinLoopHint, ProcessorSettings as _, Producer as _, Sequence};
use one_by_one::{Pop as _, Push as _};
use std::sync::{Arc, Barrier, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

const BATCH: usize = 64;
const BATCHES: usize = 1 << 14;
const ITEMS: usize = BATCH * BATCHES;
/// 96 KiB of items: more than a first-level cache holds, less than a second-level one.
const CAPACITY: usize = 1 << 12;

#[derive(Clone, Copy, Default)]
struct Item([u64; 3]);

impl Item {
    fn sum(&self) -> u64 {
        self.0[0].wrapping_add(self.0[1]).wrapping_add(self.0[2])
    }
}

fn batch() -> [Item; BATCH] {
    std::array::from_fn(|i| Item([i as u64, 1 << i, !(i as u64)]))
}

fn sum(items: &[Item]) -> u64 {
    items.iter().map(Item::sum).fold(0, u64::wrapping_add)
}

/// The cores of the producer and of the consumer, where there are two; both may be refused.
fn cores() -> Option<[CoreId; 2]> {
    let cores = core_affinity::get_core_ids()?;
    Some([*cores.first()?, *cores.get(1)?])
}

fn pin(role: usize) {
    if let Some(cores) = cores() {
        core_affinity::set_for_current(cores[role]);
    }
}

fn backoff() -> Backoff {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    Backoff::new(Wait::for_machine(2, cores))
}

/// Runs both sides and times them; the consumer returns the sum of what it saw.
fn pass(produce: impl FnOnce() + Send, consume: impl FnOnce() -> u64 + Send) -> Duration {
    let cores = cores();
    let pin = |role: usize| cores.map(|cores| core_affinity::set_for_current(cores[role]));
    let ready = Barrier::new(2);
    thread::scope(|scope| {
        let producer = scope.spawn(|| {
            pin(0);
            ready.wait();
            let start = Instant::now();
            produce();
            start
        });
        let consumer = scope.spawn(|| {
            pin(1);
            ready.wait();
            let sum = consume();
            (sum, Instant::now())
        });
        let start = producer.join().expect("the producer");
        let (seen, end) = consumer.join().expect("the consumer");
        check(seen);
        end - start
    })
}

fn check(seen: u64) {
    assert_eq!(seen, sum(&batch()).wrapping_mul(BATCHES as u64), "an item is missing");
}

fn ours(batched: bool) -> Duration {
    let (mut producer, [mut consumer]) = ring::<Item, 1>(CAPACITY);
    let batch = batch();
    let produce = move || {
        let mut backoff = backoff();
        for _ in 0..BATCHES {
            if batched {
                let mut rest = &batch[..];
                while !rest.is_empty() {
                    match producer.push_slice(rest).expect("open") {
                        0 => backoff.wait(),
                        count => {
                            rest = &rest[count..];
                            backoff.reset();
                        }
                    }
                }
            } else {
                for &item in &batch {
                    while producer.push(item).is_err() {
                        backoff.wait();
                    }
                    backoff.reset();
                }
            }
        }
    };
    let consume = move || {
        let (mut backoff, mut seen) = (backoff(), 0u64);
        loop {
            let count = if batched {
                match consumer.peek() {
                    Ok(items) => {
                        seen = seen.wrapping_add(sum(items));
                        let count = items.len();
                        consumer.advance(count);
                        count
                    }
                    Err(Closed) => return seen,
                }
            } else {
                match consumer.pop() {
                    Ok(Some(item)) => {
                        seen = seen.wrapping_add(item.sum());
                        1
                    }
                    Ok(None) => 0,
                    Err(Closed) => return seen,
                }
            };
            if count == 0 { backoff.wait() } else { backoff.reset() }
        }
    };
    pass(produce, consume)
}

fn rtrb(batched: bool) -> Duration {
    let (mut producer, mut consumer) = rtrb::RingBuffer::<Item>::new(CAPACITY);
    let batch = batch();
    let produce = move || {
        let mut backoff = backoff();
        for _ in 0..BATCHES {
            if batched {
                let mut rest = &batch[..];
                while !rest.is_empty() {
                    let (pushed, left) = producer.push_partial_slice(rest);
                    if pushed.is_empty() {
                        backoff.wait()
                    } else {
                        backoff.reset()
                    }
                    rest = left;
                }
            } else {
                for &item in &batch {
                    while producer.push(item).is_err() {
                        backoff.wait();
                    }
                    backoff.reset();
                }
            }
        }
    };
    let consume = move || {
        let (mut backoff, mut seen, mut left) = (backoff(), 0u64, ITEMS);
        while left > 0 {
            let count = if batched {
                let chunk = consumer.read_chunk(consumer.slots()).expect("the items arrived");
                let (first, second) = chunk.as_slices();
                seen = seen.wrapping_add(sum(first)).wrapping_add(sum(second));
                let count = chunk.len();
                chunk.commit_all();
                count
            } else if let Ok(item) = consumer.pop() {
                seen = seen.wrapping_add(item.sum());
                1
            } else {
                0
            };
            left -= count;
            if count == 0 { backoff.wait() } else { backoff.reset() }
        }
        seen
    };
    pass(produce, consume)
}

/// It starts its own consumer thread and pins it itself, from a thread that must not be pinned, or it
/// panics.
fn disruptor(batched: bool) -> Duration {
    let done = Arc::new(OnceLock::new());
    let done_by_consumer = Arc::clone(&done);
    let mut seen = 0u64;
    let consume = move |item: &Item, sequence: Sequence, _end_of_batch: bool| {
        seen = seen.wrapping_add(item.sum());
        if sequence == ITEMS as Sequence - 1 {
            let _ = done_by_consumer.set((seen, Instant::now()));
        }
    };
    let mut builder = disruptor::build_single_producer(CAPACITY, Item::default, BusySpinWithSpinLoopHint);
    if let Some(cores) = cores() {
        builder = builder.pin_at_core(cores[1].id);
    }
    let mut producer = builder.handle_events_with(consume).build();
    let batch = batch();
    thread::scope(|scope| {
        let producer = scope.spawn(move || {
            pin(0);
            thread::sleep(Duration::from_micros(200)); // until its consumer runs
            let start = Instant::now();
            for _ in 0..BATCHES {
                if batched {
                    producer.batch_publish(BATCH, |slots| {
                        for (slot, &item) in slots.zip(&batch) {
                            *slot = item;
                        }
                    });
                } else {
                    for &item in &batch {
                        producer.publish(|slot| *slot = item);
                    }
                }
            }
            start // and its drop waits for the consumer
        });
        let start = producer.join().expect("the producer");
        let &(seen, end) = done.get().expect("the last item");
        check(seen);
        end - start
    })
}

fn crossbeam(batched: bool) -> Duration {
    let batch = batch();
    if batched {
        let (sender, receiver) = crossbeam_channel::bounded(CAPACITY / BATCH);
        let produce = move || (0..BATCHES).for_each(|_| sender.send(batch).expect("open"));
        pass(produce, move || receiver.iter().fold(0, |seen, items| sum(&items).wrapping_add(seen)))
    } else {
        let (sender, receiver) = crossbeam_channel::bounded(CAPACITY);
        let produce = move || {
            for _ in 0..BATCHES {
                batch.iter().for_each(|&item| sender.send(item).expect("open"));
            }
        };
        pass(produce, move || receiver.iter().fold(0, |seen, item: Item| item.sum().wrapping_add(seen)))
    }
}

fn std_mpsc(batched: bool) -> Duration {
    let batch = batch();
    if batched {
        let (sender, receiver) = std::sync::mpsc::sync_channel(CAPACITY / BATCH);
        let produce = move || (0..BATCHES).for_each(|_| sender.send(batch).expect("open"));
        pass(produce, move || receiver.iter().fold(0, |seen, items| sum(&items).wrapping_add(seen)))
    } else {
        let (sender, receiver) = std::sync::mpsc::sync_channel(CAPACITY);
        let produce = move || {
            for _ in 0..BATCHES {
                batch.iter().for_each(|&item| sender.send(item).expect("open"));
            }
        };
        pass(produce, move || receiver.iter().fold(0, |seen, item: Item| item.sum().wrapping_add(seen)))
    }
}

type Contender = (&'static str, fn(bool) -> Duration);

fn compare(criterion: &mut Criterion) {
    let mut contenders: Vec<Contender> =
        vec![("ch06", ours), ("rtrb", rtrb), ("crossbeam-channel", crossbeam), ("std mpsc", std_mpsc)];
    if cores().is_some() {
        contenders.insert(2, ("disruptor", disruptor)); // it spins, which takes two cores
    }
    for (name, batched) in [("one by one", false), ("batches of 64", true)] {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(ITEMS as u64)).sampling_mode(SamplingMode::Flat);
        group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
        for (contender, run) in &contenders {
            group.bench_function(*contender, |bencher| {
                bencher.iter_custom(|passes| (0..passes).map(|_| run(batched)).sum())
            });
        }
        group.finish();
    }
}

criterion_group!(benches, compare);
criterion_main!(benches);
