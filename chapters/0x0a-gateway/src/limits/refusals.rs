//! Refusals, counted by the limit that was exceeded. No account or address is in a reason, so a client can't add one.

use std::sync::atomic::{AtomicU64, Ordering};

use super::excess::Excess;

/// The names of the limits.
const REASONS: [&str; 5] = [
    "too-many-requests",
    "too-many-in-flight",
    "too-many-connections",
    "too-many-connections-of-address",
    "too-many-streams",
];

/// Counters of refusals.
#[derive(Default)]
pub struct Refusals([AtomicU64; REASONS.len()]);

impl Refusals {
    /// So many more for this reason.
    pub fn add(&self, excess: Excess, count: usize) {
        let place = match excess {
            Excess::TooFast(_) => 0,
            Excess::TooManyInFlight => 1,
            Excess::TooManyConnections => 2,
            Excess::TooManyOfAddress => 3,
            Excess::TooManyOfAccount => 4,
        };
        self.0[place].fetch_add(count as u64, Ordering::Relaxed);
    }

    /// How many there were for each reason.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, u64)> {
        REASONS.into_iter().zip(self.0.iter().map(|count| count.load(Ordering::Relaxed)))
    }
}
