//! How much processor time each of the server's threads took per order.

use comfy_table::{Cell, Table};
use results::language::Language;
use results::record::VenueRecord;
use results::record::venue::{ProfileRecord, ThreadRecord};
use results::units::{count_text, duration_text};

use load::cells::{right, table};

/// The ways in the table, in this order.
const SHOWN: [&str; 5] = ["empty", "orders", "one", "json-batch", "binary-batch"];

/// The profile, if there is one.
pub(super) fn text(record: &VenueRecord, language: Language) -> Option<Table> {
    let shown: Vec<_> = SHOWN.iter().filter_map(|name| record.profile.iter().find(|way| way.name == *name)).collect();
    let first = shown.first()?;
    let head: Vec<_> = [language.pick("server's time for each", "服务端每次耗时")]
        .into_iter()
        .chain(shown.iter().map(|way| way_in_words(way, language)))
        .collect();
    let mut table = table(&head);
    let time = |ns: f64| right(duration_text(ns, language));
    for (place, thread) in first.threads.iter().enumerate() {
        let name = Cell::new(role_in_words(thread, language));
        table.add_row([name].into_iter().chain(shown.iter().map(|way| time(way.threads[place].ns))));
    }
    let all = Cell::new(language.pick("all", "合计"));
    table.add_row([all].into_iter().chain(shown.iter().map(|way| time(way.ns))));
    let kernel = Cell::new(language.pick("of it in the kernel", "其中在内核"));
    let share = |way: &&ProfileRecord| right(format!("{:.0} %", 100.0 * way.kernel));
    table.add_row([kernel].into_iter().chain(shown.iter().map(share)));
    let switches = Cell::new(language.pick("switches", "线程切换"));
    let count = |way: &&ProfileRecord| right(count_text(way.switches, language));
    table.add_row([switches].into_iter().chain(shown.iter().map(count)));
    Some(table)
}

fn way_in_words(way: &ProfileRecord, language: Language) -> &'static str {
    match way.name.as_str() {
        "empty" => language.pick("empty handler", "空处理函数"),
        "orders" => "HTTP",
        "one" => "WebSocket",
        "json-batch" => language.pick("JSON in batches", "成批 JSON"),
        _ => language.pick("bytes in batches", "成批二进制"),
    }
}

fn role_in_words(thread: &ThreadRecord, language: Language) -> &str {
    match thread.name.as_str() {
        "network" => language.pick("network", "网络"),
        "engine" => language.pick("engine's thread", "引擎线程"),
        "journal" => language.pick("journal", "日志"),
        "matching" => language.pick("matching", "撮合"),
        "ledger" => language.pick("ledger", "账本"),
        "shadow" => language.pick("shadow", "影子"),
        "replies" => language.pick("replies", "答复"),
        "feed" => language.pick("feed", "行情"),
        "other" => language.pick("others", "其他"),
        name => name,
    }
}
