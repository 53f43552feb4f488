//! A term is explained where it is first used, in the order in which the book is read.
//!
//! The first use of a glossary term, outside headings and code, is either in bold, with which this book marks an
//! explanation, or its paragraph has it in bold, or it is a link to such a place. Everyday words, which the
//! glossary calls `loose`, are skipped unless it calls them `technical`.

use crate::check::input::Input;
use crate::check::terms::{Rule, rendering, rules};
use crate::directive::BRACES;
use crate::glossary;
use crate::page::Page;
use crate::pattern::regex;
use crate::problem::Problem;
use regex::Regex;
use results::language::Language;
use std::sync::LazyLock;

/// Text that is not running text, or not its words.
static NO_WORDS: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?m)(?s:```.*?```)|(?s:<!--.*?-->)|^#.*$|`[^`\n]*`|\]\([^)\n]*\)"));

/// Where a term is explained, or a link to that.
static EXPLAINED: LazyLock<Regex> = LazyLock::new(|| regex(r"\*\*[^*\n]+\*\*|\[[^\]\n]+\]"));

pub(super) fn check(input: &Input<'_>, problems: &mut Vec<Problem>) {
    let Ok(terms) = glossary::terms(input.project) else { return };
    let rules = rules(terms);
    for lang in Language::ALL {
        let pages = lang.pick(&input.en, &input.zh);
        let pages: Vec<&Page> = pages.iter().filter(|page| page.name() != "SUMMARY.md").collect();
        let mut texts: Vec<String> = pages.iter().map(|page| running_text(&page.text)).collect();
        for rule in &rules {
            let pattern = pattern(rule, lang);
            let first = texts.iter().enumerate().find_map(|(at, text)| Some((at, pattern.find(text)?.start())));
            if let Some((at, place)) = first
                && (!rule.term.loose || rule.term.technical)
                && !is_explained(&texts[at], place, &pattern)
            {
                let line = pages[at].line_of(place);
                let term = lang.pick(rule.term.en.as_str(), rendering(&rule.term));
                let reason = format!(
                    "`{term}` is used here for the first time, but the paragraph does not explain it; set it in \
                     bold where it is explained, or link it to the explanation"
                );
                problems.push(Problem::new(&pages[at].file, line, reason));
            }
            // A longer term hides the shorter one inside it.
            texts.iter_mut().for_each(|text| *text = masked(&pattern, text));
        }
    }
}

fn pattern(rule: &Rule, lang: Language) -> Regex {
    lang.pick(rule.pattern.clone(), regex(&regex::escape(rendering(&rule.term))))
}

/// The page's words in their places, and dots for everything else.
fn running_text(text: &str) -> String {
    masked(&NO_WORDS, &masked(&BRACES, text))
}

/// The text with each match replaced by as many dots as it has bytes, so that everything stays in
/// its place.
fn masked(pattern: &Regex, text: &str) -> String {
    let dots = |found: &regex::Captures<'_>| {
        let lines = found[0].split('\n').map(|line| ".".repeat(line.len()));
        let dots = lines.collect::<Vec<_>>().join("\n");
        // A link keeps the bracket that ends its words.
        if found[0].starts_with("](") { format!("]{}", &dots[1..]) } else { dots }
    };
    pattern.replace_all(text, dots).into_owned()
}

/// Whether the place is in a link, or in a paragraph that has the term in bold. A paragraph is a line.
fn is_explained(text: &str, place: usize, term: &Regex) -> bool {
    let start = text[..place].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    EXPLAINED.find_iter(line).any(|found| {
        let inside = found.range().contains(&(place - start));
        inside || (found.as_str().starts_with("**") && term.is_match(found.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(text: &str) -> bool {
        let text = running_text(text);
        let term = regex(r"(?i)\bledgers?\b");
        let place = term.find(&text).expect("the term is there").start();
        is_explained(&text, place, &term)
    }

    #[test]
    fn bold_and_links_explain() {
        assert!(explained("# A ledger\n\n`ledger.bin` is the **ledger**, the output."));
        assert!(explained("The ledger grows. A **ledger** is the output."));
        assert!(explained("It has a [ledger](naive.md#ledger) too."));
    }

    #[test]
    fn nothing_else_does() {
        assert!(!explained("The ledger grows.\n\nA **ledger** is the output."));
        assert!(!explained("The ledger is [here](ledger.md)."));
        assert!(!explained("The **log** and the ledger."));
    }
}
