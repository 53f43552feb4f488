//! Random integers that are the same on every machine (SplitMix64: Steele, Lea, Flood, 2014).

/// A seeded source of integers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The source of this seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// An integer from 0 to `bound - 1`, or 0 if `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// True `share` times in `of`.
    pub fn chance(&mut self, share: u32, of: u32) -> bool {
        self.below(of) < share
    }
}
