//! What pairs of runs say about a factor, such as a program's throughput ÷ that of another program.
//!
//! The two runs of a pair are next to each other in time, so slow drift affects both, and the order within a pair is
//! random: if the two programs are equal, each ratio is as likely as its inverse. Two old tests need nothing more, so
//! their errors are known exactly for any shape of noise, including outliers and two modes. The sign test counts
//! which of the two was ahead, and up to one pair in four may be spoiled without hiding the rest. Wilcoxon's signed
//! ranks (Individual comparisons by ranking methods, 1945) also use by how much, and see smaller differences when
//! there is little noise. Each gets half of the error; the interval holds the factors that neither test rejects, and
//! the estimate in its middle is that of Hodges and Lehmann (1963).

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::spread::Spread;
use crate::units::factor_text;

/// What is known about a factor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Factor {
    /// The factor, as a single number.
    pub estimate: f64,
    /// The least that it may be.
    pub low: f64,
    /// The most that it may be.
    pub high: f64,
}

impl Factor {
    // ANCHOR: of
    /// The factor that these ratios give, one from each pair. The true one lies outside of `low` to `high` with a
    /// probability of at most `error`.
    ///
    /// `None` when there are too few pairs for so small an error (seven for 5%), or a ratio is not above 0.
    pub fn of(ratios: &[f64], error: f64) -> Option<Factor> {
        if ratios.iter().any(|ratio| !ratio.is_finite() || *ratio <= 0.0) {
            return None;
        }
        let mut logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
        let mut averages = walsh_averages(&logs);
        let tail = error / 4.0;
        let signs = middle(&mut logs, outside(Test::Signs, ratios.len(), tail));
        let ranks = middle(&mut averages, outside(Test::Ranks, ratios.len(), tail));
        let (low, high) = match (signs, ranks) {
            (Some(signs), Some(ranks)) if signs.0 <= ranks.1 && ranks.0 <= signs.1 => {
                (signs.0.max(ranks.0), signs.1.min(ranks.1))
            }
            // Disjoint intervals come from a mixture that the rank test can't handle.
            (signs, ranks) => signs.or(ranks)?,
        };
        let estimate = median(&mut averages)?.clamp(low, high);
        Some(Factor { estimate: estimate.exp(), low: low.exp(), high: high.exp() })
    }
    // ANCHOR_END: of

    /// `other` ÷ `first`, where the two ran side by side in each round. `None` also when one has more
    /// rounds.
    pub fn of_rounds(first: &Spread, other: &Spread, error: f64) -> Option<Factor> {
        let ratios: Vec<f64> = first.rounds.iter().zip(&other.rounds).map(|(first, other)| other / first).collect();
        (first.rounds.len() == other.rounds.len()).then(|| Factor::of(&ratios, error)).flatten()
    }

    /// Whether it differs from 1 for certain.
    pub fn is_certain(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }

    /// Whether it differs from 1 by at least `margin`, for certain: 0.05 for five per cent.
    pub fn matters(&self, margin: f64) -> bool {
        self.is_certain() && (self.estimate - 1.0).abs() >= margin
    }

    /// How far the factor may lie from 1, to either side: 0.02 for a low end of 0.98.
    pub fn largest_change(&self) -> f64 {
        (self.low - 1.0).abs().max((self.high - 1.0).abs())
    }

    /// How far the truth may be from the estimate, as a share of it.
    pub fn half_width(&self) -> f64 {
        (self.high / self.estimate).max(self.estimate / self.low) - 1.0
    }
}

/// A random order of the numbers below `count`, so that neither what ran before nor drift favours any of them.
pub fn drawn_order(count: usize) -> Vec<usize> {
    // The standard library draws the keys of each hasher anew, which is random enough.
    let keys = RandomState::new();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|number| keys.hash_one(number));
    order
}

/// How small and how large `other` ÷ `first` may be, from the rounds that both ran in, with an error of 5%, as a
/// table's cell.
pub fn between(first: &Spread, other: &Spread) -> String {
    match Factor::of_rounds(first, other, 0.05) {
        _ if first == other => String::new(),
        None => "not judged".into(),
        Some(factor) => format!("{} to {}", factor_text(factor.low), factor_text(factor.high)),
    }
}

/// The smallest and the largest value after removing `outside` at each end and putting the last of them back; `None`
/// if nothing could be removed.
fn middle(values: &mut [f64], outside: usize) -> Option<(f64, f64)> {
    let low = at(values, outside.checked_sub(1)?)?;
    Some((low, at(values, values.len().checked_sub(outside)?)?))
}

/// The median, with the values in any order.
fn median(values: &mut [f64]) -> Option<f64> {
    let low = at(values, values.len().checked_sub(1)? / 2)?;
    Some(f64::midpoint(low, at(values, values.len() / 2)?))
}

/// The value that would be at this place if the values were sorted; of ten thousand averages only a few are
/// needed.
fn at(values: &mut [f64], place: usize) -> Option<f64> {
    (place < values.len()).then(|| *values.select_nth_unstable_by(place, f64::total_cmp).1)
}

