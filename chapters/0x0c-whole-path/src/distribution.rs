//! Times: how many, their exact sum, and a histogram of them.

use hdrhistogram::Histogram;

/// The longest time that is kept apart from longer ones, in nanoseconds: a minute.
const LONGEST: u64 = 60_000_000_000;

/// Times in nanoseconds. A quantile is right to one part in a hundred; count and sum are exact, so means add up.
#[derive(Clone)]
pub struct Distribution {
    histogram: Histogram<u64>,
    sum: u64,
}

impl Default for Distribution {
    fn default() -> Distribution {
        // Bounds that the library takes.
        let histogram = Histogram::new_with_bounds(1, LONGEST, 2).unwrap_or_else(|_| unreachable!("bounds are valid"));
        Distribution { histogram, sum: 0 }
    }
}

impl Distribution {
    /// Adds a time.
    pub fn add(&mut self, ns: u64) {
        self.histogram.saturating_record(ns.max(1));
        self.sum += ns;
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Their sum, in nanoseconds.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// Their mean, in nanoseconds; 0 where there are none.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count().max(1) as f64
    }

    /// The time that this part of them does not exceed.
    pub fn quantile(&self, part: f64) -> u64 {
        self.histogram.value_at_quantile(part)
    }

    /// How many do not exceed each of these bounds, which rise.
    pub fn up_to(&self, bounds: &[u64]) -> Vec<u64> {
        let (mut counts, mut all) = (vec![0; bounds.len()], self.histogram.iter_recorded().peekable());
        let mut count = 0;
        for (bound, so_many) in bounds.iter().zip(&mut counts) {
            while let Some(value) = all.next_if(|value| value.value_iterated_to() <= *bound) {
                count += value.count_since_last_iteration();
            }
            *so_many = count;
        }
        counts
    }
}
