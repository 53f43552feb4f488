//! `{{num}}` and `{{ratio}}`: figures in prose, each carrying where it comes from and what the reader's run said.

use crate::format::Format;
use crate::html::escape;
use crate::lang::Lang;
use crate::pointer::Pointer;
use crate::record::Records;
use crate::sources::Sources;

/// A value of a record; plain text inside a fence.
pub fn number(s: &Sources, lang: Lang, of: &Pointer<'_>, format: Format, fenced: bool) -> Result<String, String> {
    let value = s.reference.value(of)?;
    let shown = format.value(&value, lang)?;
    let own = s.own.value(of).and_then(|own| format.value(&own, lang)).ok();
    Ok(if fenced { shown } else { tagged(lang, &shown, &value.to_string(), of.text, own.as_deref()) })
}

/// One value of a record divided by another; plain text inside a fence.
pub fn ratio(
    s: &Sources,
    lang: Lang,
    (above, below): (&Pointer<'_>, &Pointer<'_>),
    format: Format,
    fenced: bool,
) -> Result<String, String> {
    let divide = |records: &Records| -> Result<f64, String> {
        let (dividend, divisor) = (records.number(above)?, records.number(below)?);
        if divisor == 0.0 { Err(format!("{} is zero", below.text)) } else { Ok(dividend / divisor) }
    };
    let value = divide(&s.reference)?;
    let shown = format.number(value, lang);
    let own = divide(&s.own).ok().map(|own| format.number(own, lang));
    let source = format!("{} ÷ {}", above.text, below.text);
    Ok(if fenced { shown } else { tagged(lang, &shown, &format!("{value}"), &source, own.as_deref()) })
}

fn tagged(lang: Lang, shown: &str, value: &str, source: &str, own: Option<&str>) -> String {
    let own = own.map(|own| format!(" · {} {own}", lang.pick("your run:", "你的运行："))).unwrap_or_default();
    let (value, title) = (escape(value.trim_matches('"')), escape(&format!("{source}{own}")));
    format!("<data class=\"num\" value=\"{value}\" title=\"{title}\">{}</data>", escape(shown))
}