/// The mean of every two values, and of each with itself.
fn walsh_averages(logs: &[f64]) -> Vec<f64> {
    let mut averages = Vec::with_capacity(logs.len() * (logs.len() + 1) / 2);
    for (at, one) in logs.iter().enumerate() {
        averages.extend(logs[at..].iter().map(|other| f64::midpoint(*one, *other)));
    }
    averages
}

/// Which of the two tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Test {
    Signs,
    Ranks,
}

/// How many values at each end a test of this many pairs rejects. It is the same for all figures of a race, and
/// is computed once.
fn outside(test: Test, pairs: usize, tail: f64) -> usize {
    static KNOWN: Mutex<BTreeMap<(Test, usize, u64), usize>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry((test, pairs, tail.to_bits())).or_insert_with(|| match test {
        Test::Signs => sums_up_to(&vec![1; pairs], tail),
        Test::Ranks => sums_up_to(&(1..=pairs).collect::<Vec<_>>(), tail),
    })
}

/// How many of the smallest sums 0, 1, 2 … of these weights, each included by the toss of a coin, together have at
/// most the probability `tail`.
fn sums_up_to(weights: &[usize], tail: f64) -> usize {
    // The probability of each sum, one weight at a time.
    let mut probabilities = vec![1.0];
    for weight in weights {
        let mut with = vec![0.0; probabilities.len() + weight];
        for (sum, probability) in probabilities.iter().enumerate() {
            with[sum] += probability / 2.0;
            with[sum + weight] += probability / 2.0;
        }
        probabilities = with;
    }
    let cumulative = probabilities.iter().scan(0.0, |sum, probability| {
        *sum += probability;
        Some(*sum)
    });
    cumulative.take_while(|probability| *probability <= tail).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_that_of_the_tables() {
        // The critical values of the signed-rank test for 5 % in both tails, one less than the count of sums.
        for (count, critical) in [(6, 0), (8, 3), (10, 8), (15, 25), (20, 52), (25, 89)] {
            let ranks: Vec<usize> = (1..=count).collect();
            assert_eq!(sums_up_to(&ranks, 0.025), critical + 1, "{count} pairs");
        }
        assert_eq!(sums_up_to(&[1, 2, 3, 4, 5], 0.025), 0);
        // Those of the sign test.
        for (count, critical) in [(6, 0), (10, 1), (20, 5), (25, 7)] {
            assert_eq!(sums_up_to(&vec![1; count], 0.025), critical + 1, "{count} pairs");
        }
    }

    #[test]
    fn the_interval_holds_the_middle_and_forgives_an_outlier() {
        let mut ratios: Vec<f64> = (0..20).map(|n| 1.04 + 0.002 * f64::from(n)).collect();
        let without = Factor::of(&ratios, 0.05).expect("enough pairs");
        assert!(without.low > 1.04 && without.high < 1.08 && (without.estimate - 1.059).abs() < 0.001, "{without:?}");
        ratios[19] = 40.0;
        let with = Factor::of(&ratios, 0.05).expect("enough pairs");
        assert!(with.low > 1.04 && with.high < 1.08 && with.half_width() < 0.02, "{with:?}");
        assert!((with.largest_change() - (with.high - 1.0)).abs() < 1e-12);
    }

    #[test]
    fn rounds_side_by_side_forgive_a_drift() {
        // Both are twice as slow in the last round as in the first: the ranges overlap, but the factor is 1.1.
        let drift: Vec<f64> = (0..7).map(|round| 10.0 + f64::from(round)).collect();
        let slower: Vec<f64> = drift.iter().map(|ns| 1.1 * ns).collect();
        let [first, other] = [drift, slower].map(|rounds| Spread::of(&rounds).expect("numbers"));
        let factor = Factor::of_rounds(&first, &other, 0.05).expect("seven rounds");
        assert!(factor.matters(0.05) && !factor.matters(0.11), "{factor:?}");
        assert!(!Factor::of_rounds(&first, &first, 0.05).expect("seven rounds").is_certain());
        let fewer = Spread::of(&first.rounds[..6]).expect("numbers");
        assert_eq!(Factor::of_rounds(&first, &fewer, 0.05), None);
    }

    #[test]
    fn each_order_is_drawn_about_as_often() {
        let mut drawn = std::collections::BTreeMap::<Vec<usize>, usize>::new();
        for _ in 0..6_000 {
            *drawn.entry(drawn_order(3)).or_default() += 1;
        }
        // A thousand each, give or take ten standard deviations.
        assert!(drawn.len() == 6 && drawn.values().all(|times| (700..1_300).contains(times)), "{drawn:?}");
    }

    #[test]
    fn what_is_uncertain_is_not_reported() {
        assert_eq!(Factor::of(&[1.0; 6], 0.05), None);
        assert_eq!(Factor::of(&[], 0.05), None);
        assert_eq!(Factor::of(&[1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0], 0.05), None);
        assert_eq!(Factor::of(&[f64::NAN; 20], 0.05), None);
        assert_eq!(Factor::of(&[1.0; 7], 0.05), Some(Factor { estimate: 1.0, low: 1.0, high: 1.0 }));
    }
}
