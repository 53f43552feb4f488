//! How long syncs take, how many commands each makes durable, and how the last minute looked.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::distribution::Distribution;

/// How many seconds are remembered one by one.
pub const SECONDS: usize = 60;

/// How many ranges of duration are counted separately in each of them: the rows of the operator's picture.
pub const ROWS: usize = 12;

/// The longest time of the first row, in nanoseconds. Each further row doubles it; the last one has no end.
const FIRST: u64 = 62_500;

const SECOND: u64 = 1_000_000_000;

/// A sync that takes at least so many nanoseconds is reported to the operator. The alert for slow syncs has the same bound.
pub const SLOW: u64 = 100_000_000;

/// Slow syncs.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Slow {
    /// How many.
    pub count: u64,
    /// The longest of them, in nanoseconds.
    pub longest: u64,
}

/// All syncs of a venue. The journal adds one for each; the lock is held for a few nanoseconds then.
#[derive(Default)]
pub struct Syncs(Mutex<Inner>);

/// What is known of them.
#[derive(Default, Clone)]
pub struct Inner {
    /// Their times, in nanoseconds.
    pub times: Distribution,
    /// Commands that they made durable.
    pub commands: u64,
    /// Slow ones that were not reported yet.
    slow: Slow,
    /// The last seconds in which there were any: which second, and how many syncs of each row.
    seconds: VecDeque<(u64, [u32; ROWS])>,
}

impl Syncs {
    /// Adds a sync: when it ended, how long it took, and how many commands it made durable.
    pub fn add(&self, ended: u64, ns: u64, commands: u64) {
        let mut inner = self.lock();
        inner.times.add(ns);
        inner.commands += commands;
        inner.count(ended / SECOND, ns);
        if ns >= SLOW {
            inner.slow = Slow { count: inner.slow.count + 1, longest: inner.slow.longest.max(ns) };
        }
    }

    /// Slow syncs since the last call.
    pub fn take_slow(&self) -> Slow {
        std::mem::take(&mut self.lock().slow)
    }

    /// What is known of them.
    pub fn read(&self) -> Inner {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The longest times of the rows but for the last, in nanoseconds.
pub fn bounds() -> [u64; ROWS - 1] {
    std::array::from_fn(|row| FIRST << row)
}

impl Inner {
    fn count(&mut self, second: u64, ns: u64) {
        // Journals of several shards may end in another order than they got the lock.
        if self.seconds.back().is_none_or(|(last, _)| *last < second) {
            if self.seconds.len() == SECONDS {
                self.seconds.pop_front();
            }
            self.seconds.push_back((second, [0; ROWS]));
        }
        let row = bounds().partition_point(|bound| *bound < ns);
        if let Some((_, counts)) = self.seconds.back_mut() {
            counts[row] += 1;
        }
    }

    /// Each of the last [`SECONDS`] seconds, the oldest first, the one that has begun last: how many syncs of each row ended in
    /// it.
    pub fn minute(&self, now: u64) -> Vec<[u32; ROWS]> {
        let mut minute = vec![[0; ROWS]; SECONDS];
        for (second, counts) in &self.seconds {
            let ago = (now / SECOND).saturating_sub(*second) as usize;
            if let Some(place) = (SECONDS - 1).checked_sub(ago) {
                minute[place] = *counts;
            }
        }
        minute
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_second_has_its_syncs_by_how_long_they_took() {
        let syncs = Syncs::default();
        for (second, ns) in
            [(100, 1), (100, 62_500), (100, 62_501), (130, 64_000_000), (130, 64_000_001), (159, 1 << 40)]
        {
            syncs.add(second * SECOND + 5, ns, 1);
        }
        let minute = syncs.read().minute(159 * SECOND + 900);
        assert_eq!(minute.len(), SECONDS);
        assert_eq!((minute[0][..3].to_vec(), minute[0].iter().sum::<u32>()), (vec![2, 1, 0], 3));
        assert_eq!((minute[30][ROWS - 2], minute[30][ROWS - 1]), (1, 1), "the last row has no end");
        assert_eq!(minute[59][ROWS - 1], 1, "the second that has begun stands last");
        let all = |minute: Vec<[u32; ROWS]>| minute.iter().flatten().sum::<u32>();
        assert_eq!(all(minute), 6);
        assert_eq!(all(syncs.read().minute(160 * SECOND)), 3, "a minute later the oldest second is gone");
        assert_eq!(all(syncs.read().minute(1_000 * SECOND)), 0);
    }

    #[test]
    fn slow_syncs_are_told_once() {
        let syncs = Syncs::default();
        [1, SLOW - 1, SLOW, 3 * SLOW, 2 * SLOW].into_iter().for_each(|ns| syncs.add(SECOND, ns, 1));
        assert_eq!(syncs.take_slow(), Slow { count: 3, longest: 3 * SLOW });
        assert_eq!(syncs.take_slow(), Slow::default());
    }

    #[test]
    fn no_more_than_a_minute_is_remembered() {
        let syncs = Syncs::default();
        (0..10_000).for_each(|second| syncs.add(second * SECOND, 1, 1));
        assert_eq!(syncs.read().seconds.len(), SECONDS);
        // A journal that ended a second earlier counts in the second that is open.
        syncs.add(9_998 * SECOND, 1, 1);
        assert_eq!(syncs.read().minute(9_999 * SECOND)[SECONDS - 1][0], 2);
    }
}
