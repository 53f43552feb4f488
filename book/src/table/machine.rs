//! `{{table machine}}`: the machine that the reference figures come from, and the reader's beside it.

use crate::html::escape;
use crate::lang::Lang;
use crate::sources::Sources;
use crate::table::cells::{pair, wrap};
use serde_json::Value;

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

/// The table of the machine.
pub(super) fn table(s: &Sources, lang: Lang) -> Result<String, String> {
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
