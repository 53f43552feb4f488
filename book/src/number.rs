//! `{{num}}` and `{{ratio}}`: figures in prose, each with its source, and the reader's own after it.

use crate::figure::Figure;
use crate::format::Format;
use crate::html::escape;
use crate::pointer::Pointer;
use crate::sources::Sources;
use results::language::Language;

/// A value of a record; plain text inside a fence.
pub fn number(s: &Sources, lang: Language, of: &Pointer<'_>, format: Format, fenced: bool) -> Result<String, String> {
    format.fits(of.text)?;
    let value = s.reference.value(of)?.to_string();
    shown(s, lang, &Figure::of(of.text, format), value.trim_matches('"'), fenced)
}

/// One value of a record divided by another; plain text inside a fence.
pub fn ratio(
    s: &Sources,
    lang: Language,
    (above, below): (&Pointer<'_>, &Pointer<'_>),
    format: Format,
    fenced: bool,
) -> Result<String, String> {
    let figure = Figure::of(above.text, format).over([below.text.to_owned()]);
    let value = figure.ratio(&s.reference)?;
    shown(s, lang, &figure, &value.to_string(), fenced)
}

fn shown(s: &Sources, lang: Language, figure: &Figure, value: &str, fenced: bool) -> Result<String, String> {
    let text = figure.show(&s.reference, lang)?;
    if fenced {
        return Ok(text);
    }
    // The third entry of our list may be something else in the reader's.
    let named = figure.named(&s.reference)?;
    let own = named.show(&s.own, lang).ok();
    let own = own.map(|own| format!(" <span class=\"own\">{} {}</span>", lang.pick("yours", "你的"), escape(&own)));
    Ok(format!(
        "<data class=\"num\" value=\"{}\" title=\"{}\" data-own=\"{}\">{}{}</data>",
        escape(value),
        escape(&figure.source()),
        escape(&named.words()),
        escape(&text),
        own.unwrap_or_default()
    ))
}
