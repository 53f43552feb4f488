//! A ring that never waits: its one writer overwrites the oldest records, and a reader that is too late finds out.
//!
//! Records are a few 64-bit words. A position counts records from 0 and never wraps; its slot is `position % capacity`.
//! The writer owns two cursors: `head`, the position after the last readable record, and `claimed`, the position after
//! the last record that it may be writing. It claims a block at a time, before it writes there.
//!
//! ```text
//!        claimed − capacity              head       claimed
//!                ▼                        ▼            ▼
//!   ░ overwritten │ readable, in whole commands │ being written │
//! ```
//!
//! Invariant: a record changes only while `claimed` is more than a capacity ahead of it. So a reader copies the words
//! first and then checks `claimed`: if it is not that far, the copy is intact. Readers change nothing, so there may be
//! any number of them, and the writer does not know about them.
//!
//! Cost for the writer: the words, one store to `head` per batch and one to `claimed` per block. No lock, no
//! read-modify-write, no system call, no allocation. Each word is an atomic, because a reader may load it while it is
//! overwritten; on today's processors that is a plain store.

use super::memory::{Arc, AtomicU64, Ordering, fence};
use std::array;

/// A cursor on its own cache lines, as in 0x06.
#[repr(align(128))]
struct Line<T>(T);

/// How many blocks a ring has.
const BLOCKS: usize = 64;

struct Ring<const WORDS: usize> {
    slots: Box<[[AtomicU64; WORDS]]>,
    /// Records before this position may be read.
    head: Line<AtomicU64>,
    /// Records a capacity before this position and earlier may already be overwritten.
    claimed: Line<AtomicU64>,
}

/// The writing half. There is one.
pub struct Writer<const WORDS: usize> {
    ring: Arc<Ring<WORDS>>,
    next: u64,
    claimed: u64,
    block: u64,
}

/// The reading half. It keeps no position: each reader brings its own.
pub struct Records<const WORDS: usize> {
    ring: Arc<Ring<WORDS>>,
}

impl<const WORDS: usize> Clone for Records<WORDS> {
    fn clone(&self) -> Records<WORDS> {
        Records { ring: Arc::clone(&self.ring) }
    }
}

/// Makes a ring of at least `capacity` records, rounded up to a power of two.
pub fn ring<const WORDS: usize>(capacity: usize) -> (Writer<WORDS>, Records<WORDS>) {
    let capacity = capacity.next_power_of_two();
    // Not zeros: the system maps zeroed memory only on first use, and the first record would pay for that.
    let slot = || array::from_fn(|_| AtomicU64::new(u64::MAX));
    let ring = Arc::new(Ring {
        slots: (0..capacity).map(|_| slot()).collect(),
        head: Line(AtomicU64::new(0)),
        claimed: Line(AtomicU64::new(0)),
    });
    let block = (capacity / BLOCKS).max(1) as u64;
    (Writer { ring: Arc::clone(&ring), next: 0, claimed: 0, block }, Records { ring })
}

impl<const WORDS: usize> Ring<WORDS> {
    #[inline]
    fn slot(&self, position: u64) -> &[AtomicU64; WORDS] {
        &self.slots[position as usize & (self.slots.len() - 1)]
    }

    fn capacity(&self) -> u64 {
        self.slots.len() as u64
    }
}

impl<const WORDS: usize> Writer<WORDS> {
    // ANCHOR: push
    /// Writes a record over the oldest one. Readers do not see it before [`publish`](Writer::publish).
    #[inline]
    pub fn push(&mut self, record: [u64; WORDS]) {
        if self.next == self.claimed {
            self.claimed += self.block;
            self.ring.claimed.0.store(self.claimed, Ordering::Relaxed);
            // A reader that sees a word of this block and then fences also sees the claim.
            fence(Ordering::Release);
        }
        for (word, value) in self.ring.slot(self.next).iter().zip(record) {
            word.store(value, Ordering::Relaxed);
        }
        self.next += 1;
    }

    /// Makes everything that was pushed visible to readers.
    #[inline]
    pub fn publish(&mut self) {
        // Release: a reader that sees this head also sees the records before it.
        self.ring.head.0.store(self.next, Ordering::Release);
    }
    // ANCHOR_END: push

    /// The position of the next record.
    pub fn next(&self) -> u64 {
        self.next
    }
}

impl<const WORDS: usize> Records<WORDS> {
    /// The position after the last readable record.
    #[inline]
    pub fn head(&self) -> u64 {
        // Acquire: the records before this head are visible.
        self.ring.head.0.load(Ordering::Acquire)
    }

    /// The oldest position that was not yet claimed for overwriting at the time of the call.
    pub fn oldest(&self) -> u64 {
        self.ring.claimed.0.load(Ordering::Relaxed).saturating_sub(self.ring.capacity())
    }

    // ANCHOR: read
    /// The record at a position before a [`head`](Records::head) seen earlier, or `None` if it was overwritten.
    #[inline]
    pub fn read(&self, position: u64) -> Option<[u64; WORDS]> {
        let record = self.ring.slot(position).each_ref().map(|word| word.load(Ordering::Relaxed));
        // If one of these words belongs to a later record, its block was claimed before, and that is visible here.
        fence(Ordering::Acquire);
        let claimed = self.ring.claimed.0.load(Ordering::Relaxed);
        (claimed <= position + self.ring.capacity()).then_some(record)
    }
    // ANCHOR_END: read

    /// How many bytes of memory the ring holds.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.ring.slots) + size_of::<Ring<WORDS>>()
    }
}
