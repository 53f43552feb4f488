//! `{{table ladder}}`: each chapter's results, and its gain over the one before and over the first.

use crate::figure::Figure;
use crate::format::Format;
use crate::html::escape;
use crate::sources::Sources;
use crate::table::cells::{Cells, row};
use results::language::Language;
use results::record::LadderRecord;

const NS: Format = Format::Time { unit_ns: 1, digits: 3 };

/// The columns, in both languages.
const COLUMNS: [(&str, &str); 6] = [
    ("orders/s", "订单/秒"),
    ("× previous", "是上一章的"),
    ("× first", "是第一章的"),
    ("p50", "p50"),
    ("p99", "p99"),
    ("p99.9", "p99.9"),
];

/// The table of all chapters, or of those up to `to`.
pub(super) fn table(s: &Sources, lang: Language, to: Option<&str>) -> Result<String, String> {
    let record: LadderRecord = s.reference.load()?;
    let cells = Cells::new::<LadderRecord>(s, lang, "chapters");
    let chapters: Vec<&str> = record.chapters.iter().map(|chapter| chapter.chapter.as_str()).collect();
    let last = to.map(|name| s.chapters.find(name).map_err(|e| e.to_string())).transpose()?;
    let shown = match last {
        Some(last) => {
            let place = chapters.iter().position(|folder| *folder == last.folder);
            place.ok_or_else(|| format!("the record has no {}", last.folder))? + 1
        }
        None => chapters.len(),
    };
    let mut rows = String::new();
    for (at, folder) in chapters.iter().enumerate().take(shown) {
        let [previous, first] = gains(&chapters, at);
        let latency = ["p50", "p99", "p999"].map(|of| Some(latency(folder, of)));
        let figures = [Some(throughput(folder)), previous, first].into_iter().chain(latency);
        let row_cells: String = figures.map(|figure| cells.cell(&Vec::from_iter(figure))).collect();
        rows += &row(&name(s, lang, folder), &row_cells);
    }
    let heads = COLUMNS.map(|(en, zh)| lang.pick(en, zh));
    Ok(cells.wrap(&cells.caption(), lang.pick("chapter", "章节"), &heads, &rows))
}

/// Orders a second of a chapter's median round.
fn throughput(folder: &str) -> Figure {
    Figure::of(orders_per_s(folder), Format::Si(3))
}

/// The path of a chapter's orders a second.
fn orders_per_s(folder: &str) -> String {
    format!("ladder:chapters[chapter={folder}].orders_per_s.median")
}

/// A percentile of a chapter's latency.
fn latency(folder: &str, of: &str) -> Figure {
    Figure::of(format!("ladder:chapters[chapter={folder}].latency_ns.{of}"), NS)
}

/// A chapter's gain over the one before and over the first, if they exist.
fn gains(chapters: &[&str], at: usize) -> [Option<Figure>; 2] {
    let other = |before: usize| {
        let gain = Figure::of(orders_per_s(chapters[at]), Format::Times(2));
        gain.over([orders_per_s(chapters[before])])
    };
    [at.checked_sub(1).map(other), (at > 0).then(|| other(0))]
}

/// A chapter's number and, small under it, its title; the folder's name if the chapter no longer exists.
fn name(s: &Sources, lang: Language, folder: &str) -> String {
    match s.chapters.find(folder) {
        Ok(chapter) => {
            let title = escape(lang.pick(&chapter.title.en, &chapter.title.zh));
            format!("{} <span class=\"title\">{title}</span>", chapter.number)
        }
        Err(_) => escape(folder),
    }
}
