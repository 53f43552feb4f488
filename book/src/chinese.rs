//! Chinese text as a page's source holds it: what is a Chinese character, and where two lines are one.

/// A Chinese character.
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}')
}

/// A Chinese character or a full-width mark.
pub fn is_wide(c: char) -> bool {
    is_han(c) || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}' | '“' | '”' | '‘' | '’' | '…')
}

/// Whether two source lines are one run of Chinese, between which a browser must not show a space.
pub(crate) fn joins(before: &str, line: &str) -> bool {
    let last = before.lines().last().unwrap_or_default();
    let ends = last.chars().next_back().is_some_and(is_wide) && !last.trim_start().starts_with('#');
    ends && line.trim_start().chars().next().is_some_and(is_wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_lines_join_and_others_do_not() {
        assert!(joins("第一行，", "第二行"));
        assert!(!joins("第一行 Rust", "第二行"));
        assert!(!joins("# 标题", "正文"));
        assert!(!joins("正文。", "- 列表"));
    }
}
