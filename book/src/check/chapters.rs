//! Every step of the ladder has its diff in the book, in both languages and in the ladder's order, and no sentence
//! explains a step that is not one.

use crate::check::input::Input;
use crate::directive::{BRACES, Directive};
use crate::page::Page;
use crate::problem::Problem;
use crate::sentences;
use catalogue::{Catalogue, Number};
use results::language::Language;

pub(super) fn check(input: &Input<'_>, chapters: &Catalogue, problems: &mut Vec<Problem>) {
    for lang in Language::ALL {
        let pages = lang.pick(&input.en, &input.zh);
        let summary = input.project.source(lang).join("SUMMARY.md");
        let shown: Vec<(Number, Number)> = pages.iter().flat_map(|page| diffs(page, chapters)).collect();
        let mut last = 0;
        for (before, after) in chapters.steps().map(|(before, after)| (before.number, after.number)) {
            let reason = match shown.iter().position(|step| *step == (before, after)) {
                None => format!("no page has {{{{diff {before} {after}}}}}, the step to an existing chapter"),
                Some(at) if at < last => {
                    format!("{{{{diff {before} {after}}}}} comes before the diff of an earlier chapter")
                }
                Some(at) => {
                    last = at;
                    continue;
                }
            };
            problems.push(Problem::new(&summary, 1, reason));
        }
    }
    for file in sentences::files(input.project) {
        if chapters.steps().all(|(_, after)| sentences::file(after.number) != file) {
            problems.push(Problem::new(file, 1, "explains the step to a chapter that does not exist"));
        }
    }
}

/// The diffs that a page shows.
fn diffs(page: &Page, chapters: &Catalogue) -> Vec<(Number, Number)> {
    let number = |name: &str| chapters.find(name).ok().map(|chapter| chapter.number);
    let shown = BRACES.captures_iter(&page.text).filter_map(|found| {
        match Directive::parse(&found[2], found.get(3)?.as_str()) {
            Ok(Directive::Diff { before, after }) => Some((number(before)?, number(after)?)),
            _ => None,
        }
    });
    shown.collect()
}
