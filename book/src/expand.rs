//! The preprocessor: turns `{{…}}` directives into text, tables, drawings, code and diffs.
//!
//! It runs before mdBook's own `links`, so that it still sees the source's line numbers, and it collects every
//! problem of a build instead of stopping at the first. Directives inside fenced blocks give plain text.
//! The rules for page authors are in `book/AUTHORING.md`.

use crate::chart;
use crate::code;
use crate::diff;
use crate::format::Format;
use crate::glossary;
use crate::page::{is_stamp, regex, step};
use crate::problem::Problem;
use crate::project::{Lang, Project};
use crate::record::Records;
use crate::table;
use mdbook_preprocessor::book::{Book, BookItem};
use mdbook_preprocessor::errors::Result as MdResult;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use regex::Regex;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::LazyLock;

/// The preprocessor's name in `book.toml`.
pub const NAME: &str = "book";

/// The words that may open a directive.
pub const DIRECTIVES: [&str; 7] = ["num", "ratio", "table", "chart", "drawing", "code", "diff"];

pub(crate) static DIRECTIVE: LazyLock<Regex> = LazyLock::new(|| regex(r"(\\)?\{\{\s*([a-z][\w-]*)\b([^{}]*)\}\}"));

/// Everything that a directive may draw on.
pub struct Sources {
    /// The repository.
    pub project: Project,
    /// The committed records.
    pub reference: Records,
    /// The reader's own records.
    pub own: Records,
}

impl Sources {
    /// The sources of `project`.
    pub fn new(project: &Project) -> Self {
        Self { project: project.clone(), reference: Records::reference(project), own: Records::own(project) }
    }
}

/// The preprocessor, with the problems it met.
pub struct Expand {
    sources: Sources,
    problems: Rc<RefCell<Vec<Problem>>>,
}

impl Expand {
    /// A preprocessor over `project` that adds what it finds to `problems`.
    pub fn new(project: &Project, problems: Rc<RefCell<Vec<Problem>>>) -> Self {
        Self { sources: Sources::new(project), problems }
    }
}

impl Preprocessor for Expand {
    fn name(&self) -> &str {
        NAME
    }

    fn run(&self, ctx: &PreprocessorContext, mut book: Book) -> MdResult<Book> {
        let lang = Lang::of_source(&ctx.config.book.src);
        book.for_each_mut(|item| {
            let BookItem::Chapter(chapter) = item else { return };
            let Some(path) = chapter.source_path.clone() else { return };
            let file = ctx.config.book.src.join(&path);
            chapter.content = page(&self.sources, &file, lang, &chapter.content, &mut self.problems.borrow_mut());
            // The template writes links to this page out of `path`; they have to name the built file.
            chapter.path = chapter.path.take().map(|p: PathBuf| p.with_extension("html"));
        });
        Ok(book)
    }
}

/// Expands one page's source.
pub fn page(sources: &Sources, file: &Path, lang: Lang, text: &str, problems: &mut Vec<Problem>) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut fence = None;
    for (index, line) in text.lines().enumerate() {
        let fenced = step(&mut fence, line);
        if !fenced && is_stamp(line) {
            continue;
        }
        let mut expanded = expand_line(sources, lang, line, fenced, |reason| {
            problems.push(Problem::new(file, index + 1, reason));
        });
        if lang == Lang::Zh && !fenced && joins(out.trim_end_matches('\n'), &expanded) && !out.ends_with("\n\n") {
            out.truncate(out.len() - 1);
            expanded = expanded.trim_start().to_owned();
        }
        out.push_str(&expanded);
        out.push('\n');
    }
    out
}

fn expand_line(sources: &Sources, lang: Lang, line: &str, fenced: bool, mut report: impl FnMut(String)) -> String {
    let replace = |found: &regex::Captures<'_>| {
        let whole = found[0].to_owned();
        if found.get(1).is_some() {
            return whole[1..].to_owned();
        }
        match directive(sources, lang, &found[2], found[3].trim(), fenced) {
            Ok(Some(text)) => text,
            Ok(None) => whole,
            Err(reason) => {
                report(format!("{whole}: {reason}"));
                whole
            }
        }
    };
    DIRECTIVE.replace_all(line, replace).into_owned()
}

