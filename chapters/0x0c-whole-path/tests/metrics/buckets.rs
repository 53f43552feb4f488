//! A quantile that Prometheus computes from the buckets lies within one bucket of the exact one.

use contract::streams::Random;
use whole_path::distribution::Distribution;
use whole_path::writer::BOUNDS;

const COUNT: usize = 20_000;

/// What `histogram_quantile` of Prometheus does: it looks for the bucket, and draws a straight line through it.
fn from_buckets(counts: &[u64], all: u64, part: f64) -> f64 {
    let rank = part * all as f64;
    let at = counts.iter().position(|count| *count as f64 >= rank).expect("none is longer than the last bound");
    let (from, before) = if at == 0 { (0, 0) } else { (BOUNDS[at - 1], counts[at - 1]) };
    let width = (BOUNDS[at] - from) as f64;
    from as f64 + width * (rank - before as f64) / (counts[at] - before) as f64
}

/// The bucket that this time belongs to.
fn bucket(ns: f64) -> usize {
    BOUNDS.iter().position(|bound| ns <= *bound as f64).expect("none is longer than the last bound")
}

fn check(name: &str, mut times: Vec<u64>) {
    let mut distribution = Distribution::default();
    times.iter().for_each(|ns| distribution.add(*ns));
    times.sort_unstable();
    let counts = distribution.up_to(&BOUNDS);
    assert!(counts.is_sorted(), "{name}: buckets hold all that is shorter, too: {counts:?}");
    assert_eq!(distribution.count(), times.len() as u64, "{name}");
    for part in [0.5, 0.9, 0.99, 0.999] {
        let exact = times[((part * times.len() as f64).ceil() as usize).max(1) - 1];
        let computed = from_buckets(&counts, distribution.count(), part);
        let (there, here) = (bucket(exact as f64), bucket(computed));
        assert!(there.abs_diff(here) <= 1, "{name}, {part}: {computed} for {exact}, buckets {here} and {there}");
    }
}

#[test]
fn a_quantile_from_the_buckets_lies_within_one_of_them() {
    let mut random = Random::new(48);
    let mut unit = || (random.below(1 << 32) as f64 + 0.5) / 2f64.powi(32);
    // Box and Muller's way to a normal distribution.
    let mut normal = || (-2.0 * unit().ln()).sqrt() * (std::f64::consts::TAU * unit()).cos();
    for (median_ns, width) in [(2e3, 0.3), (150e3, 1.0), (2e6, 1.5), (80e6, 0.7)] {
        let times = (0..COUNT).map(|_| (median_ns * (width * normal()).exp()) as u64).collect();
        check(&format!("lognormal around {median_ns} ns, {width} wide"), times);
    }
    // Most are fast, and every fifty-first one waits for something.
    for slow in [3_000_000, 40_000_000, 700_000_000] {
        let time = |at: usize| if at.is_multiple_of(51) { slow } else { 90_000 } + at as u64 % 1_000;
        check(&format!("fast, or {slow} ns"), (0..COUNT).map(time).collect());
    }
    // At a bound, a nanosecond to either side of it, and between two.
    for ns in BOUNDS.iter().flat_map(|bound| [bound - 1, *bound, bound + 1, bound * 4 / 5]) {
        if ns < BOUNDS[BOUNDS.len() - 1] - 1 {
            check(&format!("{ns} ns, always"), vec![ns; 100]);
        }
    }
}
