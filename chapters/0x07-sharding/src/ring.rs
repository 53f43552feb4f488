//! The ring: commands from one thread to several, without a lock and without an allocation.
//!
//! One producer copies commands into a circle of slots; each consumer reads *every* command, in order
//! and in place, at its own pace. A position counts commands from 0 and never wraps (2^64 of them last
//! 580 years at a billion a second). The producer owns one cursor, the head: the position that it
//! writes next. Each consumer owns one, its tail: the position that it reads next.
//!
//! ```text
//!                 tail of consumer 1      tail of consumer 0      head
//!                          ▼                       ▼               ▼
//!   slots    ░░ free ░░░░░░│ read by 0, not yet by 1 │ read by none │░░ free ░░
//! ```
//!
//! Invariant: `tail ≤ head ≤ tail + capacity` for every tail. A consumer reads in `tail..head` only,
//! the producer writes in `head..slowest tail + capacity` only: no slot is ever used by both sides.
//!
//! Cost: no lock, no read-modify-write, no system call; one store to publish a batch and one to
//! release it. A shared cursor is read only when the local copy from the last read is used up: reading
//! it misses the cache (50 to 200 ns between cores), reading the copy does not.

use super::memory::{Arc, AtomicU32, AtomicU64, Ordering, Slots};
use std::array;

/// A cursor on its own cache lines, so that moving it does not take a neighbour's line away from
/// the core that uses it. A line has 64 bytes; x86 fetches them in pairs and Apple's have 128, so
/// 128.
#[repr(align(128))]
struct Line<T>(T);

/// What the halves share. The slots' address and `left` are only read while the ring runs: all cores
/// keep their copy of that line.
struct Ring<T, const CONSUMERS: usize> {
    slots: Slots<T>,
    /// Which halves have left: bit 0 is the producer, bit 1 + i consumer i.
    left: AtomicU32,
    head: Line<AtomicU64>,
    tails: [Line<AtomicU64>; CONSUMERS],
}

const PRODUCER: u32 = 1;

fn consumer_bit(index: usize) -> u32 {
    1 << (1 + index)
}

/// The writing half. One thread has it: it cannot be cloned, and writing takes it mutably.
#[repr(align(128))] // as for `Line`: two halves in one stack frame must not share a line either
pub struct Producer<T: Copy, const CONSUMERS: usize> {
    ring: Arc<Ring<T, CONSUMERS>>,
    head: u64,
    /// Where the free slots ended at the last read: the slowest tail + capacity.
    limit: u64,
}

/// A reading half. Each of them sees every command.
#[repr(align(128))]
pub struct Consumer<T: Copy, const CONSUMERS: usize> {
    ring: Arc<Ring<T, CONSUMERS>>,
    index: usize,
    tail: u64,
    /// Where the commands ended at the last read.
    head: u64,
}

const ALIGNED: [usize; 3] = [align_of::<Line<u8>>(), align_of::<Producer<u8, 1>>(), align_of::<Consumer<u8, 1>>()];
const _: () = assert!(matches!(ALIGNED, [128, 128, 128]), "cursors and halves have their own lines");

/// A half was dropped, by a return or by a panic. When one half is gone, the ring is closed for all,
/// so that no thread waits for one that has ended. (What a producer pushes just before it notices
/// that a consumer has left may never be read.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

/// How far a consumer has got. See [`Consumer::progress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// All commands before this position are released.
    pub position: u64,
    /// The consumer has left: `position` is final.
    pub left: bool,
}

/// Creates a ring of `capacity` slots, a power of two, and its halves: `ring::<Command, 2>(1 <<
/// 16)`.
pub fn ring<T: Copy, const CONSUMERS: usize>(
    capacity: usize,
) -> (Producer<T, CONSUMERS>, [Consumer<T, CONSUMERS>; CONSUMERS]) {
    const { assert!(CONSUMERS >= 1 && CONSUMERS <= 31, "from 1 to 31 consumers") };
    let ring = Arc::new(Ring {
        slots: Slots::new(capacity),
        left: AtomicU32::new(0),
        head: Line(AtomicU64::new(0)),
        tails: array::from_fn(|_| Line(AtomicU64::new(0))),
    });
    let consumers = array::from_fn(|index| {
        let ring = Arc::clone(&ring);
        Consumer { ring, index, tail: 0, head: 0 }
    });
    (Producer { ring, head: 0, limit: capacity as u64 }, consumers)
}

