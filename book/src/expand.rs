//! The preprocessor: turns `{{…}}` directives into text, tables, drawings, code and diffs.
//!
//! It runs before mdBook's own `links`, so that it still sees the source's line numbers, and it collects every
//! problem of a build instead of stopping at the first. Directives inside fenced blocks give plain text.

use crate::chart;
use crate::chinese::{counted, joins};
use crate::code;
use crate::diff;
use crate::directive::{BRACES, Directive, Malformed};
use crate::guess;
use crate::minutes::minutes;
use crate::named_test::named_test;
use crate::number;
use crate::page::{in_fence, is_stamp};
use crate::player;
use crate::problem::{Failure, Problem};
use crate::project::Project;
use crate::sandbox;
use crate::sources::Sources;
use crate::table;
use crate::yours;
use mdbook_preprocessor::book::{Book, BookItem};
use mdbook_preprocessor::errors::Result as MdResult;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use results::language::Language;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The preprocessor's name in `book.toml`.
pub const NAME: &str = "book";

/// The preprocessor, with the problems that it found.
pub struct Expand {
    sources: Sources,
    problems: Rc<RefCell<Vec<Problem>>>,
}

impl Expand {
    /// A preprocessor over `project` that adds what it finds to `problems`.
    pub fn new(project: &Project, problems: Rc<RefCell<Vec<Problem>>>) -> Result<Self, Failure> {
        Ok(Self { sources: Sources::new(project)?, problems })
    }
}

/// The language of a page tree such as `book/zh`.
fn language_of(source: &Path) -> Language {
    if source.ends_with("zh") { Language::Chinese } else { Language::English }
}

impl Preprocessor for Expand {
    fn name(&self) -> &str {
        NAME
    }

    fn run(&self, ctx: &PreprocessorContext, mut book: Book) -> MdResult<Book> {
        let lang = language_of(&ctx.config.book.src);
        book.for_each_mut(|item| {
            let BookItem::Chapter(chapter) = item else { return };
            let Some(path) = chapter.source_path.clone() else { return };
            let file = ctx.config.book.src.join(&path);
            chapter.content = page(&self.sources, &file, lang, &chapter.content, &mut self.problems.borrow_mut());
            // The template makes links to this page from `path`, which has to name the built file.
            chapter.path = chapter.path.take().map(|p: PathBuf| p.with_extension("html"));
        });
        Ok(book)
    }
}

/// Expands one page's source.
pub fn page(sources: &Sources, file: &Path, lang: Language, text: &str, problems: &mut Vec<Problem>) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut fence = None;
    for (index, line) in text.lines().enumerate() {
        let fenced = in_fence(&mut fence, line);
        if !fenced && is_stamp(line) {
            continue;
        }
        let mut expanded = expand_line(sources, file, lang, line, fenced, |reason| {
            problems.push(Problem::new(file, index + 1, reason));
        });
        if lang == Language::Chinese && !fenced {
            expanded = counted(&expanded);
        }
        if lang == Language::Chinese
            && !fenced
            && joins(out.trim_end_matches('\n'), &expanded)
            && !out.ends_with("\n\n")
        {
            out.truncate(out.len() - 1);
            expanded = expanded.trim_start().to_owned();
        }
        out.push_str(&expanded);
        out.push('\n');
    }
    let given = chart::given(sources, lang, &out);
    out + &given
}

fn expand_line(
    sources: &Sources,
    file: &Path,
    lang: Language,
    line: &str,
    fenced: bool,
    mut report: impl FnMut(String),
) -> String {
    let replace = |found: &regex::Captures<'_>| {
        let whole = found[0].to_owned();
        if found.get(1).is_some() {
            return whole[1..].to_owned();
        }
        let expanded = match Directive::parse(&found[2], &found[3]) {
            Ok(directive) => expand(sources, file, lang, &directive, fenced),
            // Code may contain words in braces that are not ours.
            Err(Malformed::Word(_)) if fenced => return whole,
            Err(malformed) => Err(malformed.to_string()),
        };
        expanded.unwrap_or_else(|reason| {
            report(format!("{whole}: {reason}"));
            whole
        })
    };
    BRACES.replace_all(line, replace).into_owned()
}

/// The text that replaces a directive of the page `file`.
fn expand(s: &Sources, file: &Path, lang: Language, directive: &Directive<'_>, fenced: bool) -> Result<String, String> {
    let chapter = |name: &str| s.chapters.find(name).map_err(|e| e.to_string());
    match directive {
        Directive::Num { of, format } => number::number(s, lang, of, *format, fenced),
        Directive::Ratio { above, below, format } => number::ratio(s, lang, (above, below), *format, fenced),
        Directive::Table(which) => table::table(s, lang, *which),
        Directive::Chart { name, alt } => chart::chart(s, lang, name, *alt),
        Directive::Drawing { name, alt } => chart::drawing(s, lang, name, *alt),
        Directive::Code { file: shown, anchor } => code::listing(s, shown, *anchor),
        Directive::Diff { before, after } => diff::page(&s.project, lang, chapter(before)?, chapter(after)?),
        Directive::Length { before, after } => diff::length(&s.project, lang, chapter(before)?, chapter(after)?),
        Directive::Minutes { without } => minutes(s, file, without).map(|minutes| minutes.to_string()),
        Directive::Test { path } => named_test(&s.project, path, fenced),
        Directive::Sandbox { name } => sandbox::sandbox(s, lang, name),
        Directive::Player { name } => player::player(s, lang, name),
        Directive::Guess { id } => guess::guess(s, lang, id),
        Directive::Guesses => guess::guesses(s, lang),
        Directive::Yours => yours::place(s, lang),
    }
}
