//! A token bucket in one atomic number: the time up to which the taken tokens are paid for.
//!
//! Each token costs its share of time. A payment starts now, or where the last payment ends; if it would end further
//! ahead than the bucket's capacity, the client has to wait. This is equivalent to a bucket that refills steadily, and
//! needs no lock and no refilling thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How fast a bucket refills, and its capacity.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    token_ns: u64,
    holds_ns: u64,
}

impl Rate {
    /// This many tokens per period, and a capacity. Neither is 0.
    pub fn new(count: u32, per: Duration, burst: u32) -> Rate {
        let token_ns = (per.as_nanos() as u64 / u64::from(count.max(1))).max(1);
        Rate { token_ns, holds_ns: token_ns.saturating_mul(burst.into()) }
    }
}

/// A bucket, full at first.
#[derive(Default)]
pub struct Bucket {
    paid_until_ns: AtomicU64,
}

impl Bucket {
    /// Takes a token.
    ///
    /// # Errors
    /// How long until there is a token; in that case none was taken.
    pub fn take(&self, rate: Rate, now_ns: u64) -> Result<(), Duration> {
        let (taken, wait) = self.take_some(1, rate, now_ns);
        if taken == 1 { Ok(()) } else { Err(wait) }
    }

    /// Takes as many of these tokens as there are; returns how many, and how long until there is one more.
    pub fn take_some(&self, wanted: usize, rate: Rate, now_ns: u64) -> (usize, Duration) {
        let most = now_ns.saturating_add(rate.holds_ns);
        let paid = |until: u64, count: u64| until.max(now_ns).saturating_add(rate.token_ns.saturating_mul(count));
        let there = |until: u64| (most.saturating_sub(until.max(now_ns)) / rate.token_ns).min(wanted as u64);
        let pay = |until| Some(paid(until, there(until)));
        let (Ok(until) | Err(until)) = self.paid_until_ns.fetch_update(Ordering::Relaxed, Ordering::Relaxed, pay);
        let taken = there(until);
        (taken as usize, Duration::from_nanos(paid(until, taken + 1).saturating_sub(most)))
    }

    /// Whether the bucket is full: then a new one is equivalent.
    pub fn is_full(&self, now_ns: u64) -> bool {
        self.paid_until_ns.load(Ordering::Relaxed) <= now_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gives_its_capacity_and_then_its_rate() {
        let (bucket, rate) = (Bucket::default(), Rate::new(10, Duration::from_secs(1), 5));
        let tenth = 100_000_000;
        let taken = |now| (0..20).take_while(|_| bucket.take(rate, now).is_ok()).count();
        assert_eq!((taken(0), taken(tenth - 1), taken(tenth), taken(3 * tenth)), (5, 0, 1, 2));
        assert_eq!(bucket.take(rate, 3 * tenth), Err(Duration::from_nanos(tenth)));
        assert!(!bucket.is_full(7 * tenth) && bucket.is_full(8 * tenth));
        assert_eq!(taken(1_000 * tenth), 5, "it holds no more, however long it was unused");
        let some = |wanted, now| bucket.take_some(wanted, rate, now);
        assert_eq!(some(3, 2_000 * tenth), (3, Duration::ZERO));
        assert_eq!(some(9, 2_000 * tenth), (2, Duration::from_nanos(tenth)), "as many as there are");
    }
}
