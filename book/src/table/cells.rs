//! The cells, captions and frames of the tables drawn from records.
//!
//! Where the reader has run the ladder, their figure stands under the reference one in the same cell, because a
//! number only means something beside another from the same table.

use crate::html::escape;
use crate::lang::Lang;
use serde_json::Value;

/// A cell: the reference figure and, once there is an own run, the reader's under it.
pub(super) fn pair(reference: Option<&str>, own: Option<&str>, lang: Lang) -> String {
    let yours = own.map(|own| {
        let own = if own.is_empty() { "–" } else { own };
        format!("<span class=\"yours\"><span class=\"who\">{}</span> {own}</span>", lang.pick("yours", "你的"))
    });
    format!("<td>{}{}</td>", reference.unwrap_or("–"), yours.unwrap_or_default())
}

/// Which machine, which commit, which command.
pub(super) fn caption(record: &Value, lang: Lang, own: bool) -> String {
    let who = if own { lang.pick("Yours", "你的") } else { lang.pick("Reference", "参考") };
    let machine = record["machine"]["cpu"].as_str().unwrap_or("?");
    let commit: String = record["commit"].as_str().unwrap_or("?").chars().take(10).collect();
    let command = record["command"].as_str().map(|command| format!(", <code>{}</code>", escape(command)));
    let join = lang.pick(": ", "：");
    format!("<span>{who}{join}{}, {}{}</span> ", escape(machine), escape(&commit), command.unwrap_or_default())
}

/// One line of HTML, in a box that scrolls on a phone.
pub(super) fn wrap(caption: &str, corner: &str, heads: &[&str], rows: &str) -> String {
    let heads: String = heads.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
    let caption = if caption.is_empty() { String::new() } else { format!("<caption>{caption}</caption>") };
    format!(
        "<div class=\"table-wrapper record\"><table>{caption}<thead><tr><th scope=\"col\">{corner}</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>\n"
    )
}
