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
    pub fn add(&mut self, _rank: u64, _quantity: u64) -> &mut Level {
        todo!("step 2: add")
    }

    /// Subtracts a quantity from the level of a covered rank, and returns the level for changes.
    #[inline]
    pub fn sub(&mut self, _rank: u64, _quantity: u64) -> &mut Level {
        todo!("step 2: sub")
    }

    /// Marks a level as empty.
    #[inline]
    pub fn close(&mut self, _rank: u64) {
        todo!("step 3: close")
    }

    /// The next lower rank that has orders, up to a whole turn of the ring away.
    #[inline]
    pub fn below(&self, _rank: u64) -> Option<u64> {
        todo!("step 3: below")
    }

    /// The next higher rank that has orders, up to a whole turn of the ring away.
    pub fn above(&self, _rank: u64) -> Option<u64> {
        todo!("step 3: above")
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

    /// The quantity of all levels from this rank up: whole words where possible, and at most 126 single levels.
    pub fn total_from(&self, _rank: u64) -> u64 {
        todo!("step 4: total_from")
    }

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.words) + size_of_val(&*self.levels)
    }
}
