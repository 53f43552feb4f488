//! `{{table ladder}}`: what each chapter does, and what it gains on the one before and on the first.

use crate::format::Format;
use crate::html::escape;
use crate::lang::Lang;
use crate::sources::Sources;
use crate::table::cells::{caption, pair, row, wrap};
use results::record::{ChapterRecord, LadderRecord};

/// What one cell shows of a rung.
type Cell = fn(&Rung<'_>) -> Option<(f64, Format)>;

/// A chapter's figures, beside those of the one before it and of the first.
struct Rung<'r> {
    this: &'r ChapterRecord,
    before: Option<&'r ChapterRecord>,
    first: Option<&'r ChapterRecord>,
}

const NS: Format = Format::Time { unit_ns: 1, digits: 3 };

/// The columns, in both languages.
const COLUMNS: [(&str, &str, Cell); 6] = [
    ("orders/s", "订单/秒", |rung| Some((rung.this.orders_per_s.median, Format::Si(3)))),
    ("× previous", "是上一章的", |rung| gain(rung.this, rung.before)),
    ("× first", "是第一章的", |rung| gain(rung.this, rung.first)),
    ("p50", "p50", |rung| Some((rung.this.latency_ns?.p50 as f64, NS))),
    ("p99", "p99", |rung| Some((rung.this.latency_ns?.p99 as f64, NS))),
    ("p99.9", "p99.9", |rung| Some((rung.this.latency_ns?.p999 as f64, NS))),
];

fn gain(this: &ChapterRecord, other: Option<&ChapterRecord>) -> Option<(f64, Format)> {
    Some((this.orders_per_s.median / other?.orders_per_s.median, Format::Times(2)))
}

/// The table of all chapters, or of those up to `to`.
pub(super) fn table(s: &Sources, lang: Lang, to: Option<&str>) -> Result<String, String> {
    let record: LadderRecord = s.reference.load()?;
    let own: Option<LadderRecord> = s.own.load().ok();
    let last = to.map(|name| s.chapters.find(name).map_err(|e| e.to_string())).transpose()?;
    let shown = match last {
        Some(last) => place(&record, &last.folder).ok_or_else(|| format!("the record has no {}", last.folder))? + 1,
        None => record.chapters.len(),
    };
    let mut rows = String::new();
    for chapter in record.chapters.iter().take(shown) {
        let show = |record: &LadderRecord, cell: Cell| {
            let (value, format) = cell(&rung(record, &chapter.chapter)?)?;
            Some(format.number(value, lang))
        };
        let cells = COLUMNS.map(|(_, _, cell)| {
            let yours = own.as_ref().map(|own| show(own, cell).unwrap_or_default());
            pair(show(&record, cell).as_deref(), yours.as_deref(), lang)
        });
        rows += &row(&name(s, lang, &chapter.chapter), &cells.concat());
    }
    let heads = COLUMNS.map(|(en, zh, _)| lang.pick(en, zh));
    Ok(wrap(&caption(&record, own.as_ref(), lang), lang.pick("chapter", "章节"), &heads, &rows))
}

/// A chapter's number and, small under it, its title; the folder's name where the record is of a chapter long gone.
fn name(s: &Sources, lang: Lang, folder: &str) -> String {
    match s.chapters.find(folder) {
        Ok(chapter) => {
            let title = escape(lang.pick(&chapter.title.en, &chapter.title.zh));
            format!("{} <span class=\"title\">{title}</span>", chapter.number)
        }
        Err(_) => escape(folder),
    }
}

fn place(record: &LadderRecord, folder: &str) -> Option<usize> {
    record.chapters.iter().position(|chapter| chapter.chapter == folder)
}

fn rung<'r>(record: &'r LadderRecord, folder: &str) -> Option<Rung<'r>> {
    let at = place(record, folder)?;
    let before = at.checked_sub(1).map(|before| &record.chapters[before]);
    Some(Rung { this: &record.chapters[at], before, first: before.and(record.chapters.first()) })
}
