//! Levels around the market: an array, and a two-level bitmap of the levels that have orders.
//!
//! The array is a ring: a rank's index is its low twelve bits. So the window moves without moving any data: a rank that
//! leaves at one end makes room for one that enters at the other. A bit of `top` says whether any of 64 levels has
//! orders, a bit of that word which ones: the next level with orders, wherever it is, is two counts of zeros away. Each
//! word is stored with the quantity of its 64 levels, so that a sum over the window need not visit every level.
//! Invariants: a bit is set exactly if its level has orders; ranks outside of `low` and `span` have none here.

use crate::ladder::orders::Level;

/// How many levels there are: 64 words of 64 bits.
pub const LEVELS: u64 = 64 * 64;

// ANCHOR: window
/// 64 levels.
#[derive(Clone, Copy)]
struct Word {
    /// Which of them have orders.
    bits: u64,
    /// The quantity of all their orders.
    total: u64,
}

/// The levels of `span` ranks starting at `low`.
pub struct Window {
    /// The lowest rank.
    pub low: u64,
    /// How many ranks there are, at most [`LEVELS`].
    pub span: u64,
    /// Which words have a bit.
    top: u64,
    words: Box<[Word; 64]>,
    levels: Box<[Level; LEVELS as usize]>,
}
// ANCHOR_END: window

impl Default for Window {
    fn default() -> Window {
        let words = Box::new([Word { bits: 0, total: 0 }; 64]);
        let levels = vec![Level::EMPTY; LEVELS as usize].into_boxed_slice();
        let levels = levels.try_into().unwrap_or_else(|_| Box::new([Level::EMPTY; LEVELS as usize]));
        Window { low: 0, span: LEVELS, top: 0, words, levels }
    }
}

/// A rank's index in the ring.
fn place(rank: u64) -> usize {
    (rank % LEVELS) as usize
}

impl Window {
    /// Whether the window covers a rank.
    #[inline]
    pub fn holds(&self, rank: u64) -> bool {
        rank.wrapping_sub(self.low) < self.span
    }

    /// The level of a covered rank.
    #[inline]
    pub fn get(&self, rank: u64) -> &Level {
        &self.levels[place(rank)]
    }

    /// Adds a quantity to the level of a covered rank, and returns the level for changes.
    #[inline]
    pub fn add(&mut self, rank: u64, quantity: u64) -> &mut Level {
        let place = place(rank);
        self.top |= 1 << (place / 64);
        let word = &mut self.words[place / 64];
        word.bits |= 1 << (place % 64);
        word.total += quantity;
        let level = &mut self.levels[place];
        level.total += quantity;
        level
    }

    /// Subtracts a quantity from the level of a covered rank, and returns the level for changes.
    #[inline]
    pub fn sub(&mut self, rank: u64, quantity: u64) -> &mut Level {
        let place = place(rank);
        self.words[place / 64].total -= quantity;
        let level = &mut self.levels[place];
        level.total -= quantity;
        level
    }

    /// Marks a level as empty.
    #[inline]
    pub fn close(&mut self, rank: u64) {
        let place = place(rank);
        let word = &mut self.words[place / 64];
        word.bits &= !(1 << (place % 64));
        if word.bits == 0 {
            self.top &= !(1 << (place / 64));
        }
    }

    // ANCHOR: below
    /// The next lower rank that has orders, up to a whole turn of the ring away.
    #[inline]
    pub fn below(&self, rank: u64) -> Option<u64> {
        let from = place(rank);
        let (word, bit) = (from / 64, from % 64);
        let in_word = self.words[word].bits & !(u64::MAX << bit);
        let found = match in_word.checked_ilog2() {
            Some(bit) => word * 64 + bit as usize,
            None => {
                // The words below, then those at the ring's other end, and last the one that we started from.
                let below = self.top & !(u64::MAX << word);
                let word = if below != 0 { below } else { self.top }.checked_ilog2()? as usize;
                word * 64 + self.words[word].bits.ilog2() as usize
            }
        };
        Some(rank.wrapping_sub(1 + place((from as u64 + LEVELS - 1).wrapping_sub(found as u64)) as u64))
    }
    // ANCHOR_END: below

    /// The next higher rank that has orders, up to a whole turn of the ring away.
    pub fn above(&self, rank: u64) -> Option<u64> {
        let from = place(rank);
        let (word, bit) = (from / 64, from % 64);
        let in_word = self.words[word].bits & (u64::MAX << bit << 1);
        let found = if in_word != 0 {
            word * 64 + in_word.trailing_zeros() as usize
        } else {
            let above = self.top & (u64::MAX << word << 1);
            let words = if above != 0 { above } else { self.top };
            let word = words.trailing_zeros() as usize;
            word * 64 + self.words.get(word)?.bits.trailing_zeros() as usize
        };
        Some(rank.wrapping_add(1 + place((found as u64 + LEVELS - 1).wrapping_sub(from as u64)) as u64))
    }

    /// The highest rank that has orders.
    pub fn highest(&self) -> Option<u64> {
        self.below(self.low.wrapping_add(self.span))
    }

    /// The lowest rank that has orders.
    pub fn lowest(&self) -> Option<u64> {
        self.above(self.low.wrapping_sub(1))
    }

    /// Removes and returns a level.
    pub fn take(&mut self, rank: u64) -> Level {
        self.close(rank);
        let total = self.get(rank).total;
        let level = self.sub(rank, total);
        Level { total, ..std::mem::replace(level, Level::EMPTY) }
    }

    // ANCHOR: total_from
    /// The quantity of all levels from this rank up: whole words where possible, and at most 126 single levels.
    pub fn total_from(&self, mut rank: u64) -> u64 {
        if rank <= self.low {
            return self.words.iter().map(|word| word.total).sum();
        }
        let mut left = self.span.saturating_sub(rank - self.low);
        let mut total = 0;
        while left > 0 {
            let whole = rank.is_multiple_of(64) && left >= 64;
            let place = place(rank);
            total += if whole { self.words[place / 64].total } else { self.levels[place].total };
            let step = if whole { 64 } else { 1 };
            (rank, left) = (rank.wrapping_add(step), left - step);
        }
        total
    }
    // ANCHOR_END: total_from

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.words) + size_of_val(&*self.levels)
    }
}
