//! How a number is measured: an operation is repeated until the clock's own cost and resolution no
//! longer matter, that is repeated for many samples, and their median and spread are kept.

use std::time::Instant;

use results::record::Measured;

/// Samples for each number, where one is quick.
const SAMPLES: usize = 25;

/// Times `pass`, which does this many operations, repeatedly; the first pass warms up.
pub(crate) fn time_passes(operations: u64, mut pass: impl FnMut()) -> Option<Measured> {
    pass();
    let mut samples = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        let start = Instant::now();
        pass();
        samples.push(start.elapsed().as_nanos() as f64 / operations as f64);
    }
    Measured::of(samples)
}

/// A small random generator for access patterns (xorshift64*): the same on every machine.
pub(crate) struct Pattern(u64);

impl Pattern {
    pub fn new() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }

    /// The next number below `bound`, which is above zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let mixed = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D);
        // The high half of the product is uniform enough for a pattern, without a division.
        ((u128::from(mixed) * u128::from(bound)) >> 64) as u64
    }
}