impl<T: Copy, const CONSUMERS: usize> Producer<T, CONSUMERS> {
    // ANCHOR: push
    /// Publishes as many of `items` as there is space for, all at once, and returns how many; 0 when
    /// the ring is full.
    #[inline]
    pub fn push_slice(&mut self, items: &[T]) -> Result<usize, Closed> {
        // Relaxed: no data depends on the answer. A consumer that leaves after this read is seen by
        // the next one.
        if self.ring.left.load(Ordering::Relaxed) != 0 {
            return Err(Closed);
        }
        if self.limit - self.head < items.len() as u64 {
            self.limit = self.slowest_tail() + self.ring.slots.capacity() as u64;
        }
        let count = items.len().min((self.limit - self.head) as usize);
        if count > 0 {
            // SAFETY: `head + count ≤ limit`, which is at most a capacity past every tail: each
            // consumer has released what these slots held, and reads none before the head that is
            // published below. No other producer exists, and this one is borrowed mutably.
            unsafe { self.ring.slots.write(self.head, &items[..count]) };
            self.head += count as u64;
            // Release: a reader that sees this head sees the items before it.
            self.ring.head.0.store(self.head, Ordering::Release);
        }
        Ok(count)
    }
    // ANCHOR_END: push

    fn slowest_tail(&self) -> u64 {
        // Acquire: when a tail is seen, the consumer's reads before it are done, so the slots may be
        // overwritten.
        let tails = self.ring.tails.iter().map(|tail| tail.0.load(Ordering::Acquire));
        tails.fold(u64::MAX, u64::min)
    }
}

impl<T: Copy, const CONSUMERS: usize> Consumer<T, CONSUMERS> {
    // ANCHOR: peek
    /// The next items, in place: all that are known, up to the end of the circle; empty when there are none yet,
    /// [`Closed`] when there are none and a half has left. They stay until [`advance`](Consumer::advance).
    #[inline]
    pub fn peek(&mut self) -> Result<&[T], Closed> {
        if self.tail == self.head && !self.look() {
            // Acquire: when the producer is seen to have left, the last head that it published is
            // seen too ...
            if self.ring.left.load(Ordering::Acquire) == 0 {
                return Ok(&[]);
            }
            // ... so this read is final.
            if !self.look() {
                return Err(Closed);
            }
        }
        // SAFETY: `tail..head` is published, hence written, and this consumer has not released it,
        // so the producer does not write there; `advance` needs the consumer, which the slice
        // borrows mutably.
        Ok(unsafe { self.ring.slots.read(self.tail, (self.head - self.tail) as usize) })
    }

    /// Releases the first `count` items: the producer may overwrite them.
    ///
    /// # Panics
    /// Panics when fewer items than that have been seen.
    #[inline]
    pub fn advance(&mut self, count: usize) {
        assert!(count as u64 <= self.head - self.tail, "released more than was published");
        if count > 0 {
            self.tail += count as u64;
            // Release: the reads of these items are done before the producer sees this tail.
            self.ring.tails[self.index].0.store(self.tail, Ordering::Release);
        }
    }
    // ANCHOR_END: peek

    /// The position of the next item.
    pub fn position(&self) -> u64 {
        self.tail
    }

    // ANCHOR: progress
    /// How far another consumer has got. The journal advances only after its sync, so its position is
    /// what is durable, and the matching thread needs no other message from it.
    #[inline]
    pub fn progress(&self, consumer: usize) -> Progress {
        // Acquire, and before the position: when the consumer is seen to have left, its last
        // position is seen too.
        let left = self.ring.left.load(Ordering::Acquire) & consumer_bit(consumer) != 0;
        // Acquire: everything that the consumer did before it advanced is done.
        let position = self.ring.tails[consumer].0.load(Ordering::Acquire);
        Progress { position, left }
    }
    // ANCHOR_END: progress

    /// Reads where the head is now: are there items? [`peek`](Consumer::peek) does so when all known items are used
    /// up; a caller that wants all there are calls this first.
    #[inline]
    pub fn look(&mut self) -> bool {
        // Acquire: the items before this head can be read.
        self.head = self.ring.head.0.load(Ordering::Acquire);
        self.head != self.tail
    }
}

impl<T: Copy, const CONSUMERS: usize> Drop for Producer<T, CONSUMERS> {
    fn drop(&mut self) {
        // Release: a reader that sees the bit sees the last head. (This happens once, so a
        // read-modify-write is fine.)
        self.ring.left.fetch_or(PRODUCER, Ordering::Release);
    }
}

impl<T: Copy, const CONSUMERS: usize> Drop for Consumer<T, CONSUMERS> {
    fn drop(&mut self) {
        // Release: a reader that sees the bit sees the last tail.
        self.ring.left.fetch_or(consumer_bit(self.index), Ordering::Release);
    }
}
