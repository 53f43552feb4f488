//! Which pages there are, and in which languages.

use crate::problem::Failure;
use crate::project::Project;
use results::language::Language;

/// The pages' names without their ending, in the order of the contents, and in which languages each is.
pub(super) struct Pages {
    names: Vec<(String, Vec<Language>)>,
}

impl Pages {
    pub(super) fn of(project: &Project) -> Result<Self, Failure> {
        let mut names: Vec<(String, Vec<Language>)> = vec![];
        for lang in Language::ALL {
            // The first is the list of contents.
            for page in project.pages(lang)?.iter().skip(1) {
                let name = page.name().trim_end_matches(".md").to_owned();
                match names.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, langs)) => langs.push(lang),
                    None => names.push((name, vec![lang])),
                }
            }
        }
        Ok(Self { names })
    }

    /// The pages of a language.
    pub(super) fn in_language(&self, lang: Language) -> impl Iterator<Item = (&str, &[Language])> {
        let with = self.names.iter().filter(move |(_, langs)| langs.contains(&lang));
        with.map(|(name, langs)| (name.as_str(), langs.as_slice()))
    }
}
