//! The ring under real threads: random batches, two consumers, every value checked in order.
//!
//! Under ThreadSanitizer, in the chapter's folder (a plain program, because the test harness itself raises
//! false alarms; about 10 s):
//!
//! ```sh
//! RUSTC_BOOTSTRAP=1 rustc --edition 2024 -O -g -Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer \
//!     --target x86_64-unknown-linux-gnu tests/ring_stress.rs -o /tmp/ring_tsan && /tmp/ring_tsan
//! ```

#![allow(dead_code)]

#[path = "../src/memory.rs"]
mod memory;
mod one_by_one;
#[path = "../src/ring.rs"]
mod ring;
#[path = "../src/wait.rs"]
mod wait;

use one_by_one::{Pop, Push, Refused};
use ring::{Closed, Consumer, Producer, ring};
use std::thread;
use wait::{Backoff, Wait};

const ITEMS: u64 = 50_000;
const SEEDS: u64 = 8;

/// Three words that each follow from the position: a torn or stale item is detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item([u64; 3]);

fn item(position: u64) -> Item {
    let mixed = position.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    Item([position, mixed, mixed.rotate_left(32) ^ position])
}

/// SplitMix64: enough to choose batch sizes.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }
}

fn backoff() -> Backoff {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    Backoff::new(Wait::for_machine(3, cores))
}

fn produce<const N: usize>(mut producer: Producer<Item, N>, mut random: Random) {
    let mut backoff = backoff();
    let mut batch = Vec::new();
    let mut next = 0;
    while next < ITEMS {
        let wanted = (1 + random.below(100)).min(ITEMS - next);
        batch.clear();
        batch.extend((next..next + wanted).map(item));
        let mut rest = &batch[..];
        while !rest.is_empty() {
            let count = producer.push_slice(rest).expect("no consumer leaves");
            rest = &rest[count..];
            if count == 0 { backoff.wait() } else { backoff.reset() }
        }
        next += wanted;
    }
}

fn consume<const N: usize>(mut consumer: Consumer<Item, N>, mut random: Random) -> u64 {
    let mut backoff = backoff();
    let mut checksum = 0u64;
    loop {
        let position = consumer.position();
        let limit = 1 + random.below(100) as usize;
        let count = match consumer.peek() {
            Err(Closed) => break,
            Ok(items) => {
                let items = &items[..items.len().min(limit)];
                for (offset, &seen) in items.iter().enumerate() {
                    assert_eq!(seen, item(position + offset as u64));
                    checksum = checksum.wrapping_mul(31).wrapping_add(seen.0[1]);
                }
                items.len()
            }
        };
        consumer.advance(count);
        if count == 0 { backoff.wait() } else { backoff.reset() }
    }
    assert_eq!(consumer.position(), ITEMS);
    checksum
}

/// Both consumers see every item once, in order, whatever the sizes of the batches and the ring.
fn all_arrive_in_order() {
    let expected = (0..ITEMS).fold(0u64, |sum, position| sum.wrapping_mul(31).wrapping_add(item(position).0[1]));
    for seed in 0..SEEDS {
        let capacity = 1 << (2 * seed % 11); // 1, 4, 16, 64, 256, 1024, 2, 8
        let (producer, [first, second]) = ring::<Item, 2>(capacity);
        let (a, b) = thread::scope(|scope| {
            scope.spawn(|| produce(producer, Random(seed)));
            let first = scope.spawn(|| consume(first, Random(!seed)));
            let second = scope.spawn(|| consume(second, Random(seed << 32)));
            (first.join().expect("first"), second.join().expect("second"))
        });
        assert_eq!((a, b), (expected, expected), "seed {seed}, capacity {capacity}");
    }
}

/// A consumer that panics in the middle closes the ring: neither the producer nor the other consumer
/// hangs.
fn a_panic_closes_the_ring() {
    let (mut producer, [mut steady, mut faulty]) = ring::<Item, 2>(64);
    thread::scope(|scope| {
        let faulty = scope.spawn(move || {
            while faulty.position() < 1_000 {
                let _ = faulty.pop();
            }
            std::panic::resume_unwind(Box::new("a planted fault"));
        });
        let steady = scope.spawn(move || {
            let mut backoff = backoff();
            loop {
                match steady.pop() {
                    Ok(Some(_)) => backoff.reset(),
                    Ok(None) => backoff.wait(),
                    Err(Closed) => break,
                }
            }
        });
        let mut backoff = backoff();
        for position in 0.. {
            match producer.push(item(position)) {
                Ok(()) => backoff.reset(),
                Err(Refused::Full) => backoff.wait(),
                Err(Refused::Closed) => break,
            }
        }
        assert!(faulty.join().is_err());
        steady.join().expect("the other consumer ends normally");
    });
}

#[test]
fn stress_all_arrive_in_order() {
    all_arrive_in_order();
}

#[test]
fn stress_a_panic_closes_the_ring() {
    a_panic_closes_the_ring();
}

/// `Arc` guards its last drop with a fence, which ThreadSanitizer does not understand.
#[cfg(not(test))]
#[unsafe(no_mangle)]
extern "C" fn __tsan_default_suppressions() -> *const std::ffi::c_char {
    c"race:alloc::sync::Arc<*as core::ops::drop::Drop".as_ptr()
}

#[cfg(not(test))]
fn main() {
    all_arrive_in_order();
    a_panic_closes_the_ring();
    println!("every item arrived, once and in order");
}
