//! Whether a venue stayed stable.
//!
//! Two questions are asked. *Is there much more at the end?* The first quarter of the windows is a warm-up and is not judged.
//! The median of the last quarter is compared with that of the second, and may be larger by a factor and an amount, both
//! generous. That finds what grows fast, in a run of any length.
//!
//! *Does it still grow?* The [slope] of the second half has an interval, and too much is what lies above the allowance with
//! the whole of it. That finds what grows slowly, such as a leak of a megabyte an hour, in a run of half an hour or more. In a
//! shorter run everything warms up, and its slope means nothing.
//!
//! | what | may be larger by | may grow in an hour by |
//! |---|---|---|
//! | memory | a quarter, and 32 MiB | 0.25 MiB |
//! | open files | a tenth, and 16 | 1 |
//! | threads | 4 | 1 |
//! | p99 | three times, and 20 ms | 1 ms |

use results::record::{TrendRecord, WindowRecord};
use results::spread::median_of_sorted;

use super::slope::slope;

/// A shorter run has no slopes.
const LONG_S: f64 = 1_800.0;

/// What must not grow, and by how much it may be larger: a factor, and an amount. And how much it may grow in an hour.
const RULES: [Rule; 4] = [
    Rule {
        name: "memory",
        times: 1.25,
        more: 32.0 * 1024.0 * 1024.0,
        per_hour: 0.25 * 1024.0 * 1024.0,
        of: |window| Some(window.resident_bytes? as f64),
    },
    Rule { name: "descriptors", times: 1.1, more: 16.0, per_hour: 1.0, of: |window| Some(window.descriptors? as f64) },
    Rule { name: "threads", times: 1.0, more: 4.0, per_hour: 1.0, of: |window| Some(window.threads? as f64) },
    Rule { name: "p99", times: 3.0, more: 20.0, per_hour: 1.0, of: |window| Some(window.p99_ms) },
];

struct Rule {
    name: &'static str,
    times: f64,
    more: f64,
    per_hour: f64,
    of: fn(&WindowRecord) -> Option<f64>,
}

/// The trend of everything that must not grow; leaves out what the system does not report.
pub fn trends(windows: &[WindowRecord]) -> Vec<TrendRecord> {
    let quarter = windows.len() / 4;
    let (second, last) = (&windows[quarter..2 * quarter], &windows[windows.len() - quarter..]);
    let half = &windows[windows.len() / 2..];
    let is_long = windows.last().is_some_and(|window| window.until_s >= LONG_S);
    let trend = |rule: &Rule| {
        let (before, after) = (median(second, rule.of)?, median(last, rule.of)?);
        let allowed = rule.times * before + rule.more;
        let points = half.iter().map(|window| Some((window.until_s / 3_600.0, (rule.of)(window)?)));
        let slope = if is_long { slope(&points.collect::<Option<Vec<_>>>()?) } else { None };
        let allowed_per_hour = rule.per_hour;
        let is_over = after > allowed || slope.is_some_and(|slope| slope.low > allowed_per_hour);
        Some(TrendRecord { name: rule.name.into(), before, after, allowed, slope, allowed_per_hour, is_over })
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
    use results::chapters;
    use results::record::{Record, SoakRecord};

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

    /// An hour of windows that ends in these bytes of memory.
    fn hour(memory: impl Fn(usize) -> f64) -> Vec<WindowRecord> {
        let mut hour: Vec<_> = windows(|_| 0, |_| 80, |_| 4.0).iter().cycle().take(360).cloned().collect();
        for (at, window) in hour.iter_mut().enumerate() {
            (window.until_s, window.resident_bytes) = (10.0 * (at + 1) as f64, Some(memory(at) as u64));
        }
        hour
    }

    const MB: f64 = 1e6;

    /// A venue that warms up, and whose memory then swings by 200 KB, now and then by more.
    fn unchanged(at: usize) -> f64 {
        let swing = [0.0, 80.0, -120.0, 100.0, -60.0, 20.0, -100.0][at * at % 7];
        let burst = if at % 50 > 46 { 2_000.0 } else { 0.0 };
        50.0 * MB - 8.0 * MB * (-(at as f64) / 40.0).exp() + 1e3 * (swing + burst)
    }

    #[test]
    fn a_leak_of_a_megabyte_an_hour_is_found_in_an_hour_and_an_unchanged_venue_passes() {
        assert_eq!(over(&hour(unchanged)), Vec::<String>::new(), "{:?}", trends(&hour(unchanged)));
        let leak = hour(|at| unchanged(at) + MB * at as f64 / 360.0);
        assert_eq!(over(&leak), ["memory"], "{:?}", trends(&leak));
        let steps = hour(|at| unchanged(at) + MB * (at / 30) as f64 / 12.0);
        assert_eq!(over(&steps), ["memory"], "it comes in steps, one each five minutes: {:?}", trends(&steps));
    }

    #[test]
    fn open_files_and_p99_that_grow_slowly_are_found() {
        let mut leaking = hour(unchanged);
        for (at, window) in leaking.iter_mut().enumerate() {
            window.descriptors = Some(80 + at as u64 / 60);
            window.p99_ms = 4.0 + 3.0 * at as f64 / 360.0 + (at % 5) as f64 / 10.0;
        }
        assert_eq!(over(&leaking), ["descriptors", "p99"], "{:?}", trends(&leaking));
    }

    #[test]
    fn what_is_planted_in_the_hour_that_was_recorded_is_found() {
        let file = chapters::repository().join("output/reference/soak.json");
        let record = SoakRecord::load(&file).expect("the record");
        assert_eq!(over(&record.windows), Vec::<String>::new(), "as it was: {:?}", trends(&record.windows));
        // To three digits behind the point: what is read from JSON may differ in its last bit.
        let told = |trends: &[TrendRecord]| format!("{trends:.3?}");
        assert_eq!(told(&record.trends), told(&trends(&record.windows)), "it is judged as this program judges");
        let planted = |per_hour: f64| {
            let mut windows = record.windows.clone();
            for window in &mut windows {
                let more = per_hour * window.until_s / 3_600.0;
                window.resident_bytes = window.resident_bytes.map(|bytes| bytes + more as u64);
            }
            windows
        };
        // Real memory swings: this hour can't tell a leak of one megabyte from none. Three it can.
        assert_eq!(over(&planted(3.0 * MB)), ["memory"], "{:?}", trends(&planted(3.0 * MB)));
    }

    #[test]
    fn a_short_run_has_no_slope() {
        let short = windows(|n| (100 << 20) + n, |_| 80, |_| 4.0);
        assert!(trends(&short).iter().all(|trend| trend.slope.is_none()));
    }

    #[test]
    fn unreported_values_are_left_out_and_the_rest_is_judged() {
        let mut silent = windows(|_| 1, |_| 1, |_| 4.0);
        silent.iter_mut().for_each(|window| (window.resident_bytes, window.descriptors) = (None, None));
        let names: Vec<_> = trends(&silent).into_iter().map(|trend| trend.name).collect();
        assert_eq!(names, ["threads", "p99"]);
    }
}
