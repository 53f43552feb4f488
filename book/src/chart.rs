//! Charts and drawings, put into the page as inline SVG so that they follow the theme.
//!
//! A chart comes from the measuring tool, one file for each language, with its own title and description; its style
//! block is left out, because the page's style sheet knows the current theme. A page with charts also carries what
//! its script needs to draw a record that a reader drops (`book/theme/charts`). A drawing is made by hand, one file
//! for both languages: `<text data-zh="订单簿">order book</text>`.

use crate::html::escape;
use crate::pattern::regex;
use crate::sources::Sources;
use regex::Regex;
use results::charts;
use results::language::Language;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// The captions of the reference's chart, once there is another, and of the other.
const REFERENCE: (&str, &str) = ("Reference machine", "参考机器");
const OWN: (&str, &str) = ("Your own run", "你自己的运行");

static FIXED: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"\s(?:width|height|role|lang|aria-label|aria-labelledby)="[^"]*""#));
static OPEN: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)^.*?(<svg\b[^>]*>)"));
static PROLOG: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>"));
static TITLE: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)<title\b[^>]*>(.*?)</title>"));
static DESC: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)<desc\b[^>]*>(.*?)</desc>"));
static STYLE: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)<style\b[^>]*>.*?</style>"));
static LABEL: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?s)(<(?:text|tspan)\b[^>]*?)\sdata-zh="([^"]*)"([^>]*>)([^<]*)"#));

/// `{{chart throughput}}`, or `{{chart throughput | what it shows}}` with other alternative text than the
/// chart's own.
pub fn chart(s: &Sources, lang: Language, name: &str, alt: Option<&str>) -> Result<String, String> {
    let file = format!("charts/{name}.{}.svg", lang.tag());
    let svg = read(&s.project.reference().join(&file)).map_err(|_| format!("there is no output/reference/{file}"))?;
    let own = Some(s.project.own_output().join(&file)).filter(|own| own.is_file());
    let mut out = figure("chart", &svg, alt, own.is_some().then_some(lang.pick(REFERENCE.0, REFERENCE.1)))?;
    out = out.replacen("<figure class=\"chart\"", &format!("<figure class=\"chart\" data-chart=\"{name}\""), 1);
    if let Some(own) = own {
        // The alternative text on the page describes the reference's figures.
        out += &figure("chart yours", &read(&own)?, None, Some(lang.pick(OWN.0, OWN.1)))?;
    }
    Ok(out + "\n")
}

/// What the script that draws charts gets on a page: one hidden element. Empty for a page without charts.
pub fn given(s: &Sources, lang: Language, page: &str) -> String {
    if !page.contains("<figure class=\"chart\" data-chart=") {
        return String::new();
    }
    let mut given = charts::given(&s.chapters, lang);
    given["reference"] = lang.pick(REFERENCE.0, REFERENCE.1).into();
    given["own"] = lang.pick(OWN.0, OWN.1).into();
    format!("\n<div hidden data-own-charts=\"{}\"></div>\n", escape(&given.to_string()))
}

/// `{{drawing order-book | what it shows}}`.
pub fn drawing(s: &Sources, lang: Language, name: &str, alt: Option<&str>) -> Result<String, String> {
    let file = s.project.path(format!("book/drawings/{name}.svg"));
    let svg = read(&file).map_err(|_| format!("there is no book/drawings/{name}.svg"))?;
    figure("drawing", &labelled(&svg, lang), alt, None)
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))
}

/// One line of HTML, so that markdown leaves it as it is.
fn figure(class: &str, svg: &str, alt: Option<&str>, caption: Option<&str>) -> Result<String, String> {
    let alt = alt.map(escape).or_else(|| own_words(svg));
    let alt = alt.ok_or("say after `|` what the picture shows, for screen readers")?;
    let svg =
        [&PROLOG, &TITLE, &DESC, &STYLE].iter().fold(svg.to_owned(), |svg, cut| cut.replace_all(&svg, "").into_owned());
    let open = OPEN.captures(&svg).ok_or("the file holds no <svg>")?;
    let attributes = FIXED.replace_all(&open[1], "");
    let attributes = attributes.trim_end_matches('>');
    if !attributes.contains("viewBox") {
        return Err("the <svg> needs a viewBox to fit a phone".into());
    }
    let rest = svg[open[0].len()..].lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let label = caption.map(|caption| format!("{caption}: {alt}")).unwrap_or(alt);
    let caption = caption.map(|c| format!("<figcaption>{c}</figcaption>")).unwrap_or_default();
    Ok(format!(
        "<figure class=\"{class}\"><div class=\"scroll\">{attributes} role=\"img\" aria-label=\"{label}\">{rest}</div>{caption}</figure>\n\n"
    ))
}

/// The picture's own title and description, unchanged.
fn own_words(svg: &str) -> Option<String> {
    let title = TITLE.captures(svg)?[1].trim().to_owned();
    let desc = DESC.captures(svg).map(|desc| format!(". {}", desc[1].trim())).unwrap_or_default();
    Some((title + &desc).replace('"', "&quot;"))
}

/// A drawing with the labels of the language.
fn labelled(svg: &str, lang: Language) -> String {
    let label = |c: &regex::Captures<'_>| format!("{}{}{}", &c[1], &c[3], lang.pick(&c[4], &c[2]));
    LABEL.replace_all(svg, label).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_speaks_the_pages_language() {
        let svg = r#"<text x="1" data-zh="订单簿" class="t">order book</text>"#;
        assert_eq!(labelled(svg, Language::English), r#"<text x="1" class="t">order book</text>"#);
        assert_eq!(labelled(svg, Language::Chinese), r#"<text x="1" class="t">订单簿</text>"#);
    }

    #[test]
    fn a_chart_leaves_its_size_and_style_and_brings_its_words() {
        let svg = "<?xml version=\"1.0\"?>\n<svg width=\"9\" height=\"5\" viewBox=\"0 0 9 5\" role=\"img\" aria-labelledby=\"t\">\n<title id=\"t\">A &amp; B</title><desc>c</desc>\n<style>text{}</style><rect width=\"9\"/>\n\n</svg>";
        let html = figure("chart", svg, None, None).unwrap();
        assert!(html.contains("<svg viewBox=\"0 0 9 5\" role=\"img\" aria-label=\"A &amp; B. c\">"), "{html}");
        assert!(html.contains("<rect width=\"9\"/>") && !html.contains("<style>") && !html.contains("<title"));
        assert_eq!(html.trim_end().lines().count(), 1);
        assert!(figure("chart", "<svg viewBox=\"0 0 1 1\"></svg>", None, None).is_err());
    }
}
