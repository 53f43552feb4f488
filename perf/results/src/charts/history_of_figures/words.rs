//! The words of the chart of the ladder through time. No script draws it, so they are not passed to one.

use crate::language::Language;

/// The words of one language.
pub(super) struct HistoryWords {
    pub title: &'static str,
    pub subtitle: &'static str,
    pub fastest: &'static str,
}

const ENGLISH: HistoryWords = HistoryWords {
    title: "The ladder at each commit that measured it",
    subtitle: "Durable orders per second, medians, slowest to fastest round; log scale",
    fastest: "the fastest chapter",
};

const CHINESE: HistoryWords = HistoryWords {
    title: "每次测量时的各章吞吐量",
    subtitle: "每秒持久化订单数，各轮中位数，最慢一轮到最快一轮；对数刻度",
    fastest: "最快的一章",
};

/// The words of `language`.
pub(super) fn of(language: Language) -> &'static HistoryWords {
    language.pick(&ENGLISH, &CHINESE)
}
