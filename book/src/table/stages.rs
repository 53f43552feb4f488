//! `{{table stages 0x02}}`: where an order's time goes in one chapter.

use crate::format::{Format, duration};
use crate::html::escape;
use crate::lang::Lang;
use crate::pointer::Pointer;
use crate::sources::Sources;
use crate::table::cells::{caption, pair, wrap};
use serde_json::Value;

/// The table of one chapter.
pub(super) fn table(s: &Sources, lang: Lang, id: &str) -> Result<String, String> {
    let path = format!("ladder:chapters[{id}]");
    let pointer = Pointer::parse(&path)?;
    let entry = s.reference.value(&pointer)?;
    let own = s.own.value(&pointer).ok();
    let stages =
        entry["stages_ns"].as_object().ok_or_else(|| format!("ladder.json: no `stages_ns` in chapters[{id}]"))?;
    let total = |entry: &Value| -> f64 {
        entry["stages_ns"].as_object().map(|m| m.values().filter_map(Value::as_f64).sum()).unwrap_or_default()
    };
    let mut rows = String::new();
    let place = |name: &str| STAGES.iter().position(|(key, ..)| *key == name).unwrap_or(STAGES.len());
    let mut names: Vec<&String> = stages.keys().collect();
    names.sort_by_key(|name| place(name));
    for name in names {
        let ns = |entry: &Value| entry["stages_ns"][name].as_f64();
        let time = |entry: &Value| ns(entry).map(|ns| duration(ns, 3));
        let share = |entry: &Value| ns(entry).map(|ns| Format::Percent(2).number(ns / total(entry), lang));
        rows += &format!("<tr><th scope=\"row\">{}</th>", stage(name, lang));
        for show in [&time as &dyn Fn(&Value) -> Option<String>, &share] {
            rows += &pair(show(&entry).as_deref(), own.as_ref().map(|o| show(o).unwrap_or_default()).as_deref(), lang);
        }
        rows += "</tr>";
    }
    let record = s.reference.record("ladder")?;
    let heads = [lang.pick("time per order", "每单耗时"), lang.pick("share", "占比")];
    Ok(wrap(&caption(&record, lang, false), lang.pick("stage", "阶段"), &heads, &rows))
}

/// The stages in the pipeline's order, in both languages.
const STAGES: [(&str, &str, &str); 6] = [
    ("log_append", "log append", "日志追加"),
    ("log_sync", "log sync", "日志落盘"),
    ("balance_check", "balance check", "余额检查"),
    ("matching", "matching", "撮合"),
    ("settlement", "settlement", "结算"),
    ("ledger", "ledger", "账本"),
];

fn stage(name: &str, lang: Lang) -> String {
    let found = STAGES.iter().find(|(key, ..)| name == *key);
    found.map_or_else(|| escape(&name.replace('_', " ")), |(_, en, zh)| lang.pick(*en, *zh).to_owned())
}
