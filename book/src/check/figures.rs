//! No performance figure is typed by hand.
//!
//! Throughputs, times and factors come from records through `{{num}}` and `{{ratio}}`. A figure quoted from a
//! published source, or one that is a rule and not a measurement, is marked: `<!-- literal: where it is from
//! -->`.

use crate::check::input::Input;
use crate::directive::BRACES;
use crate::page::Page;
use crate::pattern::regex;
use crate::problem::Problem;
use crate::project::sorted;
use crate::prose::{self, has_mark};
use crate::sentences;
use regex::Regex;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// Figures that look measured, by kind.
static FIGURE: LazyLock<Regex> = LazyLock::new(|| {
    let number = r"\d[\d,.]*[\s\u{a0}]?(?:thousand|million|billion|k|K|M|万|亿)?[\s\u{a0}]?";
    let time = r"(?:(?:ns|µs|μs|us|ms)\b|(?:nano|micro|milli)seconds?\b|纳秒|微秒|毫秒)";
    let rate = r"(?:[A-Za-z]+|单|笔|条|次|个|订单|命令)?[\s\u{a0}]?(?:/[\s\u{a0}]?s\b|/秒|每秒|(?:per|a)\s(?:second|microsecond)\b)|(?:ops|TPS|QPS)\b|[KMG]B/s";
    let factor = r"×|倍|x\b|times\s(?:faster|slower|as|the|more|less|higher|lower)";
    let mass = r"(?:thousand|million|billion|万|亿)[\s\u{a0}]?(?:orders|commands|trades|订单|单|笔|条)";
    let share = r"\s?%\s?(?:faster|slower|of\sthe\stime|的时间)";
    regex(&format!(
        r"{number}(?:{time}|{rate}|{factor}|{share})|\d[\d,.]*[\s\u{{a0}}]?{mass}|每秒[\s\u{{a0}}]?约?[\s\u{{a0}}]?\d[\d,.]*"
    ))
});

/// The first figure in `text` that looks measured, with its place.
pub(super) fn figure(text: &str) -> Option<(usize, &str)> {
    FIGURE.find(text).map(|found| (found.start(), found.as_str().trim()))
}

pub(super) fn check(input: &Input<'_>, problems: &mut Vec<Problem>) {
    for page in input.pages() {
        prose(page, problems);
        outputs(page, problems);
    }
    drawings(input, problems);
    sentences(input, problems);
}

fn prose(page: &Page, problems: &mut Vec<Problem>) {
    for block in prose::blocks(page) {
        let text = block.text();
        if let Some((at, found)) = figure(&text)
            && !block.marked(page, "literal")
        {
            problems.push(Problem::new(&page.file, page.line_of(block.offset(at)), typed(found)));
        }
    }
}

fn typed(found: &str) -> String {
    format!(
        "the figure `{found}` is typed by hand; take it from a record with {{{{num}}}} or {{{{ratio}}}}, or name its source with `<!-- literal: … -->`"
    )
}

/// A program's output with figures in it, pasted instead of included.
fn outputs(page: &Page, problems: &mut Vec<Problem>) {
    let lines: Vec<&str> = page.text.lines().collect();
    for fence in page.fences() {
        let kind = fence.info.split([',', ' ']).next().unwrap_or_default();
        let output = ["", "text", "console", "txt"].contains(&kind);
        let above = fence.line.checked_sub(2).and_then(|i| lines.get(i)).is_some_and(|line| has_mark(line, "literal"));
        let found = fence.body.iter().enumerate().find_map(|(i, line)| Some((i, figure(&mask(line))?.1.to_owned())));
        if let (true, false, Some((index, found))) = (output, above, found) {
            let reason = format!(
                "output with the figure `{found}` is pasted; include it from output/reference, or put `<!-- literal: … -->` above the block"
            );
            problems.push(Problem::new(&page.file, fence.line + index + 1, reason));
        }
    }
}

fn mask(line: &str) -> String {
    BRACES.replace_all(line, "N").into_owned()
}

fn drawings(input: &Input<'_>, problems: &mut Vec<Problem>) {
    let folder = Path::new("book/drawings");
    let entries = fs::read_dir(input.project.path(folder)).into_iter().flatten().flatten();
    for name in sorted(entries.map(|entry| entry.file_name())) {
        let file = folder.join(name);
        let Ok(text) = fs::read_to_string(input.project.path(&file)) else { continue };
        let labels = text.lines().enumerate().filter(|(_, line)| line.contains("<text") || line.contains("<tspan"));
        for (index, line) in labels {
            if let Some((_, found)) = label(line)
                && !has_mark(&text, "literal")
            {
                problems.push(Problem::new(&file, index + 1, typed(&found)));
            }
        }
    }
}

/// A figure in a label's words; coordinates do not count.
fn label(line: &str) -> Option<(usize, String)> {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| regex(r#">([^<]+)<|data-zh="([^"]*)""#));
    let words = WORDS.captures_iter(line).filter_map(|c| c.get(1).or(c.get(2)));
    words.into_iter().find_map(|m| figure(m.as_str()).map(|(at, found)| (at, found.to_owned())))
}

fn sentences(input: &Input<'_>, problems: &mut Vec<Problem>) {
    for file in sentences::all_files(input.project) {
        match sentences::read(input.project, &file) {
            Err(reason) => problems.push(Problem::new(&file, 1, reason)),
            Ok(sentences) => {
                let all = sentences.0.iter().flat_map(|(_, sentence)| [&sentence.en, &sentence.zh]);
                for (_, found) in all.filter_map(|text| figure(text)) {
                    problems.push(Problem::new(&file, 1, typed(found)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_figures_are_seen_in_both_languages() {
        for text in [
            "it takes 820 ns",
            "about 1.2 µs",
            "8.1 million orders per second",
            "810 万单/秒",
            "每秒 810 万",
            "120 倍",
            "130× faster",
            "3.5x",
            "10 times faster",
            "2.5 GB/s",
            "8 毫秒",
            "1,000,000 orders/s",
            "2 million orders",
            "40% faster",
            "5000 TPS",
            "7 nanoseconds",
            "100 万订单",
        ] {
            assert!(figure(text).is_some(), "{text}");
        }
    }

    #[test]
    fn prices_counts_and_names_are_not_figures() {
        for text in [
            "100 cents",
            "chapter 0x03",
            "a price from 1 to 99",
            "100,000 orders",
            "64 bytes",
            "2 cores",
            "p99.9",
            "99 slots",
            "1,024 commands",
            "100 美分",
            "3 个章节",
            "64 位",
            "Rust 1.95",
            "at most a second",
        ] {
            assert_eq!(figure(text), None, "{text}");
        }
    }

    #[test]
    fn a_label_in_a_drawing_is_read_and_its_coordinates_are_not() {
        assert!(label(r#"<text x="3" y="5">takes 8 ms</text>"#).is_some());
        assert!(label(r#"<text x="3" data-zh="8 毫秒">soon</text>"#).is_some());
        assert!(label(r#"<text x="3" y="5" font-size="12">the ring</text>"#).is_none());
    }
}
