//! Chinese text in a page's source: what is a Chinese character, and where two lines join without a
//! space.

use crate::pattern::regex;
use regex::Regex;
use std::sync::LazyLock;

/// A Chinese character.
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}')
}

/// A Chinese character or a full-width mark.
pub fn is_wide(c: char) -> bool {
    is_han(c) || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}' | '“' | '”' | '‘' | '’' | '…')
}

/// Whether two source lines join as one run of Chinese, so that a browser must not show a space
/// between them.
pub(crate) fn joins(before: &str, line: &str) -> bool {
    let last = before.lines().last().unwrap_or_default();
    let ends = last.chars().next_back().is_some_and(is_wide) && !last.trim_start().starts_with('#');
    ends && line.trim_start().chars().next().is_some_and(is_wide)
}

/// The noun after a number comes directly after 万 or 亿: "72 万单", where "8,400 单" has a space. A page can't know
/// which of them its number will be, so it writes the space.
pub(crate) fn counted(text: &str) -> String {
    static SPACE: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"([万亿](?: <span class="own">[^<]*</span>)?</data>) (\p{Han})"#));
    SPACE.replace_all(text, "$1$2").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counted_noun_stands_right_behind_its_number() {
        assert_eq!(counted("每秒 <data>72 万</data> 单"), "每秒 <data>72 万</data>单");
        assert_eq!(counted("每秒 <data>8,400</data> 单"), "每秒 <data>8,400</data> 单");
        let own = "每秒 <data>72 万 <span class=\"own\">你的 8,400</span></data>";
        assert_eq!(counted(&format!("{own} 单")), format!("{own}单"));
        assert_eq!(counted("<data>72 万</data> orders"), "<data>72 万</data> orders");
    }

    #[test]
    fn chinese_lines_join_and_others_do_not() {
        assert!(joins("第一行，", "第二行"));
        assert!(!joins("第一行 Rust", "第二行"));
        assert!(!joins("# 标题", "正文"));
        assert!(!joins("正文。", "- 列表"));
    }
}
