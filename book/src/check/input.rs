//! What every check reads: the pages of both languages, and their project.

use crate::page::Page;
use crate::project::Project;

/// What every check reads.
pub(super) struct Input<'p> {
    pub(super) project: &'p Project,
    pub(super) en: Vec<Page>,
    pub(super) zh: Vec<Page>,
}

impl Input<'_> {
    /// All pages of both languages, without the summaries.
    pub(super) fn pages(&self) -> impl Iterator<Item = &Page> {
        self.en.iter().chain(&self.zh).filter(|page| page.name() != "SUMMARY.md")
    }

    /// The pages that exist in both languages, English first.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&Page, &Page)> {
        let twin = |en: &Page| self.zh.iter().find(|zh| zh.name() == en.name());
        self.en.iter().filter(|page| page.name() != "SUMMARY.md").filter_map(move |en| Some((en, twin(en)?)))
    }
}
