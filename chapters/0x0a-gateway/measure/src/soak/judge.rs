//! Whether a venue stayed stable.
//!
//! The first quarter of the windows is a warm-up and is not judged. The median of the last quarter is compared with
//! that of the second, and may be larger by a factor and an amount, both generous: the point is to find steady growth,
//! not fluctuation.
//!
//! | what | may be larger by |
//! |---|---|
//! | memory | a quarter, and 32 MiB |
//! | open files | a tenth, and 16 |
//! | threads | 4 |
//! | p99 | three times, and 20 ms |

use results::record::{TrendRecord, WindowRecord};
use results::spread::median_of_sorted;

/// RequestKind must not grow, and by how much it may be larger: a factor, and an amount.
const RULES: [Rule; 4] = [
    Rule {
        name: "memory",
        times: 1.25,
        more: 32.0 * 1024.0 * 1024.0,
        of: |window| Some(window.resident_bytes? as f64),
    },
    Rule { name: "descriptors", times: 1.1, more: 16.0, of: |window| Some(window.descriptors? as f64) },
    Rule { name: "threads", times: 1.0, more: 4.0, of: |window| Some(window.threads? as f64) },
    Rule { name: "p99", times: 3.0, more: 20.0, of: |window| Some(window.p99_ms) },
];

struct Rule {
    name: &'static str,
    times: f64,
    more: f64,
    of: fn(&WindowRecord) -> Option<f64>,
}

/// The trend of everything that must not grow; leaves out what the system does not report.
pub fn trends(windows: &[WindowRecord]) -> Vec<TrendRecord> {
    let quarter = windows.len() / 4;
    let (second, last) = (&windows[quarter..2 * quarter], &windows[windows.len() - quarter..]);
    let trend = |rule: &Rule| {
        let (before, after) = (median(second, rule.of)?, median(last, rule.of)?);
        let allowed = rule.times * before + rule.more;
        Some(TrendRecord { name: rule.name.into(), before, after, allowed, is_over: after > allowed })
    };
    RULES.iter().filter_map(trend).collect()
}

fn median(windows: &[WindowRecord], of: fn(&WindowRecord) -> Option<f64>) -> Option<f64> {
    let mut values = windows.iter().map(of).collect::<Option<Vec<f64>>>()?;
    values.sort_by(f64::total_cmp);
    median_of_sorted(&values)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forty windows with these values, by the number of the window.
    fn windows(memory: fn(u64) -> u64, descriptors: fn(u64) -> u64, p99_ms: fn(u64) -> f64) -> Vec<WindowRecord> {
        let window = |number| WindowRecord {
            until_s: 10.0 * number as f64,
            orders_per_s: 1e4,
            p50_ms: 1.0,
            p99_ms: p99_ms(number),
            p999_ms: 100.0,
            resident_bytes: Some(memory(number)),
            descriptors: Some(descriptors(number)),
            threads: Some(9),
        };
        (1..=40).map(window).collect()
    }

    fn over(windows: &[WindowRecord]) -> Vec<String> {
        trends(windows).into_iter().filter(|trend| trend.is_over).map(|trend| trend.name).collect()
    }

    #[test]
    fn warm_up_and_fluctuation_are_not_growth() {
        let warm = windows(|n| (100 + 20 * n.min(10)) << 20, |n| 80 + n % 3, |n| if n % 7 == 0 { 90.0 } else { 4.0 });
        assert_eq!((over(&warm), trends(&warm).len()), (Vec::new(), 4));
        assert!(trends(&[]).is_empty());
    }

    #[test]
    fn steady_growth_is_detected() {
        assert_eq!(over(&windows(|n| (100 + 8 * n) << 20, |_| 80, |_| 4.0)), ["memory"]);
        assert_eq!(over(&windows(|_| 1 << 28, |n| 80 + 2 * n, |_| 4.0)), ["descriptors"]);
        assert_eq!(over(&windows(|_| 1 << 28, |_| 80, |n| 0.25 * (n * n) as f64)), ["p99"]);
    }

    #[test]
    fn unreported_values_are_left_out_and_the_rest_is_judged() {
        let mut silent = windows(|_| 1, |_| 1, |_| 4.0);
        silent.iter_mut().for_each(|window| (window.resident_bytes, window.descriptors) = (None, None));
        let names: Vec<_> = trends(&silent).into_iter().map(|trend| trend.name).collect();
        assert_eq!(names, ["threads", "p99"]);
    }
}
