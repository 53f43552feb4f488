//! Random numbers for access patterns: the same on every machine, and cheap compared with what is
//! measured.

/// A generator that starts the same each time (splitmix64).
#[derive(Clone)]
pub struct Pattern(u64);

impl Pattern {
    /// The generator of this seed.
    pub fn new(seed: u64) -> Pattern {
        Pattern(seed)
    }

    /// The next number below `bound`, which is above zero.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        // The high half of the product needs no division.
        ((u128::from(mixed) * bound as u128) >> 64) as usize
    }

    /// A list of numbers below `bound`.
    pub fn list(seed: u64, count: usize, bound: usize) -> Vec<u32> {
        let mut pattern = Pattern::new(seed);
        (0..count).map(|_| pattern.below(bound) as u32).collect()
    }
}
