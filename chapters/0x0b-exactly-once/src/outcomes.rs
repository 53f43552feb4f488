//! The last outcomes of a venue, in one row, in which those of a lane are linked.
//!
//! A repeat is rare, and a new request is not. So a new one costs a place in the row and nothing else: there is no table from
//! numbers to outcomes. A repeat walks back along its lane. It is never far: after an outcome whose number is in the window,
//! its lane has at most twice as many others as the window has numbers. Cost: 184 bytes a kept outcome.

use std::collections::VecDeque;

use crate::lanes::{NO_OUTCOME, Row};
use crate::outcome::Outcome;
use crate::window::NUMBERS;

/// How far a repeat walks back.
const STEPS_MAX: u64 = 2 * NUMBERS;

/// The last outcomes.
pub struct Outcomes {
    kept: VecDeque<Kept>,
    most: usize,
    /// How many were kept and are gone.
    gone: u64,
}

struct Kept {
    outcome: Outcome,
    /// How many places back the previous outcome of the same lane is; 0 if there is none.
    back: u32,
}

impl Outcomes {
    /// No outcomes yet, and at most this many later. The memory is reserved at once, so that no order waits for it to be
    /// moved; the system provides it as it is used.
    pub fn new(most: usize) -> Outcomes {
        Outcomes { kept: VecDeque::with_capacity(most), most: most.max(1), gone: 0 }
    }

    /// Keeps an outcome of a lane.
    pub fn keep(&mut self, row: &mut Row, outcome: Outcome) {
        if self.kept.len() == self.most {
            self.kept.pop_front();
            self.gone += 1;
        }
        let number = (self.gone + self.kept.len() as u64) as u32;
        let back = if row.last_outcome == NO_OUTCOME { 0 } else { number.wrapping_sub(row.last_outcome) };
        // One outcome in four billion is not found again: its number is the one that means none.
        row.last_outcome = number;
        self.kept.push_back(Kept { outcome, back });
    }

    // ANCHOR: find
    /// The outcome of a lane that `is_it`, if it is still kept.
    pub fn find(&self, row: &Row, is_it: impl Fn(&Outcome) -> bool) -> Option<&Outcome> {
        let end = self.gone + self.kept.len() as u64;
        let mut back = u64::from((end as u32).wrapping_sub(row.last_outcome));
        let mut at = end;
        for _ in 0..STEPS_MAX {
            at = at.checked_sub(back).filter(|at| back > 0 && *at >= self.gone)?;
            let kept = self.kept.get((at - self.gone) as usize)?;
            if is_it(&kept.outcome) {
                return Some(&kept.outcome);
            }
            back = u64::from(kept.back);
        }
        None
    }
    // ANCHOR_END: find

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}
