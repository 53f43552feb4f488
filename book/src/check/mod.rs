//! `check`: everything that mdBook ignores silently, each as `file:line: reason`.
//!
//! Half of it reads the sources (translation, figures, listings, includes, terms, plain English), half the built pages (links,
//! pictures, anything left in braces).

mod built;
mod chapters;
mod charts;
mod figures;
mod forms;
mod guesses;
mod includes;
mod input;
mod links;
mod listings;
mod minutes;
mod plain;
mod reading;
mod sandboxes;
mod sections;
mod terms;
mod typography;

use crate::directive::BRACES;
use crate::page::Page;
use crate::problem::{Failure, Problem};
use crate::project::Project;
use crate::site;
use input::Input;
use results::language::Language;
use std::fmt;
use std::path::Path;

/// What was found, and how much was checked.
#[derive(Debug)]
pub struct Report {
    /// In the order of files and lines.
    pub problems: Vec<Problem>,
    pages: usize,
    sections: usize,
    bound: usize,
    median_lines: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pages, sections, bound, median_lines, .. } = self;
        let problems = self.problems.len();
        write!(
            f,
            "{pages} pages in 2 languages, {sections} sections, {bound} directives bound to records and code, \
             median page {median_lines} lines: {problems} problems"
        )
    }
}

/// Checks the sources, builds the site into `dist`, and checks the result.
pub fn check(project: &Project, dist: &Path) -> Result<Report, Failure> {
    let input = Input { project, en: project.pages(Language::English)?, zh: project.pages(Language::Chinese)? };
    let mut problems = vec![];
    chapters::check(&input, &project.chapters()?, &mut problems);
    sections::check(&input, &mut problems);
    figures::check(&input, &mut problems);
    listings::check(&input, &mut problems);
    includes::check(&input, &mut problems);
    terms::check(&input, &mut problems);
    reading::check(&input, &mut problems);
    minutes::check(&input, &mut problems)?;
    guesses::check(&input, &mut problems);
    forms::check(&input, &mut problems);
    charts::check(&input, &mut problems);
    typography::check(&input, &mut problems);
    plain::check(&input, &mut problems);
    sandboxes::check(&input, &mut problems);
    match site::build(project, dist) {
        Ok(()) => links::check(&input, dist, true, &mut problems)?,
        Err(Failure::Problems(more)) => {
            problems.extend(more);
            links::check(&input, dist, false, &mut problems)?;
        }
        Err(Failure::Render(reason)) => problems.push(Problem::new("book.toml", 1, format!("mdBook: {reason}"))),
        Err(other) => return Err(other),
    }
    problems.sort();
    problems.dedup();
    Ok(report(&input, problems))
}

fn report(input: &Input<'_>, problems: Vec<Problem>) -> Report {
    let english: Vec<&Page> = input.en.iter().filter(|page| page.name() != "SUMMARY.md").collect();
    let mut lines: Vec<usize> = input.pages().map(|page| page.text.lines().count()).collect();
    lines.sort_unstable();
    Report {
        problems,
        pages: english.len(),
        sections: english.iter().map(|page| page.sections().len()).sum(),
        bound: input.pages().map(|page| BRACES.find_iter(&page.text).count()).sum(),
        median_lines: lines.get(lines.len() / 2).copied().unwrap_or_default(),
    }
}
