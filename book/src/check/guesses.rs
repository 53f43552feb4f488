//! A guess is answered, on its own page and behind it, and the answer is shown nowhere before.
//!
//! A section with the id `guess` names its answers: `<!-- answer: ratio ladder:chapters[0x03].orders_per_s.median
//! ladder:chapters[0x02].orders_per_s.median -->` is the directive that gives the number, `<!-- answer: #mint -->` a
//! section that answers in words. Behind the guess the page must have the directive or the section; on no page before,
//! and not above the guess, may a number, a table or a chart show what the answer shows.

use crate::check::input::Input;
use crate::directive::{BRACES, Directive, Table};
use crate::lang::Lang;
use crate::page::Page;
use crate::pointer::Pointer;
use crate::problem::Problem;
use crate::prose::marks;

pub(super) fn check(input: &Input<'_>, problems: &mut Vec<Problem>) {
    for lang in Lang::ALL {
        let pages = lang.pick(&input.en, &input.zh);
        for (at, page) in pages.iter().enumerate() {
            let sections = page.sections();
            let Some(place) = sections.iter().position(|section| section.id.as_deref() == Some("guess")) else {
                continue;
            };
            let guess = &sections[place];
            let end = sections.get(place + 1).map_or(usize::MAX, |next| next.line);
            let answers = marks(&guess.body, "answer");
            let mut tell = |reason: String| problems.push(Problem::new(&page.file, guess.line, reason));
            if answers.is_empty() {
                tell("the guess names no answer; say `<!-- answer: … -->` with the directive that gives it".into());
            }
            for answer in answers {
                if let Some(id) = answer.strip_prefix('#') {
                    if !sections[place + 1..].iter().any(|section| section.id.as_deref() == Some(id)) {
                        tell(format!("the guess is to be answered in `{id}`, and no such section comes behind it"));
                    }
                    continue;
                }
                let behind = shown(page).into_iter().filter(|(line, _)| *line >= end);
                if !behind.into_iter().any(|(_, directive)| directive == answer) {
                    tell(format!("the guess is to be answered by `{{{{{answer}}}}}`, which does not come behind it"));
                }
                let earlier = pages[..at].iter().flat_map(|page| shown(page).into_iter().map(move |it| (page, it)));
                let above = shown(page).into_iter().filter(|(line, _)| *line < guess.line).map(|it| (page, it));
                for (page, (line, directive)) in earlier.chain(above) {
                    if reveals(directive, answer) {
                        let reason = format!(
                            "`{{{{{directive}}}}}` answers a guess that is made later, on {}",
                            place_of(guess.line, &pages[at])
                        );
                        problems.push(Problem::new(&page.file, line, reason));
                    }
                }
            }
        }
    }
}

fn place_of(line: usize, page: &Page) -> String {
    format!("{}:{line}", page.file.display())
}

/// The page's directives with their lines, without their formats.
fn shown(page: &Page) -> Vec<(usize, &str)> {
    let found = BRACES.captures_iter(&page.text).filter_map(|found| {
        let whole = found.get(0).filter(|_| found.get(1).is_none())?;
        let inside = whole.as_str().trim_start_matches('{').trim_end_matches('}');
        Some((page.line_of(whole.start()), inside.split('|').next().unwrap_or_default().trim()))
    });
    found.collect()
}

/// Whether a directive shows everything that an answer is made of.
fn reveals(directive: &str, answer: &str) -> bool {
    if directive == answer {
        return true;
    }
    let Some(Ok(directive)) = parsed(directive) else { return false };
    let pointers = match parsed(answer) {
        Some(Ok(Directive::Num { of, .. })) => vec![of],
        Some(Ok(Directive::Ratio { above, below, .. })) => vec![above, below],
        _ => return false,
    };
    pointers.iter().all(|pointer| shows(&directive, pointer))
}

fn parsed(directive: &str) -> Option<Result<Directive<'_>, String>> {
    let (word, rest) = directive.split_once(' ')?;
    Some(Directive::parse(word, rest))
}

fn shows(directive: &Directive<'_>, value: &Pointer<'_>) -> bool {
    let of = |prefix: &str| value.text.starts_with(prefix);
    let chapter = value.text.split_once("chapters[").and_then(|(_, rest)| rest.split(']').next()).unwrap_or_default();
    match directive {
        Directive::Num { of, .. } => of.text == value.text,
        Directive::Ratio { above, below, .. } => above.text == value.text || below.text == value.text,
        Directive::Table(Table::Ladder { to }) => {
            let is_shown = value.text.contains(".orders_per_s.median") || value.text.contains(".latency_ns.p");
            of("ladder:chapters[") && is_shown && to.is_none_or(|to| chapter <= to)
        }
        Directive::Table(Table::Stages { chapter }) => of(&format!("ladder:chapters[{chapter}].stages_ns")),
        Directive::Table(Table::Numbers) => of("numbers:"),
        Directive::Table(Table::Lab { experiment }) => of(&format!("lab:experiments[{experiment}]")),
        Directive::Chart { name: "throughput" | "gain", .. } => {
            of("ladder:") && value.text.contains(".orders_per_s.median")
        }
        Directive::Chart { name: "stages", .. } => of("ladder:") && value.text.contains(".stages_ns"),
        Directive::Chart { name: "latency", .. } => of("ladder:") && value.text.contains(".latency_ns"),
        Directive::Chart { name, .. } => of(&format!("{name}:")),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_charts_reveal_what_they_show() {
        let factor = "ratio ladder:chapters[0x03].orders_per_s.median ladder:chapters[0x02].orders_per_s.median";
        assert!(reveals("chart gain", factor) && reveals("table ladder", factor) && reveals(factor, factor));
        assert!(reveals("table ladder to=0x03", factor) && !reveals("table ladder to=0x02", factor));
        assert!(!reveals("chart stages", factor) && !reveals("chart sweep", factor));
        let stage = "num ladder:chapters[0x02].stages_ns.matching";
        assert!(reveals("table stages 0x02", stage) && !reveals("table stages 0x03", stage));
        assert!(!reveals("table ladder", stage) && reveals("chart stages", stage));
        assert!(reveals("table numbers", "num numbers:numbers[clock_read].measured.median_ns"));
        assert!(reveals("table lab names", "table lab names") && !reveals("table lab clock", "table lab names"));
    }
}
