//! Chinese typography: full-width marks, a space between Chinese and Latin, and emphasis that ends.

use crate::check::input::Input;
use crate::chinese::is_han;
use crate::glossary;
use crate::problem::Problem;
use crate::prose;
use crate::sentences;
use results::language::Language;

const FULL_WIDTH: [char; 9] = ['，', '。', '；', '：', '！', '？', '、', '（', '）'];

pub(super) fn check(input: &Input<'_>, problems: &mut Vec<Problem>) {
    for page in input.pages().filter(|page| page.lang == Language::Chinese) {
        for block in prose::blocks(page) {
            if let Some(fault) = fault(&block.words()) {
                let part = fault.around.trim_matches('x').trim();
                let at = block.text().find(part).unwrap_or_default();
                problems.push(Problem::new(&page.file, page.line_of(block.offset(at)), fault.to_string()));
            }
        }
    }
    let terms = glossary::terms(input.project).unwrap_or_default();
    for fault in terms.iter().filter_map(|term| fault(&term.zh_means)) {
        problems.push(Problem::new("book/glossary.toml", 1, fault.to_string()));
    }
    sentences(input, problems);
}

fn sentences(input: &Input<'_>, problems: &mut Vec<Problem>) {
    for file in sentences::all_files(input.project) {
        let sentences = sentences::read(input.project, &file).unwrap_or_default();
        for fault in sentences.0.iter().filter_map(|(_, sentence)| fault(&sentence.zh.replace('`', ""))) {
            problems.push(Problem::new(&file, 1, fault.to_string()));
        }
    }
}

pub(super) struct Fault {
    around: String,
    what: &'static str,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`: {}", self.around, self.what)
    }
}

/// The first fault in a piece of Chinese text.
pub(super) fn fault(text: &str) -> Option<Fault> {
    let chars: Vec<char> = text.chars().collect();
    let latin = |c: char| c.is_ascii_alphanumeric();
    let chinese = |c: char| is_han(c) || FULL_WIDTH.contains(&c);
    for (index, pair) in chars.windows(2).enumerate() {
        let (a, b) = (pair[0], pair[1]);
        let after = chars.get(index + 2).copied().unwrap_or(' ');
        let what = if is_han(a) && latin(b) || latin(a) && is_han(b) {
            "put a space between Chinese and Latin"
        } else if is_han(a) && (",;:!?(".contains(b) || b == '.' && !latin(after)) || a == ')' && is_han(b) {
            "use the full-width mark after Chinese"
        } else if a == ' ' && FULL_WIDTH.contains(&b) || FULL_WIDTH.contains(&a) && b == ' ' && !after.is_whitespace() {
            "no space beside a full-width mark"
        } else if a == '*' && chinese(b) || chinese(a) && b == '*' {
            // What Markdown takes for emphasis is not there any more.
            "this emphasis does not end: put the full-width mark behind its asterisks"
        } else {
            continue;
        };
        let around = chars[index.saturating_sub(3)..(index + 5).min(chars.len())].iter().collect();
        return Some(Fault { around, what });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_seen() {
        for text in ["用Rust写", "价格99美分", "你好,世界", "（甲） 乙 ，丙", "甲(乙)", "完成.", "*为什么？*因为"]
        {
            assert!(fault(text).is_some(), "{text}");
        }
    }

    #[test]
    fn good_setting_passes() {
        for text in [
            "用 Rust 写，价格 99 美分。",
            "见 0x03：组提交",
            "（YES）与 NO",
            "比例 3:1",
            "订单簿（order book）里",
            "百分位 99%。\n下一行",
        ] {
            assert!(fault(text).is_none(), "{text}");
        }
    }
}
