//! The head of a page online: the page's address, its languages, and how a link to it is shown.

use crate::online::address::Address;
use crate::online::picture::Picture;
use crate::pattern::regex;
use regex::{NoExpand, Regex};
use results::language::Language;
use std::fmt::Write as _;
use std::sync::LazyLock;

static ALTERNATES: LazyLock<Regex> = LazyLock::new(|| regex(r#"[ \t]*<link rel="alternate"[^>]*>\n?"#));
static DESCRIPTION: LazyLock<Regex> = LazyLock::new(|| regex(r#"<meta name="description" content="[^"]*">"#));
static TITLE: LazyLock<Regex> = LazyLock::new(|| regex(r"<title>([^<]*)</title>"));
static PARAGRAPH: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)<main>.*?<p>(.*?)</p>"));
static TAG: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)<[^>]*>"));
static SPACE: LazyLock<Regex> = LazyLock::new(|| regex(r"\s+"));

/// Search engines show about this many characters of a description.
const SHOWN: usize = 160;

/// A page as its head describes it.
pub(super) struct Head<'a> {
    pub(super) site: &'a Address,
    pub(super) lang: Language,
    /// Its one address, inside the site; other files may contain the same page.
    pub(super) canonical: &'a str,
    /// Its address in each language, inside the site.
    pub(super) alternates: Vec<(Language, String)>,
    pub(super) picture: &'a Picture,
}

impl Head<'_> {
    /// The page with a head for the web: absolute addresses instead of relative ones.
    pub(super) fn put(&self, html: &str) -> String {
        let title = TITLE.captures(html).map_or("", |found| found.get(1).map_or("", |title| title.as_str())).to_owned();
        let mut html = ALTERNATES.replace_all(html, "").into_owned();
        if let Some(said) = description(&html) {
            let meta = format!("<meta name=\"description\" content=\"{said}\">");
            html = DESCRIPTION.replace(&html, NoExpand(&meta)).into_owned();
        }
        let said = DESCRIPTION.find(&html).map_or("", |found| found.as_str());
        let said = said.split('"').nth(3).unwrap_or_default();
        html.replacen("</head>", &format!("{}</head>", self.lines(&title, said)), 1)
    }

    /// The lines to add. Title and description come from the page and are safe in it.
    fn lines(&self, title: &str, description: &str) -> String {
        let Self { site, lang, canonical, alternates, picture } = self;
        let mut lines = format!("    <link rel=\"canonical\" href=\"{}\">\n", site.of(canonical));
        for (lang, file) in alternates {
            let (tag, href) = (lang.html_tag(), site.of(file));
            push(&mut lines, format_args!("<link rel=\"alternate\" hreflang=\"{tag}\" href=\"{href}\">"));
        }
        push(&mut lines, format_args!("<link rel=\"alternate\" hreflang=\"x-default\" href=\"{}\">", site.of("")));
        let locale = |lang: Language| lang.pick("en_US", "zh_CN");
        let mut property = |name: &str, value: &str| {
            push(&mut lines, format_args!("<meta property=\"og:{name}\" content=\"{value}\">"));
        };
        property("type", if canonical.is_empty() { "website" } else { "article" });
        // mdBook's titles end with the book's own.
        let (page, book) = title.rsplit_once(" - ").unwrap_or((title, title));
        property("site_name", book);
        property("title", page);
        property("description", description);
        property("url", &site.of(canonical));
        property("locale", locale(*lang));
        for (other, _) in alternates.iter().filter(|(other, _)| other != lang) {
            property("locale:alternate", locale(*other));
        }
        property("image", &site.of(&picture.file));
        property("image:width", &picture.width.to_string());
        property("image:height", &picture.height.to_string());
        property("image:alt", &picture.words);
        push(&mut lines, format_args!("<meta name=\"twitter:card\" content=\"summary_large_image\">"));
        lines
    }
}

fn push(lines: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(lines, "    {line}");
}

/// The first sentences of the page's first paragraph, safe in an attribute; `None` if it has no paragraph.
fn description(html: &str) -> Option<String> {
    let paragraph = PARAGRAPH.captures(html)?;
    let text = TAG.replace_all(paragraph.get(1)?.as_str(), "");
    let text = SPACE.replace_all(text.trim(), " ").replace('"', "&quot;");
    let mut said = String::new();
    for sentence in sentences(&text) {
        let too_long = said.chars().count() + sentence.chars().count() > SHOWN;
        let leads_on = sentence.ends_with([':', '：']);
        if !said.is_empty() && (too_long || leads_on) {
            break;
        }
        said.push_str(sentence);
    }
    let said = said.trim_end();
    (!said.is_empty()).then(|| said.to_owned())
}

/// The sentences of a text, each with the space after it. A full stop inside a number or a name ends no
/// sentence.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut marks = rest.char_indices();
        let end = marks.find_map(|(at, mark)| {
            let after = at + mark.len_utf8();
            let next = rest.get(after..)?.chars().next();
            let ends = "。？！".contains(mark) || (".?!".contains(mark) && next == Some(' '));
            ends.then(|| after + usize::from(next == Some(' ')))
        });
        let (sentence, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        (!sentence.is_empty()).then_some(sentence)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_the_first_sentences_without_their_markup() {
        let page = |text: &str| format!("<p>menu</p><main><h1>A</h1>\n<p>{text}</p><p>More.</p></main>");
        let said = |text: &str| description(&page(text)).unwrap_or_default();
        assert_eq!(said("How <em>fast</em>\nis 0.5 &amp; a \"ring\"?"), "How fast is 0.5 &amp; a &quot;ring&quot;?");
        assert_eq!(said("撮合有多快？很快。"), "撮合有多快？很快。");
        let long = "word ".repeat(40);
        assert_eq!(said(&format!("A question? {long}.")), "A question?");
        assert_eq!(said(&format!("{long}end. More.")), format!("{long}end."));
        assert_eq!(said("What changed? In five steps:"), "What changed?");
        assert_eq!(description("<p>menu</p><main><h1>A</h1></main>"), None);
    }
}
