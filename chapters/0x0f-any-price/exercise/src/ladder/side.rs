//! One side of a ladder: the window, the levels far from it, the best, and how the window follows the best.
//!
//! Levels are addressed by **rank**: higher is better on both sides, so that both use the same instructions. A level is
//! in the window exactly when the window covers its rank, otherwise in the tree; results are correct wherever the
//! window is, and only fast where it should be. So the window can move in small steps: each moves one level between the
//! array and the tree, or skips any number of empty ranks, and each message performs a few.

use crate::contract::{Price, Side};
use crate::ladder::far::Far;
use crate::ladder::orders::Level;
use crate::ladder::window::{LEVELS, Window};

/// How many steps a window waits per level that it may have to move.
const PATIENCE: usize = 16;

/// A move takes the levels of one whole window to the tree, and fetches those of another, at most.
const MOVED_MAX: usize = 2 * LEVELS as usize;

/// How good a price is for its side.
#[inline]
pub fn rank(_side: Side, _price: Price) -> u64 {
    todo!("step 1: rank")
}

/// The price of a rank.
#[inline]
pub fn price(_side: Side, _rank: u64) -> Price {
    todo!("step 1: price")
}

/// One side of a ladder.
#[derive(Default)]
pub struct Levels {
    window: Window,
    far: Far,
    /// The best rank with orders, 0 if there is none.
    best: u64,
    /// How many levels have orders.
    count: usize,
    /// The lowest rank that the window should hold.
    wanted: u64,
    /// Whether it does not yet cover what it should, or the best is not well placed.
    moving: bool,
    /// For how many steps the best has been badly placed.
    waited: usize,
    /// How many times the window has started to move.
    moves: u64,
}

impl Levels {
    /// The best rank, if the side is not empty.
    #[inline]
    pub fn best(&self) -> Option<u64> {
        (self.count > 0).then_some(self.best)
    }

    /// Whether the best is at least this good.
    #[inline]
    pub fn meets(&self, limit: u64) -> bool {
        (self.count > 0) & (self.best >= limit)
    }

    /// Whether a rank is not better than the best, so that an order of it may be on this side.
    #[inline]
    pub fn reaches(&self, rank: u64) -> bool {
        (self.count > 0) & (self.best >= rank)
    }

    /// Whether the window is moving.
    #[inline]
    pub fn is_moving(&self) -> bool {
        self.moving
    }

    /// The level of a rank; none or an empty one if there are no orders.
    #[inline]
    pub fn get(&self, rank: u64) -> Option<&Level> {
        if self.window.holds(rank) { Some(self.window.get(rank)) } else { self.far.get(rank) }
    }

    /// Adds a quantity to the level of a rank, which may be new, and returns the level for changes.
    #[inline(always)]
    pub fn add(&mut self, _rank: u64, _quantity: u64) -> &mut Level {
        todo!("step 5: add")
    }

    /// Subtracts a quantity from the level of a rank, which exists, and returns the level for changes.
    #[inline(always)]
    pub fn sub(&mut self, rank: u64, quantity: u64) -> &mut Level {
        if self.window.holds(rank) { self.window.sub(rank, quantity) } else { self.far.sub(rank, quantity) }
    }

    /// Marks the level of a rank as empty. If it was the best, finds the next one.
    #[inline]
    pub fn close(&mut self, _rank: u64) {
        todo!("step 5: close")
    }

    /// The quantity of all levels that are at least this good.
    pub fn total_from(&self, _rank: u64) -> u64 {
        todo!("step 5: total_from")
    }

    /// Whether the best is well placed: in the window's upper half, and not at its very top.
    #[inline]
    fn is_well_placed(&self) -> bool {
        self.best.wrapping_sub(self.wanted + LEVELS / 2) < LEVELS / 8 * 3
    }

    /// Checks whether the window has to follow the best.
    #[inline]
    fn follow(&mut self) {
        self.moving |= !self.is_well_placed();
    }

