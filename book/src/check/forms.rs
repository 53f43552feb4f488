//! Places for guesses: each is on its page, in both languages, in the section that asks, and its answer is named in
//! that section; and for each answer named there is a place to guess it.

use crate::check::input::Input;
use crate::directive::{BRACES, Directive};
use crate::guess::question::{self, FILE, Guess};
use crate::page::Page;
use crate::problem::Problem;
use crate::prose::marks;
use results::language::Language;

pub(super) fn check(input: &Input<'_>, problems: &mut Vec<Problem>) {
    let guesses = match question::read(input.project) {
        Ok(guesses) => guesses,
        Err(reason) => return problems.push(Problem::new(FILE, 1, reason)),
    };
    if guesses.is_empty() {
        return;
    }
    for guess in &guesses {
        for lang in Language::ALL {
            let pages = lang.pick(&input.en, &input.zh);
            if !pages.iter().any(|page| is_named(page, guess) && asked(page).any(|(_, id)| id == guess.id)) {
                let page = format!("book/{}/{}.md", lang.tag(), guess.page);
                problems.push(Problem::new(FILE, 1, format!("{page} has no {{{{guess {}}}}}", guess.id)));
            }
        }
    }
    for page in input.pages() {
        let found = faults(page, &guesses);
        problems.extend(found.into_iter().map(|(line, reason)| Problem::new(&page.file, line, reason)));
    }
}

/// What is wrong with the guesses of a page.
fn faults(page: &Page, guesses: &[Guess]) -> Vec<(usize, String)> {
    let sections = page.sections();
    let place = sections.iter().position(|section| section.id.as_deref() == Some("guess"));
    let lines = place.map_or(0..0, |at| sections[at].line..sections.get(at + 1).map_or(usize::MAX, |next| next.line));
    let named = place.map(|at| marks(&sections[at].body, "answer")).unwrap_or_default();
    let here: Vec<&Guess> = guesses.iter().filter(|guess| is_named(page, guess)).collect();
    let mut faults = Vec::new();
    for (line, id) in asked(page) {
        match here.iter().find(|guess| guess.id == id) {
            None => faults.push((line, format!("{FILE} has no guess `{id}` for this page"))),
            Some(_) if !lines.contains(&line) => {
                faults.push((line, format!("the guess `{id}` is outside of the section `guess`")));
            }
            Some(guess) => faults.extend(guess.answers().filter(|answer| !named.contains(answer)).map(|answer| {
                (line, format!("the guess `{id}` is answered by `{answer}`: write `<!-- answer: {answer} -->` here"))
            })),
        }
    }
    let unasked = named.iter().filter(|answer| !here.iter().any(|guess| guess.answers().any(|own| own == **answer)));
    faults.extend(
        unasked.map(|answer| {
            (lines.start, format!("`{answer}` is to be guessed, but no guess in {FILE} has this answer"))
        }),
    );
    faults
}

fn is_named(page: &Page, guess: &Guess) -> bool {
    page.name() == format!("{}.md", guess.page)
}

/// The guesses on a page, with their lines.
fn asked(page: &Page) -> impl Iterator<Item = (usize, &str)> {
    BRACES.captures_iter(&page.text).filter(|found| found.get(1).is_none()).filter_map(|found| {
        let (start, word, rest) = (found.get(0)?.start(), found.get(2)?.as_str(), found.get(3)?.as_str());
        match Directive::parse(word, rest) {
            Ok(Directive::Guess { id }) => Some((page.line_of(start), id)),
            _ => None,
        }
    })
}
