//! How long a page takes to read, so that it can say so at its top.
//!
//! What stands outside folds counts, in text, code and tables alike, up to the exercises; a figure from a record is
//! one word. What the build draws has no words: charts, drawings, players, the tables of whole records. Chinese pages
//! give the time of the English page, because they say the same.

use crate::code;
use crate::directive::{BRACES, Directive};
use crate::page::{Page, Section};
use crate::pattern::regex;
use crate::sources::Sources;
use regex::{Captures, Regex};
use results::language::Language;
use std::path::Path;
use std::sync::LazyLock;

/// How many words of such a page a reader takes in a minute. People read easy prose faster, and code more slowly.
const WORDS_A_MINUTE: usize = 200;

/// Sections at a page's end that are not read through: they are done, or looked up.
const NOT_READ: [&str; 3] = ["exercises", "check", "sources"];

static FOLD: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)<details>.*?</details>|<!--.*?-->"));
static INCLUDE: LazyLock<Regex> = LazyLock::new(|| regex(r"\{\{#include\s+([^\s{}:]+)(?::([\w-]+))?\s*\}\}"));
static TARGET: LazyLock<Regex> = LazyLock::new(|| regex(r"\]\([^()\s]*\)"));
static WORD: LazyLock<Regex> = LazyLock::new(|| regex(r"\w+(?:['’.,]\w+)*"));

/// The minutes that the page named `file` takes, rounded up, without the sections `without` and all that is below
/// them.
///
/// # Errors
/// When the page has no such section, or shows a file that is not there.
pub fn minutes(s: &Sources, file: &Path, without: &[&str]) -> Result<usize, String> {
    let name = file.file_name().unwrap_or_default();
    let file = s.project.source(Language::English).join(name);
    let text = s.project.read(&file).map_err(|e| e.to_string())?;
    let page = Page::new(&file, Language::English, FOLD.replace_all(&text, ""));
    let sections = page.sections();
    for id in without {
        if !sections.iter().any(|section| section.id.as_deref() == Some(id)) {
            return Err(format!("{} has no section `{id}`", file.display()));
        }
    }
    let without: Vec<&str> = without.iter().copied().chain(NOT_READ).collect();
    let mut count = 0;
    for section in read(&sections, &without) {
        count += words(&section.title) + words(&shown(s, &file, &section.body)?);
    }
    Ok(count.div_ceil(WORDS_A_MINUTE))
}

/// The sections that a reader reads.
fn read<'p>(sections: &'p [Section], without: &[&str]) -> Vec<&'p Section> {
    // The level of the section that is left out, with all that is below it.
    let mut left_out = None;
    let mut is_read = |section: &Section| {
        if left_out.is_some_and(|level| section.level <= level) {
            left_out = None;
        }
        if section.id.as_deref().is_some_and(|id| without.contains(&id)) {
            left_out = left_out.or(Some(section.level));
        }
        left_out.is_none()
    };
    sections.iter().filter(|section| is_read(section)).collect()
}

/// The text with the code and the files that it shows.
fn shown(s: &Sources, file: &Path, text: &str) -> Result<String, String> {
    let mut failed = None;
    let mut or_failed = |part: Result<String, String>| {
        part.unwrap_or_else(|reason| {
            failed.get_or_insert(reason);
            String::new()
        })
    };
    let folder = file.parent().unwrap_or(Path::new(""));
    let included = |found: &Captures<'_>| {
        or_failed(code::part(s, &folder.join(&found[1]), found.get(2).map(|anchor| anchor.as_str())))
    };
    let text = INCLUDE.replace_all(text, included).into_owned();
    let expanded = |found: &Captures<'_>| match Directive::parse(&found[2], &found[3]) {
        Ok(Directive::Code { file, anchor }) => {
            or_failed(code::resolve(s, file).and_then(|file| code::part(s, &file, anchor)))
        }
        Ok(Directive::Num { .. } | Directive::Ratio { .. } | Directive::Minutes { .. }) => "1".to_owned(),
        _ => String::new(),
    };
    let text = BRACES.replace_all(&text, expanded).into_owned();
    failed.map_or(Ok(text), Err)
}

fn words(text: &str) -> usize {
    WORD.find_iter(&TARGET.replace_all(text, "]")).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_its_words_and_a_number_is_one() {
        assert_eq!(words("See [the other door](gateway.md#door): 1,234.5 of it, and can't."), 9);
    }

    #[test]
    fn a_section_is_left_out_with_what_is_below_it() {
        let text = "# A {#a}\n## B {#b}\n### C {#c}\n## D {#d}\n";
        let sections = Page::new("x.md", Language::English, text).sections();
        let titles = |without: &[&str]| read(&sections, without).iter().map(|s| s.title.clone()).collect::<String>();
        assert_eq!(titles(&[]), "ABCD");
        assert_eq!(titles(&["b"]), "AD");
        assert_eq!(titles(&["c", "d"]), "AB");
        assert_eq!(titles(&["b", "c"]), "AD");
    }
}
