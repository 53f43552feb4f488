//! `{{table ladder}}`: what each chapter does, and what it gains on the one before and on the first.

use crate::format::Format;
use crate::html::escape;
use crate::lang::Lang;
use crate::sources::Sources;
use crate::table::cells::{caption, pair, wrap};
use serde_json::Value;

/// What one cell shows, asked of a chapter's entry, the one before it and the first.
type Cell = fn(&Step<'_>) -> Option<(f64, Format)>;

struct Step<'r> {
    this: &'r Value,
    before: Option<&'r Value>,
    first: Option<&'r Value>,
}

const NS: Format = Format::Time { unit_ns: 1, digits: 3 };

/// The table of all chapters, or of those up to `to`.
pub(super) fn table(s: &Sources, lang: Lang, to: Option<&str>) -> Result<String, String> {
    let columns: [(&str, &str, Cell); 6] = [
        ("orders/s", "订单/秒", |c| Some((rate(c.this)?, Format::Si(3)))),
        ("× previous", "对上一章", |c| Some((rate(c.this)? / rate(c.before?)?, Format::Times(2)))),
        ("× first", "对第一章", |c| Some((rate(c.this)? / rate(c.first?)?, Format::Times(2)))),
        ("p50", "p50", |c| Some((latency(c.this, "p50")?, NS))),
        ("p99", "p99", |c| Some((latency(c.this, "p99")?, NS))),
        ("p99.9", "p99.9", |c| Some((latency(c.this, "p999")?, NS))),
    ];
    let record = s.reference.record("ladder")?;
    let own = s.own.record("ladder").ok();
    let chapters = chapters(&record).ok_or("output/reference/ladder.json: no list `chapters`")?;
    let last = match to {
        Some(id) => chapters
            .iter()
            .position(|c| is_chapter(c, id))
            .ok_or_else(|| format!("ladder.json has no chapter `{id}`"))?,
        None => chapters.len().saturating_sub(1),
    };
    let mut rows = String::new();
    for chapter in chapters.iter().take(last + 1) {
        let name = chapter["chapter"].as_str().unwrap_or("?");
        rows += &format!("<tr><th scope=\"row\">{}</th>", escape(name));
        for (_, _, cell) in &columns {
            let show = |record: &Value| {
                let (value, format) = cell(&step(record, name)?)?;
                Some(format.number(value, lang))
            };
            rows +=
                &pair(show(&record).as_deref(), own.as_ref().map(show).map(Option::unwrap_or_default).as_deref(), lang);
        }
        rows += "</tr>";
    }
    let heads: Vec<&str> = columns.iter().map(|(en, zh, _)| lang.pick(*en, *zh)).collect();
    let caption =
        [caption(&record, lang, false), own.map(|own| caption(&own, lang, true)).unwrap_or_default()].concat();
    Ok(wrap(&caption, lang.pick("chapter", "章节"), &heads, &rows))
}

fn chapters(record: &Value) -> Option<&Vec<Value>> {
    record["chapters"].as_array()
}

fn is_chapter(entry: &Value, id: &str) -> bool {
    entry["chapter"].as_str().is_some_and(|name| name == id || name.starts_with(&format!("{id}-")))
}

fn step<'r>(record: &'r Value, chapter: &str) -> Option<Step<'r>> {
    let list = chapters(record)?;
    let at = list.iter().position(|c| is_chapter(c, chapter))?;
    let earlier = |i: Option<usize>| i.and_then(|i| list.get(i));
    Some(Step { this: &list[at], before: earlier(at.checked_sub(1)), first: earlier((at > 0).then_some(0)) })
}

fn rate(entry: &Value) -> Option<f64> {
    entry["orders_per_s"]["median"].as_f64().filter(|rate| *rate > 0.0)
}

fn latency(entry: &Value, percentile: &str) -> Option<f64> {
    entry["latency_ns"][percentile].as_f64()
}
