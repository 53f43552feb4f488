//! The slate: the shares at each price, which any thread can read while they are being written.
//!
//! One writer and any number of readers, which the writer does not know about. Each amount has the version at which it
//! last changed beside it. So nothing needs to be kept per reader: what it has missed follows from the version that it
//! has.
//!
//! ```text
//!  state   2 × version, and 1 more while it is written
//!  words   what is said beside the amounts
//!  amounts    40   0   0  -7  -3 …      a signed number of shares for each price
//!  changed     8   3   0   8   5 …      the version at which it last changed
//! ```
//!
//! Invariant: between two equal even states, nothing was written. So a reader loads the state, copies, and loads the
//! state again: if the two differ, or the state is odd, it discards the copy. Cost for the writer: the same for no
//! reader and for ten thousand. Cost for a reader: one load if nothing is new, otherwise 26 cache lines to scan.

use super::memory::{Arc, AtomicU64, Ordering, fence};
use std::array;

/// What readers see: `PRICES` amounts, up to 128, and some words.
pub struct Slate<const PRICES: usize, const WORDS: usize> {
    state: AtomicU64,
    words: [AtomicU64; WORDS],
    amounts: [AtomicU64; PRICES],
    changed: [AtomicU64; PRICES],
}

/// The writing half. There is one.
pub struct Writer<const PRICES: usize, const WORDS: usize> {
    slate: Arc<Slate<PRICES, WORDS>>,
    version: u64,
}

/// What a reader gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken<const WORDS: usize> {
    /// The version of this copy.
    pub version: u64,
    /// Bit `i` for amount `i`: it was copied.
    pub which: u128,
    /// The words.
    pub words: [u64; WORDS],
}

/// Makes an empty slate at version 0.
pub fn slate<const PRICES: usize, const WORDS: usize>() -> (Writer<PRICES, WORDS>, Arc<Slate<PRICES, WORDS>>) {
    const { assert!(PRICES <= 128, "a mask has 128 bits") };
    let slate = Arc::new(Slate {
        state: AtomicU64::new(0),
        words: array::from_fn(|_| AtomicU64::new(0)),
        amounts: array::from_fn(|_| AtomicU64::new(0)),
        changed: array::from_fn(|_| AtomicU64::new(0)),
    });
    (Writer { slate: Arc::clone(&slate), version: 0 }, slate)
}

impl<const PRICES: usize, const WORDS: usize> Writer<PRICES, WORDS> {
    // ANCHOR: publish
    /// Stores the amounts that have changed, and the words, as the next version.
    pub fn publish(&mut self, amounts: &[i64; PRICES], words: &[u64; WORDS]) {
        let slate = &*self.slate;
        self.version += 1;
        slate.state.store(2 * self.version - 1, Ordering::Relaxed);
        // A reader that sees any of the following stores and then fences also sees the odd state.
        fence(Ordering::Release);
        for (at, &amount) in amounts.iter().enumerate() {
            if slate.amounts[at].load(Ordering::Relaxed) != amount as u64 {
                slate.amounts[at].store(amount as u64, Ordering::Relaxed);
                slate.changed[at].store(self.version, Ordering::Relaxed);
            }
        }
        for (word, &value) in slate.words.iter().zip(words) {
            word.store(value, Ordering::Relaxed);
        }
        // Release: a reader that sees this state also sees all of the above.
        slate.state.store(2 * self.version, Ordering::Release);
    }
    // ANCHOR_END: publish
}

impl<const PRICES: usize, const WORDS: usize> Slate<PRICES, WORDS> {
    /// The current version, or the one being written.
    #[inline]
    pub fn version(&self) -> u64 {
        self.state.load(Ordering::Relaxed).div_ceil(2)
    }

    // ANCHOR: take
    /// Copies the amounts that changed after version `since`, or all of them if that is 0; the others are set to 0.
    /// `None` if the slate was being written: `amounts` is then meaningless, and the next attempt usually succeeds.
    pub fn take(&self, since: u64, amounts: &mut [i64; PRICES]) -> Option<Taken<WORDS>> {
        // Acquire: everything written for this state is visible.
        let state = self.state.load(Ordering::Acquire);
        if state % 2 == 1 {
            return None;
        }
        let mut which = 0;
        for (at, amount) in amounts.iter_mut().enumerate() {
            let is_missed = since == 0 || self.changed[at].load(Ordering::Relaxed) > since;
            which |= u128::from(is_missed) << at;
            *amount = if is_missed { self.amounts[at].load(Ordering::Relaxed) as i64 } else { 0 };
        }
        let words = self.words.each_ref().map(|word| word.load(Ordering::Relaxed));
        // If anything above was written later, the odd state before it is visible here.
        fence(Ordering::Acquire);
        let is_whole = self.state.load(Ordering::Relaxed) == state;
        is_whole.then_some(Taken { version: state / 2, which, words })
    }
    // ANCHOR_END: take
}
