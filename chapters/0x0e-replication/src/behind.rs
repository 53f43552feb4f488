//! For how long something has been missing: what an operator wants to know before how much of it there is.
//!
//! A follower that is well is always a little behind something that is always moving. So the clock starts at what was known to be
//! missing at some moment, and stops when that is there; whatever has come since then starts it anew.

use std::time::{Duration, Instant};

/// Since when something is missing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Behind {
    /// What has to be there, and since when that is known.
    awaited: Option<(u64, Instant)>,
}

impl Behind {
    /// So much is known to be elsewhere now, and so much is here.
    pub fn note(&mut self, elsewhere: u64, here: u64, now: Instant) {
        self.awaited = self.awaited.filter(|(awaited, _)| *awaited > here);
        if self.awaited.is_none() && elsewhere > here {
            self.awaited = Some((elsewhere, now));
        }
    }

    /// For how long something has been missing; zero when nothing is.
    pub fn since(&self, now: Instant) -> Duration {
        self.awaited.map_or(Duration::ZERO, |(_, since)| now.saturating_duration_since(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(behind: &Behind, now: Instant) -> u64 {
        behind.since(now).as_secs()
    }

    #[test]
    fn the_clock_runs_from_the_first_look_until_what_it_saw_is_here() {
        let (mut behind, start) = (Behind::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(seconds(&behind, at(5)), 0);
        behind.note(10, 10, at(0));
        assert_eq!(seconds(&behind, at(5)), 0, "nothing is missing");
        behind.note(12, 10, at(1));
        behind.note(20, 11, at(3));
        assert_eq!(seconds(&behind, at(4)), 3, "12 has been missing since 1");
        behind.note(20, 12, at(5));
        assert_eq!(seconds(&behind, at(7)), 2, "12 is here, and 20 is not, as was known at 5");
        behind.note(20, 21, at(8));
        assert_eq!(seconds(&behind, at(9)), 0);
    }

    #[test]
    fn a_follower_that_is_always_a_moment_behind_is_not_behind_for_long() {
        let (mut behind, start) = (Behind::default(), Instant::now());
        for second in 0..100 {
            let now = start + Duration::from_secs(second);
            behind.note(1_000 * (second + 1), 1_000 * second, now);
            assert!(seconds(&behind, now) <= 1, "{behind:?}");
        }
    }
}
