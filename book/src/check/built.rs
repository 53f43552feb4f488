//! A built page as the check on links sees it: its ids, its links, and braces that are left over.
//!
//! The tokens of the HTML are enough for that, so no tree is built.

use crate::directive;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What a built page holds.
#[derive(Debug, Default)]
pub(super) struct Built {
    /// The ids that a link can lead to.
    pub(super) ids: BTreeSet<String>,
    /// The targets of its links, pictures, scripts and styles.
    pub(super) targets: Vec<String>,
    /// Pieces of its text that look like a directive that was not expanded.
    pub(super) braces: Vec<String>,
}

/// Reads a built page.
pub(super) fn read(html: &str) -> Built {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    let tokenizer = Tokenizer::new(Reader::default(), TokenizerOpts::default());
    // The tokenizer is never asked to run a script, so it never stops before the end.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let mut reading = tokenizer.sink.0.into_inner();
    reading.end_text();
    reading.built
}

/// The tokenizer passes its tokens to a shared reference.
#[derive(Default)]
struct Reader(RefCell<Reading>);

#[derive(Default)]
struct Reading {
    built: Built,
    /// The text since the last tag.
    text: String,
    /// How many `main` are open.
    main: usize,
    /// How many elements are open whose text is code.
    code: usize,
}

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut reading = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => reading.text.push_str(&text),
            Token::TagToken(tag) => {
                reading.end_text();
                return reading.tag(&tag);
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Reading {
    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let opens = tag.kind == TagKind::StartTag;
        let count = |open: usize| if opens { open + 1 } else { open.saturating_sub(1) };
        match &*tag.name {
            "main" => self.main = count(self.main),
            "code" | "pre" => self.code = count(self.code),
            _ => {}
        }
        for attribute in &tag.attrs {
            let value = attribute.value.to_string();
            match &*attribute.name.local {
                "id" => drop(self.built.ids.insert(value)),
                "href" | "src" => self.built.targets.push(value),
                _ => {}
            }
        }
        // The contents of these are not markup.
        match &*tag.name {
            "script" if opens => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" if opens => TokenSinkResult::RawData(RawKind::Rawtext),
            "title" | "textarea" if opens => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }

    /// Ends the text here. In code, only our own directives and mdBook's count.
    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        if self.main == 0 {
            return;
        }
        for piece in text.split("{{").skip(1) {
            let word = piece.trim_start();
            let ours = word.starts_with('#')
                || directive::words().any(|name| word.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')));
            if ours || self.code == 0 {
                let end = piece.find("}}").map_or(0, |end| end + 2);
                self.built.braces.push(format!("{{{{{}", piece.get(..end).unwrap_or_default()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_count_in_text_and_only_as_directives_in_code() {
        let found = |html: &str| read(&format!("<main>{html}</main>")).braces;
        assert_eq!(found("<p>{{num a}} b</p>"), ["{{num a}}"]);
        assert_eq!(found("<p>{{odd}}</p>"), ["{{odd}}"]);
        assert!(found("<pre><code>format!(\"{{}}\")</code></pre>").is_empty());
        assert_eq!(found("<pre><code>{{#include x.rs:a}}</code></pre>"), ["{{#include x.rs:a}}"]);
        assert!(read("<p>{{odd}}</p>").braces.is_empty());
    }

    #[test]
    fn ids_and_targets_are_those_of_the_markup() {
        let html = "<title><a href=x></title><script>'<a href=y>'</script><img id=\"i\" src=\"a&amp;b\"><a href='c'>";
        let built = read(html);
        assert_eq!(built.targets, ["a&b", "c"]);
        assert_eq!(Vec::from_iter(built.ids), ["i"]);
    }
}
