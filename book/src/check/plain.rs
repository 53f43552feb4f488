//! Plain English on the English pages, in the glossary and in the sentences of diffs: the phrases that the sources'
//! own check refuses are refused here too, by the same list.

use crate::check::input::Input;
use crate::glossary;
use crate::page::Page;
use crate::problem::Problem;
use crate::prose;
use crate::sentences;
use tree::plain::{Oddity, oddities};

pub(super) fn check(input: &Input<'_>, problems: &mut Vec<Problem>) {
    for page in &input.en {
        problems.extend(on_page(page));
    }
    for term in glossary::terms(input.project).unwrap_or_default() {
        problems.extend(oddities(&term.means).iter().map(|odd| Problem::new("book/glossary.toml", 1, reason(odd))));
    }
    for file in sentences::all_files(input.project) {
        let sentences = sentences::read(input.project, &file).unwrap_or_default();
        let found = sentences.0.iter().flat_map(|(_, sentence)| oddities(&sentence.en));
        problems.extend(found.map(|odd| Problem::new(&file, 1, reason(&odd))));
    }
}

/// The phrases on a page, each with its line.
fn on_page(page: &Page) -> Vec<Problem> {
    let blocks = prose::blocks(page);
    let found = blocks.iter().flat_map(|block| oddities(&block.text()).into_iter().map(move |odd| (block, odd)));
    found.map(|(block, odd)| Problem::new(&page.file, page.line_of(block.offset(odd.at)), reason(&odd))).collect()
}

fn reason(odd: &Oddity) -> String {
    format!("`{}` is not plain English: {}", odd.phrase, odd.advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::language::Language;

    #[test]
    fn phrases_are_found_in_their_lines_and_questions_are_none() {
        let text = "# A page {#page}\n\nWho waits? A thread.\n\nIt ends. Who reads it wakes.\n\n- `nobody` in code\n- and\n  nobody else\n";
        let page = Page::new("book/en/x.md", Language::English, text);
        let found: Vec<String> = on_page(&page).iter().map(ToString::to_string).collect();
        let lines: Vec<&str> = found.iter().filter_map(|problem| problem.split(' ').next()).collect();
        assert_eq!(lines, ["book/en/x.md:5:", "book/en/x.md:7:", "book/en/x.md:9:"], "{found:?}");
        assert!(found[0].contains("`Who` is not plain English: begin with the subject"), "{found:?}");
    }
}
