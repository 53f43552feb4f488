//! Both languages keep to the glossary.
//!
//! Where an English section uses a term, the Chinese section must contain its one rendering; a rendering listed
//! under `avoid` must appear nowhere. Whole words only, plurals included, and a longer term hides the shorter one
//! inside it. If the Chinese is right without the word: `<!-- term: matching -->` in that section.

use crate::check::input::Input;
use crate::glossary::{self, Term};
use crate::page::{Page, Section};
use crate::pattern::regex;
use crate::problem::Problem;
use crate::prose::{self, Block, marks};
use regex::Regex;
use results::language::Language;

/// A term, and the pattern that finds it in English.
pub(super) struct Rule {
    /// The term.
    pub(super) term: Term,
    /// Its singular and its plural, as whole words.
    pub(super) pattern: Regex,
}

pub(super) fn check(input: &Input<'_>, problems: &mut Vec<Problem>) {
    let terms = match glossary::terms(input.project) {
        Ok(terms) => terms,
        Err(reason) => return problems.push(Problem::new("book/glossary.toml", 1, reason)),
    };
    let rules = rules(terms);
    for page in input.pages().filter(|page| page.lang == Language::Chinese) {
        avoided(page, &rules, problems);
    }
    for (en, zh) in input.pairs() {
        let (english, chinese) = (prose::blocks(en), prose::blocks(zh));
        let sections = zh.sections();
        for (index, section) in en.sections().iter().enumerate() {
            let Some(at) = sections.iter().position(|twin| twin.id == section.id) else { continue };
            let used = words(&english, section.line, en.sections().get(index + 1));
            let rendered = words(&chinese, sections[at].line, sections.get(at + 1));
            for term in unrendered(&rules, &used, &rendered, &sections[at].body) {
                let reason = format!(
                    "the English section uses `{}`, but this one never uses `{}`; use it, or put `<!-- term: {} -->` in the section",
                    term.en,
                    rendering(term),
                    term.en
                );
                problems.push(Problem::new(&zh.file, sections[at].line, reason));
            }
        }
    }
}

/// The rules, the longest term first.
pub(super) fn rules(mut terms: Vec<Term>) -> Vec<Rule> {
    terms.sort_by_key(|term| std::cmp::Reverse(term.en.len()));
    let build = |term: Term| {
        let forms = std::iter::once(&term.en).chain(&term.also).map(|form| plural(form)).collect::<Vec<_>>().join("|");
        Rule { pattern: regex(&format!(r"(?i)\b(?:{forms})\b")), term }
    };
    terms.into_iter().map(build).collect()
}

/// A pattern for a term in the singular and the plural, with spaces and hyphens equivalent.
fn plural(form: &str) -> String {
    let pattern = regex::escape(form).replace([' ', '-'], r"[\s-]").replace(r"\[\s-]", r"[\s-]");
    match pattern.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o']) => format!("{stem}(?:y|ies)"),
        _ => format!("{pattern}(?:s|es)?"),
    }
}

/// The Chinese word itself, without what the glossary adds in brackets.
pub(super) fn rendering(term: &Term) -> &str {
    term.zh.split(['(', '（']).next().unwrap_or(&term.zh).trim()
}

fn words(blocks: &[Block], from: usize, next: Option<&Section>) -> String {
    let inside = blocks.iter().filter(|block| block.line() >= from && next.is_none_or(|next| block.line() < next.line));
    inside.map(|block| block.words() + "\n").collect()
}

/// The terms that are used and not rendered, except those that `body` excuses.
pub(super) fn unrendered<'r>(rules: &'r [Rule], used: &str, rendered: &str, body: &str) -> Vec<&'r Term> {
    let excused = marks(body, "term");
    let mut rest = used.to_owned();
    let mut missing = vec![];
    for rule in rules {
        let found = rule.pattern.is_match(&rest);
        rest = rule.pattern.replace_all(&rest, "·").into_owned();
        let said = rendered.contains(rendering(&rule.term)) || excused.contains(&rule.term.en.as_str());
        if found && !rule.term.loose && !said {
            missing.push(&rule.term);
        }
    }
    missing
}

fn avoided(page: &Page, rules: &[Rule], problems: &mut Vec<Problem>) {
    for block in prose::blocks(page) {
        let text = block.text();
        for term in rules.iter().map(|rule| &rule.term) {
            for (at, avoid) in term.avoid.iter().filter_map(|avoid| Some((text.find(avoid.as_str())?, avoid))) {
                let reason = format!("`{avoid}`: this book says `{}` for `{}`", rendering(term), term.en);
                problems.push(Problem::new(&page.file, page.line_of(block.offset(at)), reason));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(en: &str, zh: &str, loose: bool) -> Term {
        let empty = String::new;
        Term {
            group: empty(),
            en: en.into(),
            zh: zh.into(),
            means: empty(),
            zh_means: empty(),
            avoid: vec![],
            also: vec![],
            loose,
            technical: false,
        }
    }

    fn missing(used: &str, rendered: &str, body: &str) -> Vec<String> {
        let rules = rules(vec![
            term("order book", "订单簿", false),
            term("book", "书", false),
            term("write-ahead log", "预写日志", false),
            term("latency", "延迟", false),
            term("merge", "合并（赎回）", true),
        ]);
        unrendered(&rules, used, rendered, body).iter().map(|term| term.en.clone()).collect()
    }

    #[test]
    fn a_term_must_be_rendered_and_a_longer_one_hides_a_shorter() {
        assert_eq!(missing("Two order books.", "两个盘口", ""), ["order book"]);
        assert!(missing("Two order books.", "两个订单簿", "").is_empty());
        assert_eq!(missing("The book", "订单簿", ""), ["book"]);
    }

    #[test]
    fn plurals_hyphens_and_case_are_the_same_term() {
        assert_eq!(missing("Latencies", "", ""), ["latency"]);
        assert_eq!(missing("the write ahead log", "", ""), ["write-ahead log"]);
    }

    #[test]
    fn loose_words_and_excused_sections_pass() {
        assert!(missing("merge them", "", "").is_empty());
        assert!(missing("latency", "", "<!-- term: latency -->").is_empty());
    }
}
