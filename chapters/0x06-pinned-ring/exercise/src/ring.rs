//! The ring: commands from one thread to several, without a lock and without an allocation.
//!
//! One producer copies commands into a circle of slots; each consumer reads *every* command, in order and in
//! place, at its own pace. A position counts commands from 0 and never wraps (2^64 of them last 580 years at a
//! billion a second). The producer owns one cursor, the head: the position that it writes next. Each consumer owns
//! one, its tail: the position that it reads next.
//!
//! Invariant: `tail ≤ head ≤ tail + capacity` for every tail. A consumer reads in `tail..head` only, the producer
//! writes in `head..slowest tail + capacity` only: no slot is ever used by both sides.
//!
//! It takes `Arc`, the atomics and the slots from `super::memory`, and nothing else from `std` that threads share.
#![allow(unused_imports, dead_code)] // until you use them

use super::memory::{Arc, AtomicU32, AtomicU64, Ordering, Slots};
use std::marker::PhantomData;

/// The writing half. One thread has it: it cannot be cloned, and writing takes it mutably.
pub struct Producer<T: Copy, const CONSUMERS: usize>(PhantomData<T>);

/// A reading half. Each of them sees every command.
pub struct Consumer<T: Copy, const CONSUMERS: usize>(PhantomData<T>);

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
    _capacity: usize,
) -> (Producer<T, CONSUMERS>, [Consumer<T, CONSUMERS>; CONSUMERS]) {
    todo!("step 1: the ring")
}

impl<T: Copy, const CONSUMERS: usize> Producer<T, CONSUMERS> {
    /// Publishes as many of `items` as there is space for, all at once, and returns how many; 0 when
    /// the ring is full.
    pub fn push_slice(&mut self, _items: &[T]) -> Result<usize, Closed> {
        todo!("step 1: the ring")
    }
}

impl<T: Copy, const CONSUMERS: usize> Consumer<T, CONSUMERS> {
    /// The next items, in place: all that are known, up to the end of the circle; empty when there are none yet,
    /// [`Closed`] when there are none and a half has left. They stay until [`advance`](Consumer::advance).
    pub fn peek(&mut self) -> Result<&[T], Closed> {
        todo!("step 1: the ring")
    }

    /// Releases the first `count` items: the producer may overwrite them.
    ///
    /// # Panics
    /// Panics when fewer items than that have been seen.
    pub fn advance(&mut self, _count: usize) {
        todo!("step 1: the ring")
    }

    /// The position of the next item.
    pub fn position(&self) -> u64 {
        todo!("step 1: the ring")
    }

    /// Reads where the head is now: are there items? [`peek`](Consumer::peek) does so when all known items are used
    /// up; a caller that wants all there are calls this first.
    pub fn look(&mut self) -> bool {
        todo!("step 1: the ring")
    }

    /// How far another consumer has got. The journal advances only after its sync, so its position is
    /// what is durable, and the matching thread needs no other message from it.
    pub fn progress(&self, _consumer: usize) -> Progress {
        todo!("step 1: the ring")
    }
}

// Yours to write as well: what each half signals when it is dropped.
