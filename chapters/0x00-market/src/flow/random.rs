//! Random integers that are the same on every machine, now and later.
//!
//! The stream of `Pcg64Mcg` is specified; the distributions of crates are not (a new version may
//! take another number of draws), and floating point differs between platforms. So everything above
//! the raw stream is here, in integers: a draw costs one multiplication more than the stream
//! itself.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

/// A seeded source of integers.
pub(super) struct Random {
    stream: Pcg64Mcg,
}

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        // Neighbouring seeds are spread over all 128 bits first; otherwise their streams would
        // start alike.
        let state = u128::from(spread(seed)) << 64 | u128::from(spread(!seed));
        Random { stream: Pcg64Mcg::new(state) }
    }

    /// An integer from 0 to `bound - 1`, or 0 where `bound` is 0. The bias is at most `bound` in 2^32.
    #[inline]
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        let bits = self.stream.next_u64() >> 32;
        ((bits * u64::from(bound)) >> 32) as u32
    }

    /// An integer from `low` to `high`, both included.
    #[inline]
    pub(super) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// True `share` times in `of`.
    #[inline]
    pub(super) fn chance(&mut self, share: u32, of: u32) -> bool {
        self.below(of) < share
    }

    /// One of these, all equally likely.
    #[inline]
    pub(super) fn pick<T: Copy, const N: usize>(&mut self, from: &[T; N]) -> T {
        from[self.below(N as u32) as usize]
    }
}

/// The finaliser of SplitMix64: every bit of the input changes half of the output's.
fn spread(seed: u64) -> u64 {
    let mut bits = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_never_changes() {
        let mut random = Random::new(1);
        let drawn: Vec<u32> = (0..6).map(|_| random.below(1_000_000)).collect();
        assert_eq!(drawn, [271_527, 108_305, 558_315, 281_066, 518_386, 815_858]);
    }

    #[test]
    fn ranges_hold_what_they_say() {
        let mut random = Random::new(7);
        let mut seen = [0; 4];
        for _ in 0..4_000 {
            seen[random.below(4) as usize] += 1;
            assert!((3..=5).contains(&random.between(3, 5)));
        }
        assert!(seen.iter().all(|count| (900..1_100).contains(count)), "{seen:?}");
        assert_eq!(random.below(0), 0);
    }
}
