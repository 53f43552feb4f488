//! What is kept of finished requests: distributions of their stages, some of them whole, and the slowest.
//!
//! Every request carries its stamps, which costs one clock read a stamp and no lock. More costly work is done only for one
//! request in N and for each slow one, which is known to be slow only when it is finished (tail sampling).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::distribution::Distribution;
use crate::stage::{Moment, STAGES, Stamps};

/// How many sampled requests are kept whole.
pub const KEPT: usize = 4_096;

/// How many slow ones are kept.
pub const SLOW: usize = 64;

/// How long a slow request stays among the slowest: a minute.
const WHILE: u64 = 60_000_000_000;

/// What is collected of a venue.
pub struct Collector {
    every: u64,
    slow: u64,
    begun: AtomicU64,
    collected: Mutex<Collected>,
}

/// What was collected so far.
#[derive(Default, Clone)]
pub struct Collected {
    /// Of each stage, over the sampled requests.
    pub stages: [Distribution; STAGES],
    /// Of the whole way, over the same.
    pub whole: Distribution,
    /// Requests whose stamps are not complete: refused at the door, or answered without the engine.
    pub incomplete: u64,
    /// Requests that took longer than the bound.
    pub slow: u64,
    /// The last sampled requests.
    pub sampled: VecDeque<Stamps>,
    /// The slowest of the last minute, the slowest first.
    pub slowest: Vec<Stamps>,
}

impl Collector {
    /// Samples one request in `every`, and all that take longer than `slow` nanoseconds.
    pub fn new(every: u64, slow: u64) -> Collector {
        Collector { every: every.max(1), slow, begun: AtomicU64::new(0), collected: Mutex::default() }
    }

    /// Whether the request that begins now is sampled: one in `every`, whichever threads ask.
    pub fn is_sampled(&self) -> bool {
        self.begun.fetch_add(1, Ordering::Relaxed).is_multiple_of(self.every)
    }

    /// Whether a command's notices are sampled.
    pub fn is_notice_sampled(&self, sequence: u64) -> bool {
        sequence.is_multiple_of(self.every)
    }

    // ANCHOR: finish
    /// A request is finished. The distributions come from the sampled ones, and the slowest from the slow ones. One
    /// that is neither costs no lock.
    pub fn finish(&self, stamps: &Stamps, is_sampled: bool) {
        let is_slow = stamps.whole() > self.slow;
        if !is_sampled && !is_slow {
            return;
        }
        let mut collected = self.lock();
        let Some(stages) = stamps.stages() else {
            collected.incomplete += 1;
            return;
        };
        if is_sampled {
            collected.stages.iter_mut().zip(stages).for_each(|(stage, ns)| stage.add(ns));
            collected.whole.add(stamps.whole());
            if collected.sampled.len() == KEPT {
                collected.sampled.pop_front();
            }
            collected.sampled.push_back(*stamps);
        }
        if is_slow {
            collected.slow += 1;
            collected.keep(stamps);
        }
    }
    // ANCHOR_END: finish

    /// What was collected so far.
    pub fn read(&self) -> Collected {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Collected> {
        self.collected.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Collected {
    /// Keeps a request among the slowest, if it is one: the [`SLOW`] slowest that were written within the minute before it,
    /// the slowest first.
    fn keep(&mut self, stamps: &Stamps) {
        let now = stamps.at(Moment::Written);
        self.slowest.retain(|one| one.at(Moment::Written) + WHILE > now);
        let place = self.slowest.partition_point(|one| one.whole() >= stamps.whole());
        if place < SLOW {
            self.slowest.truncate(SLOW - 1);
            self.slowest.insert(place, *stamps);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::MOMENTS;

    fn stamps(from: u64, whole: u64) -> Stamps {
        let mut at = [from; MOMENTS];
        at[Moment::Written as usize] = from + whole;
        Stamps { at, ticket: None, id: 0 }
    }

    #[test]
    fn the_slowest_of_the_last_minute_are_kept() {
        let collector = Collector::new(u64::MAX, 100);
        (1..=1_000).for_each(|whole| collector.finish(&stamps(5, whole), false));
        let slowest: Vec<u64> = collector.read().slowest.iter().map(Stamps::whole).collect();
        assert_eq!(slowest, (937..=1_000).rev().collect::<Vec<_>>());
        assert_eq!((collector.read().slow, collector.read().whole.count()), (900, 0));
        collector.finish(&stamps(2 * WHILE, 101), false);
        assert_eq!(collector.read().slowest.len(), 1, "the others are older than a minute");
    }

    #[test]
    fn one_in_n_is_sampled() {
        let collector = Collector::new(64, u64::MAX);
        for _ in 0..640 {
            collector.finish(&stamps(5, 7), collector.is_sampled());
        }
        assert_eq!((collector.read().whole.count(), collector.read().sampled.len()), (10, 10));
    }
}
