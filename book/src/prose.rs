//! A page's running text, without its code: what the checks on words and figures read.
//!
//! Each block (paragraph, heading, list item, table cell) keeps the place of its text in the source, so that a
//! problem can name its line. Directives are masked, because their result is not typed by hand. The
//! descriptions of pictures stay, because those are.

use crate::directive::BRACES;
use crate::page::Page;
use crate::pattern::regex;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

static HTML: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)<!--.*?-->|<[^>]*>"));
static MARK: LazyLock<Regex> = LazyLock::new(|| regex(r"<!--\s*([a-z]+):\s*(\S.*?)\s*-->"));

/// A block of running text.
#[derive(Debug, Clone)]
pub struct Block {
    pieces: Vec<Piece>,
    /// The lines, from 1, of the block itself, or of the whole table that it is a cell of.
    lines: Range<usize>,
}

#[derive(Debug, Clone)]
struct Piece {
    text: String,
    offset: usize,
    code: bool,
}

impl Block {
    /// The block's text, with inline code as it is.
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// The block's text, with every piece of inline code as one `x`.
    pub fn words(&self) -> String {
        self.pieces.iter().map(|piece| if piece.code { "x" } else { piece.text.as_str() }).collect()
    }

    /// The source's offset of the byte at `at` in [`Block::text`].
    pub fn offset(&self, at: usize) -> usize {
        let mut passed = 0;
        for piece in &self.pieces {
            if at < passed + piece.text.len() {
                return piece.offset + at - passed;
            }
            passed += piece.text.len();
        }
        self.pieces.last().map_or(0, |piece| piece.offset)
    }

    /// The first line, counted from 1.
    pub fn line(&self) -> usize {
        self.lines.start
    }

    /// Whether a mark such as `<!-- literal: source -->` is in the block's lines, or above them.
    pub fn marked(&self, page: &Page, kind: &str) -> bool {
        let lines: Vec<&str> = page.text.lines().collect();
        let inside = lines.get(self.lines.start - 1..self.lines.end).unwrap_or_default();
        let above = lines[..self.lines.start - 1].iter().rev().take(2).find(|line| !line.trim().is_empty());
        let over = above.filter(|line| line.trim_start().starts_with("<!--"));
        inside.iter().chain(over).any(|text| has_mark(text, kind))
    }
}

/// Whether the text holds a mark of this kind with a reason in it.
pub fn has_mark(text: &str, kind: &str) -> bool {
    MARK.captures_iter(text).any(|mark| &mark[1] == kind)
}

/// The reasons of all marks of a kind.
pub fn marks<'t>(text: &'t str, kind: &str) -> Vec<&'t str> {
    let found = MARK.captures_iter(text).filter(|mark| &mark[1] == kind);
    found.filter_map(|mark| mark.get(2).map(|reason| reason.as_str())).collect()
}

/// The page's source with each directive masked, byte for byte.
fn masked(text: &str) -> String {
    let mask = |found: &regex::Captures<'_>| {
        let whole = &found[0];
        match (&found[2], whole.split_once('|')) {
            ("chart" | "drawing", Some((before, alt))) => {
                format!("{} {}  ", "N".repeat(before.len()), alt.trim_end_matches('}'))
            }
            _ => "N".repeat(whole.len()),
        }
    };
    BRACES.replace_all(text, mask).into_owned()
}

/// The page's blocks, in order.
pub fn blocks(page: &Page) -> Vec<Block> {
    let source = masked(&page.text);
    let mut collector = Collector { page, blocks: vec![], pieces: vec![], ranges: vec![], table: None, code: false };
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES;
    for (event, range) in Parser::new_ext(&source, options).into_offset_iter() {
        collector.event(event, range);
    }
    collector.blocks
}

struct Collector<'p> {
    page: &'p Page,
    blocks: Vec<Block>,
    pieces: Vec<Piece>,
    ranges: Vec<Range<usize>>,
    table: Option<Range<usize>>,
    code: bool,
}

impl Collector<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => self.code = true,
            Event::End(TagEnd::CodeBlock) => self.code = false,
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if !self.code => self.piece(text.into_string(), range.start, false),
            Event::Code(text) => self.piece(text.into_string(), range.start, true),
            Event::SoftBreak | Event::HardBreak => self.piece("\n".into(), range.start, false),
            Event::Html(html) => {
                let text = HTML.replace_all(&html, |found: &regex::Captures<'_>| " ".repeat(found[0].len()));
                self.piece(text.into_owned(), range.start, false);
            }
            _ => {}
        }
    }

    fn piece(&mut self, text: String, offset: usize, code: bool) {
        self.pieces.push(Piece { text, offset, code });
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Table(_) => self.table = Some(range),
            Tag::Paragraph | Tag::Heading { .. } | Tag::TableCell | Tag::Item | Tag::HtmlBlock => {
                self.flush();
                self.ranges.push(range);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Table => self.table = None,
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::TableCell | TagEnd::Item | TagEnd::HtmlBlock => {
                self.flush();
                self.ranges.pop();
            }
            _ => {}
        }
    }

    fn flush(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        let Some(range) = self.table.clone().or_else(|| self.ranges.last().cloned()) else { return };
        if pieces.iter().any(|piece| !piece.text.trim().is_empty()) {
            let source = &self.page.text;
            let last = range.start + source.get(range.clone()).map_or(0, |text| text.trim_end().len());
            let lines = self.page.line_of(range.start)..self.page.line_of(last);
            self.blocks.push(Block { pieces, lines });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::language::Language;

    fn of(text: &str) -> (Page, Vec<Block>) {
        let page = Page::new("book/en/x.md", Language::English, text);
        let blocks = blocks(&page);
        (page, blocks)
    }

    #[test]
    fn blocks_leave_out_code_blocks_and_mask_directives() {
        let (page, blocks) = of(
            "# T {#t}\n\none `two` {{num ladder:a.b | si2}} three\n\n```\n5 ns\n```\n\n- item\n\n| a | b |\n|---|---|\n| c | d |\n",
        );
        let texts: Vec<String> = blocks.iter().map(Block::text).collect();
        assert!(texts[1].starts_with("one two NNN") && texts[1].ends_with("N three"), "{texts:?}");
        assert_eq!(&texts[2..], ["item", "a", "b", "c", "d"]);
        assert!(blocks[1].words().starts_with("one x N"));
        let at = blocks[1].text().find("three").unwrap();
        assert_eq!(&page.text[blocks[1].offset(at)..][..5], "three");
        assert_eq!(blocks[6].line(), 11);
    }

    #[test]
    fn a_mark_covers_the_block_it_stands_in_or_over() {
        let (page, blocks) = of("a <!-- literal: x -->\n\nb\n\n<!-- literal: y -->\n| c |\n|---|\n| d |\n\ne\n");
        let marked: Vec<(String, bool)> =
            blocks.iter().map(|b| (b.text().trim().to_owned(), b.marked(&page, "literal"))).collect();
        let expect = [("a", true), ("b", false), ("c", true), ("d", true), ("e", false)];
        assert_eq!(marked, expect.map(|(text, yes)| (text.to_owned(), yes)));
    }

    #[test]
    fn the_words_for_a_picture_are_read() {
        let (_, blocks) = of("{{drawing a | a maker}}\n");
        assert!(blocks[0].text().trim().ends_with("N  a maker"));
    }
}
