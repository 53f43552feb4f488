//! Tables drawn from the records. Where the reader has run the ladder, their figure stands under the reference
//! one in the same cell, because a number only means something beside another from the same table.

use crate::expand::{Sources, escape};
use crate::format::{Format, duration};
use crate::lab;
use crate::project::Lang;
use serde_json::Value;

/// What one cell shows, asked of a chapter's entry, the one before it and the first.
type Cell = fn(&Step<'_>) -> Option<(f64, Format)>;

struct Step<'r> {
    this: &'r Value,
    before: Option<&'r Value>,
    first: Option<&'r Value>,
}

const NS: Format = Format::Time { unit_ns: 1, digits: 3 };

/// `{{table ladder}}`, `{{table ladder to=0x03}}`, `{{table stages 0x02}}`, `{{table machine}}`, `{{table numbers}}`,
/// `{{table lab names}}`.
pub fn table(s: &Sources, lang: Lang, name: &str, options: &[&str]) -> Result<String, String> {
    match (name, options) {
        ("ladder", []) => ladder(s, lang, None),
        ("ladder", [to]) if to.starts_with("to=") => ladder(s, lang, to.strip_prefix("to=")),
        ("stages", [chapter]) => stages(s, lang, chapter),
        ("machine", []) => machine(s, lang),
        ("numbers", []) => numbers(s, lang),
        ("lab", [experiment]) => lab::table(s, lang, experiment),
        _ => Err("no such table (there are: ladder [to=0x03], stages 0x02, machine, numbers, lab names, \
                  glossary [group])"
            .into()),
    }
}

fn ladder(s: &Sources, lang: Lang, to: Option<&str>) -> Result<String, String> {
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

fn stages(s: &Sources, lang: Lang, id: &str) -> Result<String, String> {
    let entry = s.reference.value(&format!("ladder:chapters[{id}]"))?;
    let own = s.own.value(&format!("ladder:chapters[{id}]")).ok();
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

/// The machine's parts in the order in which they matter, in both languages.
const PARTS: [(&str, &str, &str); 9] = [
    ("cpu", "CPU", "CPU"),
    ("cores", "cores", "核数"),
    ("memory_bytes", "memory", "内存"),
    ("disk", "disk", "磁盘"),
    ("filesystem", "filesystem", "文件系统"),
    ("kernel", "kernel", "内核"),
    ("compiler", "compiler", "编译器"),
    ("os", "system", "操作系统"),
    ("arch", "architecture", "指令集"),
];

fn machine(s: &Sources, lang: Lang) -> Result<String, String> {
    let record = s.reference.record("ladder")?;
    let own = s.own.record("ladder").ok();
    let machine = record["machine"].as_object().ok_or("output/reference/ladder.json: no object `machine`")?;
    let mut rows = String::new();
    let show = |key: &str, value: &Value| match (key, value.as_f64()) {
        ("memory_bytes", Some(bytes)) => format!("{:.0}\u{a0}GiB", bytes / f64::from(1_u32 << 30)),
        _ => escape(value.as_str().map_or_else(|| value.to_string(), str::to_owned).as_str()),
    };
    for (key, en, zh) in PARTS.iter().filter(|(key, ..)| machine.get(*key).is_some_and(|value| !value.is_null())) {
        let own = own.as_ref().map(|own| show(key, &own["machine"][*key]));
        let cell = pair(Some(&show(key, &machine[*key])), own.as_deref(), lang);
        rows += &format!("<tr><th scope=\"row\">{}</th>{cell}</tr>", lang.pick(*en, *zh));
    }
    let heads = [lang.pick("reference machine", "参考机器")];
    Ok(wrap("", lang.pick("part", "部件"), &heads, &rows))
}

fn numbers(s: &Sources, lang: Lang) -> Result<String, String> {
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

/// A cell: the reference figure and, once there is an own run, the reader's under it.
pub(crate) fn pair(reference: Option<&str>, own: Option<&str>, lang: Lang) -> String {
    let yours = own.map(|own| {
        let own = if own.is_empty() { "–" } else { own };
        format!("<span class=\"yours\"><span class=\"who\">{}</span> {own}</span>", lang.pick("yours", "你的"))
    });
    format!("<td>{}{}</td>", reference.unwrap_or("–"), yours.unwrap_or_default())
}

/// Which machine, which commit, which command.
pub(crate) fn caption(record: &Value, lang: Lang, own: bool) -> String {
    let who = if own { lang.pick("Yours", "你的") } else { lang.pick("Reference", "参考") };
    let machine = record["machine"]["cpu"].as_str().unwrap_or("?");
    let commit: String = record["commit"].as_str().unwrap_or("?").chars().take(10).collect();
    let command = record["command"].as_str().map(|command| format!(", <code>{}</code>", escape(command)));
    let join = lang.pick(": ", "：");
    format!("<span>{who}{join}{}, {}{}</span> ", escape(machine), escape(&commit), command.unwrap_or_default())
}

/// One line of HTML, in a box that scrolls on a phone.
pub(crate) fn wrap(caption: &str, corner: &str, heads: &[&str], rows: &str) -> String {
    let heads: String = heads.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
    let caption = if caption.is_empty() { String::new() } else { format!("<caption>{caption}</caption>") };
    format!(
        "<div class=\"table-wrapper record\"><table>{caption}<thead><tr><th scope=\"col\">{corner}</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>\n"
    )
}
