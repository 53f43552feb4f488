//! The ring: commands from one thread to several, without a lock and without an allocation.
//!
//! One producer copies commands into a circle of slots; each consumer reads *every* command, in order
//! and in place, at its own pace. A position counts commands from 0 and never wraps (2^64 of them
//! last 580 years at a billion a second). The producer owns one cursor, the head: the position that it
//! writes next. Each consumer owns one, its tail: the position that it reads next.
//!
//! Invariant: `tail ≤ head ≤ tail + capacity` for every tail. A consumer reads in `tail..head` only,
//! the producer writes in `head..slowest tail + capacity` only: no slot is ever in two hands.
//!
//! It takes `Arc`, the atomics and the slots from `super::memory`, and nothing else of `std`'s that threads share.
#![allow(unused_imports, dead_code)] // until you use them

use super::memory::{Arc, AtomicU32, AtomicU64, Ordering, Slots};
use std::marker::PhantomData;

/// The writing half. One thread has it: it cannot be cloned, and writing takes it mutably.
pub struct Producer<T: Copy, const CONSUMERS: usize>(PhantomData<T>);

/// A reading half. Each of them sees every command.
pub struct Consumer<T: Copy, const CONSUMERS: usize>(PhantomData<T>);

/// A half has been dropped, by a return or by a panic. One that leaves closes the ring for all, so
/// that nobody waits for a thread that is gone. (What a producer pushes just before it notices that a
/// consumer has left may be read by nobody.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

/// How far a consumer has come. See [`Consumer::progress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// All commands before this position are released.
    pub position: u64,
    /// The consumer has left: `position` is final.
    pub left: bool,
}

/// Makes a ring of `capacity` slots, a power of two, and its halves: `ring::<Command, 2>(1 << 16)`.
pub fn ring<T: Copy, const CONSUMERS: usize>(
    _capacity: usize,
) -> (Producer<T, CONSUMERS>, [Consumer<T, CONSUMERS>; CONSUMERS]) {
    todo!("step 1: the ring")
}

impl<T: Copy, const CONSUMERS: usize> Producer<T, CONSUMERS> {
    /// Publishes as many of `items` as there is room for, all at once, and says how many; 0 when full.
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
    /// Panics when so many have not been seen.
    pub fn advance(&mut self, _count: usize) {
        todo!("step 1: the ring")
    }

    /// The position of the next item.
    pub fn position(&self) -> u64 {
        todo!("step 1: the ring")
    }

    /// Looks where the head is now: are there items? [`peek`](Consumer::peek) does so once all that is known is used up;
    /// whoever wants as many as there are does so before.
    pub fn look(&mut self) -> bool {
        todo!("step 1: the ring")
    }

    /// How far another consumer has come. When the journal advances only after its sync, its position
    /// is what is durable, and whoever acknowledges needs no other word from it.
    pub fn progress(&self, _consumer: usize) -> Progress {
        todo!("step 1: the ring")
    }
}

// Yours to write as well: what each half says when it is dropped.
