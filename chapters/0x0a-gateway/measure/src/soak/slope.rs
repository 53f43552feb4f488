//! How fast a value grows, and how sure one can be of it.
//!
//! The slope is that of Theil and Sen: the median of the slopes between all pairs of points. A line by least squares follows a
//! few windows in which the machine was busy with something else; this one moves only when a good quarter of the points do.
//!
//! The interval comes from a bootstrap: the run is made up again many times, from its line and what lies beside it. What lies
//! beside it is drawn in blocks of neighbours, because neighbours resemble each other: memory that was taken stays for a while.
//! Drawn one by one, such points would seem to know more than they do, and the interval would be too narrow.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;
use results::record::SlopeRecord;

/// More points than these are put together, neighbours to their median: pairs grow with the square.
const POINTS: usize = 60;

/// Fewer points say nothing.
const LEAST: usize = 8;

/// How many runs are made up. Of the slopes, one in 40 at either end lies outside the interval.
const RUNS: usize = 200;
const OUTSIDE: usize = RUNS / 40;

/// The slope of points `(hours, value)` whose hours rise; none where there are too few.
pub fn slope(points: &[(f64, f64)]) -> Option<SlopeRecord> {
    let points: Vec<(f64, f64)> = points.chunks(points.len().div_ceil(POINTS).max(1)).filter_map(middle).collect();
    if points.len() < LEAST {
        return None;
    }
    let per_hour = theil_sen(&points)?;
    let beside: Vec<f64> = points.iter().map(|(hours, value)| value - per_hour * hours).collect();
    // The same points give the same interval.
    let mut random = Pcg64Mcg::new(points.len() as u128);
    let mut slopes = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let made_up = blocks(&beside, &mut random);
        let run = points.iter().zip(made_up).map(|((hours, _), beside)| (*hours, per_hour * hours + beside));
        slopes.push(theil_sen(&run.collect::<Vec<_>>())?);
    }
    slopes.sort_by(f64::total_cmp);
    Some(SlopeRecord { per_hour, low: slopes[OUTSIDE], high: slopes[RUNS - 1 - OUTSIDE] })
}

/// Neighbours as one point: the mean of their hours, the median of their values.
fn middle(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let hours = points.iter().map(|point| point.0).sum::<f64>() / points.len() as f64;
    Some((hours, median(points.iter().map(|point| point.1).collect())?))
}

/// The median of the slopes between all pairs.
fn theil_sen(points: &[(f64, f64)]) -> Option<f64> {
    let mut slopes = Vec::with_capacity(points.len() * points.len() / 2);
    for (at, (hours, value)) in points.iter().enumerate() {
        slopes.extend(points[at + 1..].iter().map(|(later, then)| (then - value) / (later - hours)));
    }
    median(slopes)
}

/// As many values as there are, in blocks of neighbours of about the square root of that.
fn blocks(values: &[f64], random: &mut Pcg64Mcg) -> Vec<f64> {
    let length = values.len().isqrt();
    let mut made_up = Vec::with_capacity(values.len() + length);
    while made_up.len() < values.len() {
        let from = random.next_u64() as usize % (values.len() - length + 1);
        made_up.extend_from_slice(&values[from..from + length]);
    }
    made_up.truncate(values.len());
    made_up
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    let (middle, is_odd) = (values.len() / 2, values.len() % 2 == 1);
    if values.is_empty() {
        return None;
    }
    // Not sorted as a whole: there are thousands of pairs, hundreds of times.
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().max_by(f64::total_cmp).filter(|_| !is_odd);
    Some(lower.map_or(*upper, |lower| (lower + *upper) / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half an hour, a point each ten seconds.
    const WINDOWS: usize = 180;

    fn series(value: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
        (0..WINDOWS).map(|window| (window as f64 / 360.0, value(window))).collect()
    }

    fn found(points: &[(f64, f64)]) -> SlopeRecord {
        slope(points).expect("enough points")
    }

    /// Noise from -1 to 1 of which each value keeps so much of the one before it.
    fn noise(seed: u128, kept: f64) -> Vec<f64> {
        let (mut random, mut before) = (Pcg64Mcg::new(seed), 0.0);
        let mut next = || {
            before = kept * before + (1.0 - kept) * (f64::from(random.next_u32()) / f64::from(u32::MAX) * 2.0 - 1.0);
            before
        };
        (0..WINDOWS).map(|_| next()).collect()
    }

    #[test]
    fn a_straight_line_has_its_own_slope_and_no_doubt() {
        let SlopeRecord { per_hour, low, high } = found(&series(|window| 7.0 + 3.0 * window as f64 / 360.0));
        for value in [per_hour, low, high] {
            assert!((value - 3.0).abs() < 1e-9, "{low} {per_hour} {high}");
        }
        assert_eq!(found(&series(|_| 7.0)), SlopeRecord { per_hour: 0.0, low: 0.0, high: 0.0 });
    }

    #[test]
    fn a_few_wild_windows_do_not_move_it() {
        let wild = series(|window| if window % 6 == 5 { 1e6 } else { window as f64 / 360.0 });
        assert!((found(&wild).per_hour - 1.0).abs() < 0.2, "{:?}", found(&wild));
    }

    #[test]
    fn the_interval_has_the_true_slope_nearly_always() {
        for kept in [0.0, 0.8] {
            let runs = 20;
            let hits = (0..runs).filter(|run| {
                let noise = noise(*run, kept);
                let SlopeRecord { low, high, .. } =
                    found(&series(|window| 2.0 * window as f64 / 360.0 + noise[window]));
                (low..=high).contains(&2.0)
            });
            // 19 in 20 are meant; drawn one by one, values that keep 0.8 would hit in half of the runs.
            assert!(hits.count() >= 16, "of {runs} intervals, with {kept} kept");
        }
    }

    #[test]
    fn few_points_say_nothing() {
        assert_eq!(slope(&[]), None);
        assert_eq!(slope(&series(|_| 1.0)[..LEAST - 1]), None);
        assert!(slope(&series(|_| 1.0)[..LEAST]).is_some());
    }

    #[test]
    fn a_run_of_days_takes_no_longer() {
        let days: Vec<_> = (0..100_000).map(|window| (window as f64 / 360.0, window as f64)).collect();
        assert!((found(&days).per_hour - 360.0).abs() < 1e-6);
    }
}
