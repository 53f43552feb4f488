//! A page as the checker sees it: lines, fences, headings and the sections between them.
//!
//! A section runs from its heading to the next heading of any level. Its English text has a hash; the Chinese
//! section that translates it carries that hash, so that a change on one side shows until the other is
//! updated.

use crate::pattern::regex;
use regex::Regex;
use results::language::Language;
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use std::sync::LazyLock;

static HEADING: LazyLock<Regex> = LazyLock::new(|| regex(r"^(#{1,6})\s+(.*?)\s*(?:\{\s*#([\w-]+)[^}]*\})?\s*$"));
static STAMP: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s*<!--\s*en:([0-9a-f]{8})\s*-->\s*$"));
static SUMMARY_LINK: LazyLock<Regex> = LazyLock::new(|| regex(r"\]\(([^)\s]+\.md)\)"));

/// One source page.
#[derive(Debug, Clone)]
pub struct Page {
    /// Relative to the repository's root.
    pub file: PathBuf,
    /// The language of its tree.
    pub lang: Language,
    /// The whole source.
    pub text: String,
}

/// A heading and its text, up to the next heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// 1 for `#`, 2 for `##`.
    pub level: usize,
    /// The heading's words.
    pub title: String,
    /// The explicit id, if it has one.
    pub id: Option<String>,
    /// The heading's line, counted from 1.
    pub line: usize,
    /// The lines under the heading, without the stamp.
    pub body: String,
    /// The stamp's line and the hash it carries.
    pub stamp: Option<(usize, String)>,
}

impl Section {
    /// Eight hex digits that change when the heading or the text under it does.
    pub fn hash(&self) -> String {
        let body: Vec<&str> = self.body.trim().lines().map(str::trim_end).collect();
        let digest = Sha256::digest(format!("{} {}\n{}", self.level, self.title, body.join("\n")));
        digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A fenced code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// The opening line, counted from 1.
    pub line: usize,
    /// The text after the backticks, e.g. `rust,ignore`.
    pub info: String,
    /// The lines inside.
    pub body: Vec<String>,
}

impl Page {
    /// A page of `lang`; `file` is relative to the repository's root.
    pub fn new(file: impl Into<PathBuf>, lang: Language, text: impl Into<String>) -> Self {
        Self { file: file.into(), lang, text: text.into() }
    }

    /// The file's name, which its twin shares.
    pub fn name(&self) -> String {
        self.file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// For each line, whether it belongs to a fenced block (the fence's own lines included).
    pub fn fenced(&self) -> Vec<bool> {
        let mut open: Option<String> = None;
        self.text.lines().map(|line| in_fence(&mut open, line)).collect()
    }

    /// The fenced blocks, in order.
    pub fn fences(&self) -> Vec<Fence> {
        let mut fences: Vec<Fence> = vec![];
        let mut open: Option<String> = None;
        for (index, line) in self.text.lines().enumerate() {
            let was_open = open.is_some();
            let inside = in_fence(&mut open, line);
            match (was_open, inside, open.is_some()) {
                (false, true, true) => {
                    let info = line.trim().trim_start_matches(['`', '~']).trim().to_owned();
                    fences.push(Fence { line: index + 1, info, body: vec![] });
                }
                (true, _, true) => {
                    if let Some(fence) = fences.last_mut() {
                        fence.body.push(line.to_owned());
                    }
                }
                _ => {}
            }
        }
        fences
    }

    /// The sections, in order.
    pub fn sections(&self) -> Vec<Section> {
        let mut sections: Vec<Section> = vec![];
        for ((index, line), fenced) in self.text.lines().enumerate().zip(self.fenced()) {
            if !fenced && let Some(heading) = HEADING.captures(line) {
                sections.push(Section {
                    level: heading[1].len(),
                    title: heading[2].to_owned(),
                    id: heading.get(3).map(|id| id.as_str().to_owned()),
                    line: index + 1,
                    body: String::new(),
                    stamp: None,
                });
            } else if let Some(section) = sections.last_mut() {
                match STAMP.captures(line) {
                    Some(stamp) if !fenced => section.stamp = Some((index + 1, stamp[1].to_owned())),
                    _ => {
                        section.body.push_str(line);
                        section.body.push('\n');
                    }
                }
            }
        }
        sections
    }

    /// The `.md` links of a `SUMMARY.md`, with their lines.
    pub fn summary_links(&self) -> Vec<(usize, String)> {
        let lines = self.text.lines().enumerate();
        lines
            .filter_map(|(i, line)| {
                SUMMARY_LINK.captures(line).map(|c| (i + 1, c[1].trim_start_matches("./").to_owned()))
            })
            .collect()
    }

    /// The line, counted from 1, that holds the byte at `offset`.
    pub fn line_of(&self, offset: usize) -> usize {
        self.text.match_indices('\n').take_while(|(at, _)| *at < offset).count() + 1
    }
}

/// Whether a line is only a stamp.
pub fn is_stamp(line: &str) -> bool {
    STAMP.is_match(line)
}

/// Whether the next line belongs to a fence; `open` is the mark of the open fence before and after it.
pub(crate) fn in_fence(open: &mut Option<String>, line: &str) -> bool {
    let trimmed = line.trim_start().trim_start_matches("> ");
    let mark: String = trimmed.chars().take_while(|c| *c == '`' || *c == '~').collect();
    match open {
        None if mark.len() >= 3 && !trimmed[mark.len()..].contains('`') => {
            *open = Some(mark);
            true
        }
        None => false,
        Some(start) => {
            if mark.len() >= start.len() && mark.starts_with(&start[..1]) && trimmed.trim_end() == mark {
                *open = None;
            }
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        Page::new("book/en/x.md", Language::English, text)
    }

    #[test]
    fn sections_end_at_any_heading_and_skip_fences() {
        let sections =
            page("# A {#a}\n<!-- en:0123abcd -->\n\ntext\n\n```\n# not a heading\n```\n## B {#b}\nmore\n").sections();
        assert_eq!(sections.len(), 2);
        assert_eq!(sections[0].id.as_deref(), Some("a"));
        assert_eq!(sections[0].stamp, Some((2, "0123abcd".to_owned())));
        assert!(sections[0].body.contains("# not a heading"));
        assert_eq!((sections[1].level, sections[1].line, sections[1].title.as_str()), (2, 9, "B"));
    }

    #[test]
    fn the_hash_ignores_ids_stamps_and_trailing_space_but_not_words() {
        let of = |text: &str| page(text).sections()[0].hash();
        assert_eq!(of("# A {#a}\n\ntext  \n\n"), of("# A {#z}\n<!-- en:0123abcd -->\ntext"));
        assert_ne!(of("# A {#a}\n\ntext"), of("# A {#a}\n\ntexts"));
        assert_eq!(of("# A").len(), 8);
    }

    #[test]
    fn a_fence_ends_only_at_its_own_mark() {
        let fences = page("````rust\n```\nx\n````\nafter\n").fences();
        assert_eq!(fences, [Fence { line: 1, info: "rust".into(), body: vec!["```".into(), "x".into()] }]);
    }
}
