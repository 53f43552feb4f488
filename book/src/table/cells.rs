//! The cells, captions and frames of the tables drawn from records.
//!
//! Where the reader has run the ladder, their figure stands under the reference one in the same cell, because a
//! number only means something beside another from the same table.

use crate::html::escape;
use crate::lang::Lang;
use results::machine::Machine;
use results::record::{LabRecord, LadderRecord, NumbersRecord};

/// A cell: the reference figure and, once there is an own run, the reader's under it.
pub(super) fn pair(reference: Option<&str>, own: Option<&str>, lang: Lang) -> String {
    let yours = own.map(|own| {
        let own = if own.is_empty() { "–" } else { own };
        format!("<span class=\"yours\"><span class=\"who\">{}</span> {own}</span>", lang.pick("yours", "你的"))
    });
    format!("<td>{}{}</td>", reference.unwrap_or("–"), yours.unwrap_or_default())
}

/// A row: its words, and its cells.
pub(super) fn row(head: &str, cells: &str) -> String {
    format!("<tr><th scope=\"row\">{head}</th>{cells}</tr>")
}

/// Where a record's figures come from.
pub(super) struct Origin<'r> {
    machine: &'r Machine,
    commit: &'r str,
    command: Option<&'r str>,
}

impl<'r> From<&'r LadderRecord> for Origin<'r> {
    fn from(record: &'r LadderRecord) -> Self {
        Self { machine: &record.machine, commit: &record.commit, command: Some(&record.command) }
    }
}

impl<'r> From<&'r LabRecord> for Origin<'r> {
    fn from(record: &'r LabRecord) -> Self {
        Self { machine: &record.machine, commit: &record.commit, command: Some(&record.command) }
    }
}

impl<'r> From<&'r NumbersRecord> for Origin<'r> {
    fn from(record: &'r NumbersRecord) -> Self {
        Self { machine: &record.machine, commit: &record.commit, command: None }
    }
}

/// Which machine, which commit, which command: of the reference record and, once there is one, of the reader's.
pub(super) fn caption<'r>(reference: impl Into<Origin<'r>>, own: Option<impl Into<Origin<'r>>>, lang: Lang) -> String {
    let reference = origin(lang.pick("Reference", "参考"), &reference.into(), lang);
    let own = own.map(|own| origin(lang.pick("Yours", "你的"), &own.into(), lang));
    reference + &own.unwrap_or_default()
}

fn origin(who: &str, origin: &Origin<'_>, lang: Lang) -> String {
    let commit: String = origin.commit.chars().take(10).collect();
    let command = origin.command.map(|command| format!(", <code>{}</code>", escape(command)));
    let (join, machine) = (lang.pick(": ", "："), escape(&origin.machine.cpu));
    format!("<span>{who}{join}{machine}, {}{}</span> ", escape(&commit), command.unwrap_or_default())
}

/// One line of HTML, in a box that scrolls on a phone.
pub(super) fn wrap(caption: &str, corner: &str, heads: &[&str], rows: &str) -> String {
    let heads: String = heads.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
    let caption = if caption.is_empty() { String::new() } else { format!("<caption>{caption}</caption>") };
    format!(
        "<div class=\"table-wrapper record\"><table>{caption}<thead><tr><th scope=\"col\">{corner}</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>\n"
    )
}
