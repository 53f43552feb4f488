//! The column "if 1 ns were 1 s": a cache hit is a breath, a sync is days. A person can't feel
//! the difference between 20 and 200,000 nanoseconds, but can feel the difference between 20 seconds
//! and two days.

use results::language::Language;

/// Units in seconds, from the smallest, each with its English and Chinese name.
const UNITS: [(f64, &str, &str); 6] = [
    (1.0, "second", "秒"),
    (60.0, "minute", "分钟"),
    (3_600.0, "hour", "小时"),
    (86_400.0, "day", "天"),
    (30.44 * 86_400.0, "month", "个月"),
    (365.25 * 86_400.0, "year", "年"),
];

/// `ns` in words on a scale where a nanosecond is a second: "2 minutes", "2 分钟".
pub fn if_a_nanosecond_were_a_second(ns: f64, language: Language) -> String {
    // A unit is used from 1.5 of it on, seconds from zero: "80 seconds", but "2 minutes".
    let fits = |&&(seconds, ..): &&(f64, &str, &str)| ns >= 1.5 * seconds;
    let (seconds, english, chinese) = UNITS.iter().rev().find(fits).copied().unwrap_or(UNITS[0]);
    let value = ns / seconds;
    let number = if value < 9.95 && (value - value.round()).abs() >= 0.05 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    };
    match language {
        Language::English if number == "1" => format!("{number} {english}"),
        Language::English => format!("{number} {english}s"),
        Language::Chinese => format!("{number} {chinese}"),
    }
}
