//! The Universal Scalability Law (Gunther): throughput of N workers is `λN / (1 + α(N−1) +
//! βN(N−1))`, where α is contention (what they queue for) and β is coherency (what they
//! communicate).

use serde::{Deserialize, Serialize};

/// A fitted law.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UslFit {
    /// Throughput of one worker alone, λ.
    pub lambda: f64,
    /// Contention, α: the share of work that only one can do at a time.
    pub alpha: f64,
    /// Coherency, β: what each pair of workers costs.
    pub beta: f64,
}

impl UslFit {
    /// The throughput that the law predicts for `workers`.
    pub fn throughput(&self, workers: f64) -> f64 {
        let others = workers - 1.0;
        self.lambda * workers / (1.0 + self.alpha * others + self.beta * workers * others)
    }

    /// The sum of squared relative errors.
    fn error(&self, points: &[(f64, f64)]) -> f64 {
        points.iter().map(|&(n, x)| (self.throughput(n) / x - 1.0).powi(2)).sum()
    }
}

/// Fits the law to `(workers, throughput)`; α and β are kept at 0 or above. `None` with fewer than
/// three different numbers of workers: two points always lie on such a curve.
pub fn fit_usl(points: &[(f64, f64)]) -> Option<UslFit> {
    let mut workers: Vec<f64> = points.iter().map(|point| point.0).collect();
    workers.sort_by(f64::total_cmp);
    workers.dedup();
    if workers.len() < 3 || points.iter().any(|&(n, x)| n < 1.0 || x <= 0.0 || !x.is_finite()) {
        return None;
    }
    // N/X is linear in 1/λ, α/λ and β/λ; each row divided by N/X makes the errors relative. A
    // factor that turns out negative is left out, and the rest is fitted again.
    let choices: [&[usize]; 4] = [&[0, 1, 2], &[0, 1], &[0, 2], &[0]];
    choices
        .into_iter()
        .filter_map(|terms| solve_terms(points, terms))
        .min_by(|a, b| a.error(points).total_cmp(&b.error(points)))
}

fn solve_terms(points: &[(f64, f64)], terms: &[usize]) -> Option<UslFit> {
    let mut matrix = [[0.0; 4]; 3];
    for &(n, x) in points {
        let row = [1.0, n - 1.0, n * (n - 1.0)].map(|term| term * x / n);
        for (line, &i) in terms.iter().enumerate() {
            for (column, &j) in terms.iter().enumerate() {
                matrix[line][column] += row[i] * row[j];
            }
            matrix[line][3] += row[i];
        }
    }
    let solution = solve(&mut matrix, terms.len())?;
    let mut factors = [0.0; 3];
    for (&term, value) in terms.iter().zip(solution) {
        factors[term] = value;
    }
    let [inverse, contention, coherency] = factors;
    let usable = inverse > 0.0 && contention >= 0.0 && coherency >= 0.0;
    usable.then(|| UslFit { lambda: 1.0 / inverse, alpha: contention / inverse, beta: coherency / inverse })
}

/// Gauss's elimination with the largest pivot; the right side is in column 3.
fn solve(matrix: &mut [[f64; 4]; 3], size: usize) -> Option<[f64; 3]> {
    for column in 0..size {
        let pivot = (column..size).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        matrix.swap(column, pivot);
        let line = matrix[column];
        if line[column].abs() < f64::MIN_POSITIVE {
            return None;
        }
        for (place, other) in matrix.iter_mut().enumerate().take(size) {
            if place != column {
                let factor = other[column] / line[column];
                other.iter_mut().zip(line).for_each(|(value, above)| *value -= factor * above);
            }
        }
    }
    let mut solution = [0.0; 3];
    for (place, value) in solution.iter_mut().enumerate().take(size) {
        *value = matrix[place][3] / matrix[place][place];
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-6 * b.abs().max(1e-3)
    }

    #[test]
    fn a_law_is_found_again_from_its_points() {
        let law = UslFit { lambda: 4.2e6, alpha: 0.08, beta: 0.004 };
        let points: Vec<_> = [1.0, 2.0, 4.0, 8.0, 16.0].map(|n| (n, law.throughput(n))).to_vec();
        let fit = fit_usl(&points).unwrap();
        assert!(near(fit.lambda, law.lambda) && near(fit.alpha, law.alpha) && near(fit.beta, law.beta), "{fit:?}");
    }

    #[test]
    fn factors_are_never_negative() {
        let better_than_linear = [(1.0, 1.0e6), (2.0, 2.1e6), (4.0, 4.4e6)];
        let fit = fit_usl(&better_than_linear).unwrap();
        assert!(fit.alpha >= 0.0 && fit.beta >= 0.0, "{fit:?}");
    }

    #[test]
    fn two_points_are_no_law() {
        assert_eq!(fit_usl(&[(1.0, 1e6), (2.0, 1.8e6), (2.0, 1.9e6)]), None);
        assert_eq!(fit_usl(&[(1.0, 1e6), (2.0, 0.0), (4.0, 1e6)]), None);
    }
}