    /// Moves the window by some steps, if it is moving. A window that only waits does one check for all of them.
    #[cold]
    pub fn advance(&mut self, steps: usize) {
        for _ in 0..steps {
            if !self.moving {
                break;
            }
            if self.has_arrived() {
                return self.settle(steps);
            }
            self.step();
        }
    }

    /// One step: moves a level, or skips empty ranks.
    fn step(&mut self) {
        let Window { low, span, .. } = self.window;
        let (wanted, wanted_high) = (self.wanted, self.wanted + (LEVELS - 1));
        if span == 0 {
            // Start at the best, where most new orders will be.
            self.window.low = self.best.clamp(wanted, wanted_high);
            self.grow();
        } else if low < wanted {
            self.leave_below(wanted);
        } else if low + (span - 1) > wanted_high {
            self.leave_above(wanted_high);
        } else {
            self.grow();
        }
    }

    /// Whether the window covers all wanted ranks.
    fn has_arrived(&self) -> bool {
        self.window.low == self.wanted && self.window.span == LEVELS
    }

    /// The window has arrived. It moves again only if the best has been badly placed for some steps per level: a
    /// client that places a lone order far out and cancels it can't make all levels move.
    fn settle(&mut self, steps: usize) {
        self.waited += steps;
        let below = LEVELS / 16 * 11;
        let wanted = self.best.saturating_sub(below).min(u64::MAX - (LEVELS - 1));
        if self.count == 0 || self.is_well_placed() || wanted == self.wanted {
            (self.moving, self.waited) = (false, 0);
        } else if self.waited > PATIENCE * self.count.min(MOVED_MAX) {
            (self.wanted, self.waited) = (wanted, 0);
            self.moves += 1;
        }
    }

    /// Moves the lowest level into the tree, unless the window may keep it.
    fn leave_below(&mut self, wanted: u64) {
        let high = self.window.low + (self.window.span - 1);
        let lowest = self.window.lowest().filter(|&lowest| lowest < wanted);
        if let Some(lowest) = lowest {
            self.move_out(lowest);
        }
        // Rank `gone` and all below it are no longer covered.
        let gone = lowest.unwrap_or(wanted - 1).min(high);
        (self.window.low, self.window.span) = (gone.wrapping_add(1), high - gone);
    }

    /// Moves the highest level into the tree, unless the window may keep it.
    fn leave_above(&mut self, wanted: u64) {
        let highest = self.window.highest().filter(|&highest| highest > wanted);
        if let Some(highest) = highest {
            self.move_out(highest);
        }
        let gone = highest.unwrap_or(wanted + 1).max(self.window.low);
        self.window.span = gone - self.window.low;
    }

    /// Fetches the next level from the tree: first above the window, where the market is, then below.
    fn grow(&mut self) {
        let Window { low, span, .. } = self.window;
        let (wanted, missing) = (self.wanted, LEVELS - (low - self.wanted) - span);
        if missing > 0 {
            let next = self.far.at_or_above(low + span).filter(|next| next - low < span + missing);
            self.window.span = next.map_or(span + missing, |next| next - low + 1);
            self.move_in(next);
        } else {
            // Levels in the window are not in the tree, so the next one is below.
            let next = self.far.at_or_below(low).filter(|next| *next >= wanted);
            self.window.low = next.unwrap_or(wanted);
            self.window.span += low - self.window.low;
            self.move_in(next);
        }
    }

    fn move_out(&mut self, rank: u64) {
        let level = self.window.take(rank);
        *self.far.add(rank, level.total) = level;
    }

    fn move_in(&mut self, rank: Option<u64>) {
        if let Some(rank) = rank {
            let level = self.far.take(rank);
            *self.window.add(rank, level.total) = level;
        }
    }

    /// How many times the window has started to move.
    pub fn window_moves(&self) -> u64 {
        self.moves
    }

    /// Whether a rank's level, if there is one, is in the window.
    pub fn is_in_window(&self, rank: u64) -> bool {
        self.window.holds(rank)
    }

    /// How many bytes of memory it holds.
    pub fn bytes(&self) -> usize {
        self.window.bytes() + self.far.bytes()
    }
}
