//! `{{table numbers}}`: how long the basic operations take here, beside what is commonly quoted.

use crate::format::duration;
use crate::html::escape;
use crate::lang::Lang;
use crate::sources::Sources;
use crate::table::cells::{caption, pair, wrap};
use serde_json::Value;

/// The table of the basic operations.
pub(super) fn table(s: &Sources, lang: Lang) -> Result<String, String> {
    let record = s.reference.record("numbers")?;
    let own = s.own.record("numbers").ok();
    let list = record["numbers"].as_array().ok_or("output/reference/numbers.json: no list `numbers`")?;
    let measured = |item: &Value| item["measured"]["median_ns"].as_f64().map(|ns| duration(ns, 2));
    let mut rows = String::new();
    for item in list {
        let (Some(id), Some(name), Some(scaled)) = (
            item["id"].as_str(),
            item[lang.pick("name_en", "name_zh")].as_str(),
            item[lang.pick("scaled_en", "scaled_zh")].as_str(),
        ) else {
            return Err(format!("output/reference/numbers.json: an entry lacks its id, name or scaled words: {item}"));
        };
        let yours = own.as_ref().map(|own| {
            let entry = own["numbers"].as_array().and_then(|list| list.iter().find(|i| i["id"] == id));
            entry.and_then(measured).unwrap_or_default()
        });
        let listed = item["reference_ns"].as_f64().map_or_else(|| "–".to_owned(), |ns| duration(ns, 2));
        let cell = pair(measured(item).as_deref(), yours.as_deref(), lang);
        rows += &format!(
            "<tr><th scope=\"row\">{}</th>{cell}<td>{listed}</td><td>{}</td></tr>",
            escape(name),
            escape(scaled)
        );
    }
    let heads = lang.pick(["measured", "commonly quoted", "if 1 ns were 1 s"], ["实测", "通行说法", "若 1 ns 是 1 秒"]);
    let caption =
        [caption(&record, lang, false), own.map(|own| caption(&own, lang, true)).unwrap_or_default()].concat();
    Ok(wrap(&caption, lang.pick("operation", "操作"), &heads, &rows))
}
