//! The cells, captions and frames of the tables made from records.
//!
//! If the reader has a record of the same kind, their figure is shown under the reference one in the same cell,
//! because a number is only meaningful beside another from the same table. Each cell also names its figures, for a
//! record that the reader drops in the page.

use crate::figure::Figure;
use crate::format::Format;
use crate::html::escape;
use crate::pointer::Pointer;
use crate::record::Records;
use crate::sources::Sources;
use results::language::Language;
use results::record::Record;

/// The data for the cells of one table.
pub(super) struct Cells<'s> {
    s: &'s Sources,
    lang: Language,
    /// What a record must have for its figures to appear in the table.
    gate: String,
    /// Whether the reader's own has it.
    own: bool,
}

impl<'s> Cells<'s> {
    /// Cells of a table from records of type `R` that have something at `gate`, a path from their root.
    pub(super) fn new<R: Record>(s: &'s Sources, lang: Language, gate: &str) -> Self {
        let gate = format!("{}:{gate}", R::VERB);
        let has_gate = Pointer::parse(&gate).and_then(|gate| s.own.value(&gate)).is_ok();
        Self { s, lang, own: has_gate && s.own.load::<R>().is_ok(), gate }
    }

    /// A cell with a figure, or with a median and under it the minimum and the maximum: the reference's and, if there
    /// is an own run, the reader's under them.
    pub(super) fn cell(&self, figures: &[Figure]) -> String {
        let show = |records: &Records| self.text(figures, records).unwrap_or_else(|| "–".to_owned());
        let who = self.lang.pick("yours", "你的");
        let own = self
            .own
            .then(|| format!("<span class=\"yours\"><span class=\"who\">{who}</span> {}</span>", show(&self.s.own)));
        let words: Vec<String> = figures.iter().map(Figure::words).collect();
        let (words, reference) = (escape(&words.join(";")), show(&self.s.reference));
        format!("<td data-own=\"{words}\">{reference}{}</td>", own.unwrap_or_default())
    }

    /// Whether the reference record has the figure.
    pub(super) fn has(&self, figure: &Figure) -> bool {
        figure.show(&self.s.reference, self.lang).is_ok()
    }

    fn text(&self, figures: &[Figure], records: &Records) -> Option<String> {
        let shown = figures.iter().map(|figure| figure.show(records, self.lang).map(|text| escape(&text)));
        let shown = shown.collect::<Result<Vec<_>, String>>().ok()?;
        match shown.as_slice() {
            [median, least, most] => {
                let to = self.lang.pick(" to ", " 至 ");
                Some(format!("{median}<span class=\"spread\">{least}{to}{most}</span>"))
            }
            [figure] => Some(figure.clone()),
            _ => None,
        }
    }

    /// The machine, the commit and the command of the reference record and, if there is one, of the reader's.
    pub(super) fn caption(&self) -> String {
        let reference = self.origin("<span>", self.lang.pick("Reference", "参考"), &self.s.reference);
        let own =
            self.own.then(|| self.origin("<span class=\"origin-own\">", self.lang.pick("Yours", "你的"), &self.s.own));
        reference.into_iter().chain(own.flatten()).collect()
    }

    fn origin(&self, open: &str, who: &str, records: &Records) -> Option<String> {
        let record = self.gate.split(':').next().unwrap_or_default();
        let text = |path: &str| {
            let path = format!("{record}:{path}");
            let value = records.value(&Pointer::parse(&path).ok()?).ok()?;
            value.as_str().map(str::to_owned)
        };
        let commit: String = text("commit")?.chars().take(10).collect();
        let command = text("command").map(|command| format!(", <code>{}</code>", escape(&command)));
        let (join, cpu) = (self.lang.pick(": ", "："), escape(&text("machine.cpu")?));
        Some(format!("{open}{who}{join}{cpu}, {}{}</span> ", escape(&commit), command.unwrap_or_default()))
    }

    /// One line of HTML, in a box that scrolls on a phone.
    pub(super) fn wrap(&self, caption: &str, corner: &str, heads: &[&str], rows: &str) -> String {
        let heads: String = heads.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
        let caption = if caption.is_empty() { String::new() } else { format!("<caption>{caption}</caption>") };
        format!(
            "<div class=\"table-wrapper record\"><table data-own=\"{}\">{caption}<thead><tr><th scope=\"col\">{corner}</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>\n",
            escape(&self.gate)
        )
    }
}

/// A row: its label, and its cells.
pub(super) fn row(head: &str, cells: &str) -> String {
    format!("<tr><th scope=\"row\">{head}</th>{cells}</tr>")
}

/// A median with the minimum and the maximum of its rounds, at the path of a spread.
pub(super) fn spread(path: &str, format: Format) -> [Figure; 3] {
    ["median", "min", "max"].map(|of| Figure::of(format!("{path}.{of}"), format))
}
