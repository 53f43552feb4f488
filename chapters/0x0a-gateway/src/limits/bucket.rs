//! A bucket of tokens, in one atomic number: until when is paid for what was taken?
//!
//! Each token costs its share of time. Whoever takes one pays from now on, or from where the last payment ends; who would
//! be ahead of the clock by more than the bucket holds has to wait. It is the same as a bucket that drips, and needs no
//! lock and nobody who fills it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How fast a bucket fills, and how much it holds.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    token_ns: u64,
    holds_ns: u64,
}

impl Rate {
    /// So many tokens in so much time, and room for so many. Neither is 0.
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
    /// How long until there is one; none was taken then.
    pub fn take(&self, rate: Rate, now_ns: u64) -> Result<(), Duration> {
        let paid = |until: u64| until.max(now_ns).saturating_add(rate.token_ns);
        let most = now_ns.saturating_add(rate.holds_ns);
        let fits = |until| Some(paid(until)).filter(|&until| until <= most);
        let taken = self.paid_until_ns.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits);
        taken.map(drop).map_err(|until| Duration::from_nanos(paid(until) - most))
    }

    /// Whether nothing is missing: then a new one is as good.
    pub fn is_full(&self, now_ns: u64) -> bool {
        self.paid_until_ns.load(Ordering::Relaxed) <= now_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gives_what_it_holds_and_then_what_drips() {
        let (bucket, rate) = (Bucket::default(), Rate::new(10, Duration::from_secs(1), 5));
        let tenth = 100_000_000;
        let taken = |now| (0..20).take_while(|_| bucket.take(rate, now).is_ok()).count();
        assert_eq!((taken(0), taken(tenth - 1), taken(tenth), taken(3 * tenth)), (5, 0, 1, 2));
        assert_eq!(bucket.take(rate, 3 * tenth), Err(Duration::from_nanos(tenth)));
        assert!(!bucket.is_full(7 * tenth) && bucket.is_full(8 * tenth));
        assert_eq!(taken(1_000 * tenth), 5, "it holds no more, however long nobody came");
    }
}
