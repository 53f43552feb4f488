//! The results of a soak: some of its windows, and the verdict.

use results::language::Language;
use results::record::{SlopeRecord, SoakRecord, TrendRecord};
use results::units::{count_text, duration_text, rate_text};

use super::many::windows;

/// How many windows to show: all, or this many, evenly spread.
const SHOWN: usize = 12;

/// Windows, trends, verdict.
pub fn text(record: &SoakRecord, language: Language) -> String {
    let step = record.windows.len().div_ceil(SHOWN).max(1);
    let shown = record.windows.iter().rev().step_by(step).collect::<Vec<_>>();
    let table = windows(shown.into_iter().rev(), language);
    let offered = rate_text(record.offered_per_s as f64, language);
    let full = rate_text(record.full_per_s, language);
    let head = match language {
        Language::English => format!(
            "{offered} offered, half of {full}, over {} connections; {} others came and went",
            record.connections, record.comings
        ),
        Language::Chinese => format!(
            "供单 {offered}，是 {full} 的一半，{} 个连接；另有 {} 个连接来了又走",
            record.connections, record.comings
        ),
    };
    let trends: Vec<_> = record.trends.iter().map(|trend| in_words(trend, language)).collect();
    let verdict = match (record.is_steady(), language) {
        (true, Language::English) => "steady: nothing grew that must not",
        (true, Language::Chinese) => "平稳：该不变的都没有增长",
        (false, Language::English) => {
            "NOT STEADY: the marked values kept growing; look for data that is kept per order or connection"
        }
        (false, Language::Chinese) => "不平稳：上面标出的量一直在增长；去找每张订单或每个连接留下的东西",
    };
    format!("{head}\n{table}\n{}\n{verdict}", trends.join("\n"))
}

fn in_words(trend: &TrendRecord, language: Language) -> String {
    let figure = |value: f64| match trend.name.as_str() {
        "memory" => format!("{:.0} MiB", value / 1024.0 / 1024.0),
        "p99" => duration_text(1e6 * value, language),
        _ => count_text(value, language),
    };
    let name = match trend.name.as_str() {
        "memory" => language.pick("memory", "内存"),
        "descriptors" => language.pick("open files", "打开的文件"),
        "threads" => language.pick("threads", "线程"),
        _ => "p99",
    };
    let (before, after, allowed) = (figure(trend.before), figure(trend.after), figure(trend.allowed));
    let mark = if trend.is_over { language.pick("  <- too much", "  <- 超出") } else { "" };
    let slope = slope(trend, language);
    match language {
        Language::English => {
            format!("{name}: {before} in the second quarter, {after} in the last, at most {allowed}{slope}{mark}")
        }
        Language::Chinese => {
            format!("{name}：第二个四分之一时 {before}，最后四分之一时 {after}，最多 {allowed}{slope}{mark}")
        }
    }
}

/// How fast it grew in the second half, with the ends of the interval; nothing in a short run.
fn slope(trend: &TrendRecord, language: Language) -> String {
    let Some(SlopeRecord { per_hour, low, high }) = trend.slope else { return String::new() };
    let (scale, unit) = match trend.name.as_str() {
        "memory" => (1024.0 * 1024.0, " MiB"),
        "p99" => (1.0, " ms"),
        _ => (1.0, ""),
    };
    let [per_hour, low, high, most] = [per_hour, low, high, trend.allowed_per_hour].map(|value| value / scale);
    match language {
        Language::English => {
            format!("; {per_hour:+.2}{unit} an hour ({low:+.2} to {high:+.2}), at most {most:.2}")
        }
        Language::Chinese => format!("；每小时 {per_hour:+.2}{unit}（{low:+.2} 到 {high:+.2}），最多 {most:.2}"),
    }
}