/// One directive's text; `None` for a word in braces that is not ours (code in a fence).
fn directive(s: &Sources, lang: Lang, word: &str, rest: &str, fenced: bool) -> Result<Option<String>, String> {
    let (subject, option) = rest.split_once('|').map_or((rest, None), |(a, b)| (a.trim(), Some(b.trim())));
    let words: Vec<&str> = subject.split_whitespace().collect();
    let text = match (word, words.as_slice()) {
        ("num", [path]) => number(s, lang, path, option.unwrap_or("si2"), fenced)?,
        ("ratio", [above, below]) => ratio(s, lang, (above, below), option.unwrap_or("x2"), fenced)?,
        ("table", ["glossary", group @ ..]) => glossary::table(&s.project, group.first().copied(), lang)?,
        ("table", [name, options @ ..]) => table::table(s, lang, name, options)?,
        ("chart", [name]) => chart::chart(s, lang, name, option)?,
        ("drawing", [name]) => chart::drawing(s, lang, name, option)?,
        ("code", [path]) => code::listing(&s.project, path)?,
        ("diff", [before, after]) => diff::page(&s.project, lang, before, after)?,
        (word, _) if DIRECTIVES.contains(&word) => return Err("wrong arguments; see book/AUTHORING.md".into()),
        _ if fenced => return Ok(None),
        (word, _) => return Err(format!("no directive `{word}` (there are: {})", DIRECTIVES.join(", "))),
    };
    Ok(Some(text))
}

fn number(s: &Sources, lang: Lang, path: &str, format: &str, fenced: bool) -> Result<String, String> {
    let format = Format::parse(format)?;
    let value = s.reference.value(path)?;
    let shown = format.value(&value, lang)?;
    let own = s.own.value(path).and_then(|own| format.value(&own, lang)).ok();
    Ok(if fenced { shown } else { tagged(lang, &shown, &value.to_string(), path, own.as_deref()) })
}

fn ratio(s: &Sources, lang: Lang, of: (&str, &str), format: &str, fenced: bool) -> Result<String, String> {
    let format = Format::parse(format)?;
    let divide = |records: &Records| -> Result<f64, String> {
        let (above, below) = (records.number(of.0)?, records.number(of.1)?);
        if below == 0.0 { Err(format!("{} is zero", of.1)) } else { Ok(above / below) }
    };
    let value = divide(&s.reference)?;
    let shown = format.number(value, lang);
    let own = divide(&s.own).ok().map(|own| format.number(own, lang));
    let source = format!("{} ÷ {}", of.0, of.1);
    Ok(if fenced { shown } else { tagged(lang, &shown, &format!("{value}"), &source, own.as_deref()) })
}

/// A number in prose, carrying where it comes from and what the reader's own run said.
fn tagged(lang: Lang, shown: &str, value: &str, source: &str, own: Option<&str>) -> String {
    let own = own.map(|own| format!(" · {} {own}", lang.pick("your run:", "你的运行："))).unwrap_or_default();
    let (value, title) = (escape(value.trim_matches('"')), escape(&format!("{source}{own}")));
    format!("<data class=\"num\" value=\"{value}\" title=\"{title}\">{}</data>", escape(shown))
}

/// `text` safe inside HTML text and attributes; braces too, so that no later step takes them for a directive.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('{', "&#123;")
}

/// Whether two source lines are one run of Chinese, between which a browser must not show a space.
fn joins(before: &str, line: &str) -> bool {
    let last = before.lines().last().unwrap_or_default();
    let ends = last.chars().next_back().is_some_and(is_wide) && !last.trim_start().starts_with('#');
    ends && line.trim_start().chars().next().is_some_and(is_wide)
}

/// A Chinese character or a full-width mark.
pub fn is_wide(c: char) -> bool {
    is_han(c) || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}' | '“' | '”' | '‘' | '’' | '…')
}

/// A Chinese character.
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_lines_join_and_others_do_not() {
        assert!(joins("第一行，", "第二行"));
        assert!(!joins("第一行 Rust", "第二行"));
        assert!(!joins("# 标题", "正文"));
        assert!(!joins("正文。", "- 列表"));
    }

    #[test]
    fn braces_in_escaped_text_are_not_a_directive_any_more() {
        assert_eq!(escape("{{num a}} <b>"), "&#123;&#123;num a}} &lt;b&gt;");
    }
}
