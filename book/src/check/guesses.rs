//! A guess is answered, on its own page and after it, and the answer is shown nowhere before.
//!
//! A section with the id `guess` names its answers: `<!-- answer: ratio ladder:chapters[0x03].orders_per_s.median
//! ladder:chapters[0x02].orders_per_s.median -->` is the directive that gives the number, `<!-- answer: #mint -->` a
//! section that answers in prose. After the guess the page must have the directive or the section; before it, on this
//! page or an earlier one, no number, table or chart may show the answer.

use crate::check::input::Input;
use crate::directive::{BRACES, Directive, Table};
use crate::page::{Page, Section};
use crate::pointer::Pointer;
use crate::problem::Problem;
use crate::prose::marks;
use results::language::Language;

pub(super) fn check(input: &Input<'_>, problems: &mut Vec<Problem>) {
    for lang in Language::ALL {
        let pages = lang.pick(&input.en, &input.zh);
        for (at, page) in pages.iter().enumerate() {
            let sections = page.sections();
            let Some(place) = sections.iter().position(|section| section.id.as_deref() == Some("guess")) else {
                continue;
            };
            let (guess, behind) = (&sections[place], &sections[place + 1..]);
            let answers = marks(&guess.body, "answer");
            let missing = answers.iter().filter_map(|answer| missing(page, behind, answer));
            let none = "the guess names no answer; write `<!-- answer: … -->` with the directive that gives it";
            let none = answers.is_empty().then(|| none.to_owned());
            problems.extend(missing.chain(none).map(|reason| Problem::new(&page.file, guess.line, reason)));
            problems.extend(answers.iter().flat_map(|answer| early(&pages[..=at], guess.line, answer)));
        }
    }
}

/// Why an answer does not come after its guess, if it does not.
fn missing(page: &Page, behind: &[Section], answer: &str) -> Option<String> {
    if let Some(id) = answer.strip_prefix('#') {
        let is_there = behind.iter().any(|section| section.id.as_deref() == Some(id));
        return (!is_there)
            .then(|| format!("the guess is to be answered in `{id}`, but no such section comes after it"));
    }
    let from = behind.first().map_or(usize::MAX, |section| section.line);
    let is_there = shown(page).into_iter().any(|(line, directive)| line >= from && directive == answer);
    (!is_there).then(|| format!("the guess is to be answered by `{{{{{answer}}}}}`, which does not come after it"))
}

/// Directives that show an answer too early: on the pages before the last of these, or above the
/// guess in this line of it.
fn early(pages: &[Page], guess: usize, answer: &str) -> Vec<Problem> {
    let Some((own, before)) = pages.split_last() else { return Vec::new() };
    let before = before.iter().flat_map(|page| shown(page).into_iter().map(move |shown| (page, shown)));
    let above = shown(own).into_iter().filter(|(line, _)| *line < guess).map(|shown| (own, shown));
    let early = before.chain(above).filter(|(_, (_, directive))| reveals(directive, answer));
    let told = early.map(|(page, (line, directive))| {
        let place = format!("{}:{guess}", own.file.display());
        let reason = format!("`{{{{{directive}}}}}` answers a guess that is made later, on {place}");
        Problem::new(&page.file, line, reason)
    });
    told.collect()
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
    let Some(directive) = parsed(directive) else { return false };
    let pointers = match parsed(answer) {
        Some(Directive::Num { of, .. }) => vec![of],
        Some(Directive::Ratio { above, below, .. }) => vec![above, below],
        _ => return false,
    };
    pointers.iter().all(|pointer| shows(&directive, pointer))
}

fn parsed(directive: &str) -> Option<Directive<'_>> {
    let (word, rest) = directive.split_once(' ')?;
    Directive::parse(word, rest).ok()
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
