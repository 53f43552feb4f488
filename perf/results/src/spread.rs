//! A figure over several rounds.

use serde::{Deserialize, Serialize};

/// A figure over the rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The middle round; with an even number of rounds the mean of the middle two.
    pub median: f64,
    /// The smallest round.
    pub min: f64,
    /// The largest round.
    pub max: f64,
    /// Every round, in the order measured.
    pub rounds: Vec<f64>,
}

impl Spread {
    /// Sums up `rounds`; `None` when there is no round or one is not a finite number.
    pub fn of(rounds: &[f64]) -> Option<Self> {
        if rounds.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut sorted = rounds.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            median: median_of_sorted(&sorted)?,
            min: *sorted.first()?,
            max: *sorted.last()?,
            rounds: rounds.to_vec(),
        })
    }
}

/// The median of values in ascending order; `None` when empty.
pub fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some((sorted[sorted.len() / 2 - 1] + upper) / 2.0)
}
