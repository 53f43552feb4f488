//! Figures for people, in both languages: three significant digits and the unit that a reader
//! thinks in.

pub use program::figures::grouped;

use serde::Serialize;

use crate::language::Language;

/// The units of time, each with its nanoseconds.
const TIMES: [(f64, [&str; 2]); 4] =
    [(1.0, ["ns", "纳秒"]), (1e3, ["µs", "微秒"]), (1e6, ["ms", "毫秒"]), (1e9, ["s", "秒"])];
/// The units of counts in each language, the largest first.
const COUNTS: [[(f64, &str); 2]; 2] = [[(1e6, "M"), (1e3, "k")], [(1e8, "亿"), (1e4, "万")]];
/// The unit of a rate of orders.
pub const PER_SECOND: [&str; 2] = ["orders/s", "订单/秒"];

/// The units of one language.
#[derive(Debug, Serialize)]
pub struct Units {
    /// Each with the nanoseconds in one of it.
    pub times: [(f64, &'static str); 4],
    /// Each with the count in one of it, the largest first.
    pub counts: [(f64, &'static str); 2],
    /// The unit of a rate of orders.
    pub per_second: &'static str,
}

/// The units of `language`.
pub fn of_language(language: Language) -> Units {
    Units {
        times: TIMES.map(|(ns, [english, chinese])| (ns, language.pick(english, chinese))),
        counts: language.pick(COUNTS[0], COUNTS[1]),
        per_second: language.pick(PER_SECOND[0], PER_SECOND[1]),
    }
}

/// A duration: "113 µs", "113 微秒".
pub fn duration_text(ns: f64, language: Language) -> String {
    let times = of_language(language).times;
    let (scale, unit) = times.into_iter().find(|(scale, _)| ns < 999.5 * scale).unwrap_or(times[3]);
    format!("{} {unit}", three_digits(ns / scale))
}

/// A count or a rate: "9,020", "1.01 M"; "9,020", "101 万".
pub fn count_text(value: f64, language: Language) -> String {
    // Four digits are read at a glance; a larger unit starts at five.
    match of_language(language).counts.into_iter().find(|(scale, _)| value >= scale.max(1e4) * 0.99995) {
        Some((scale, unit)) => format!("{} {unit}", three_digits(value / scale)),
        None if value < 99.95 => three_digits(value),
        None => grouped(value),
    }
}

/// A rate of orders: "1.01 M orders/s", "101 万订单/秒".
pub fn rate_text(orders_per_s: f64, language: Language) -> String {
    let count = count_text(orders_per_s, language);
    let unit = of_language(language).per_second;
    // Digits and letters keep their distance from Chinese characters; these do not from each other.
    let space = if count.ends_with(['万', '亿']) { "" } else { " " };
    format!("{count}{space}{unit}")
}

/// A gain: "×112", "×1.84", "×1,440".
pub fn factor_text(factor: f64) -> String {
    match factor {
        factor if factor >= 99.95 => format!("×{}", grouped(factor)),
        factor if factor >= 9.995 => format!("×{factor:.1}"),
        factor => format!("×{factor:.2}"),
    }
}

/// Three significant digits: "0.50", "12.3", "113", "1,320"; a whole number stays one: "2".
fn three_digits(value: f64) -> String {
    let digits = match value {
        value if value >= 99.95 => return grouped(value),
        value if value >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{value:.digits$}");
    match text.trim_end_matches('0').strip_suffix('.') {
        Some(whole) => whole.to_string(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{Chinese, English};

    #[test]
    fn durations_have_three_digits_and_a_unit() {
        for (ns, english, chinese) in [
            (0.5, "0.50 ns", "0.50 纳秒"),
            (98.0, "98 ns", "98 纳秒"),
            (999.9, "1 µs", "1 微秒"),
            (1_234.0, "1.23 µs", "1.23 微秒"),
            (113_400.0, "113 µs", "113 微秒"),
            (2.4e6, "2.40 ms", "2.40 毫秒"),
            (1.5e9, "1.50 s", "1.50 秒"),
        ] {
            assert_eq!(duration_text(ns, English), english);
            assert_eq!(duration_text(ns, Chinese), chinese);
        }
    }

    #[test]
    fn counts_use_each_languages_units() {
        for (value, english, chinese) in [
            (7.0, "7", "7"),
            (950.0, "950", "950"),
            (9_020.0, "9,020", "9,020"),
            (9_999.9, "10 k", "1 万"),
            (101_000.0, "101 k", "10.1 万"),
            (1_010_000.0, "1.01 M", "101 万"),
            (13_200_000.0, "13.2 M", "1,320 万"),
            (250_000_000.0, "250 M", "2.50 亿"),
        ] {
            assert_eq!(count_text(value, English), english);
            assert_eq!(count_text(value, Chinese), chinese);
        }
    }

    #[test]
    fn factors_have_three_digits() {
        assert_eq!(factor_text(0.984), "×0.98");
        assert_eq!(factor_text(12.34), "×12.3");
        assert_eq!(factor_text(112.4), "×112");
        assert_eq!(factor_text(1_440.0), "×1,440");
    }
}
