//! The tables about numbers: connections, orders in a minute, accounts, notices.

use comfy_table::{Cell, Table};
use results::language::Language;
use results::record::{VenueRecord, WindowRecord};
use results::units::{count_text, duration_text};

use load::cells::{bytes, ms, right, table};

/// The tables of the parts that were measured.
pub(super) fn all(record: &VenueRecord, language: Language) -> impl Iterator<Item = Table> {
    let sustained = record.sustained.as_ref().map(|sustained| windows(sustained.windows.iter(), language));
    let all = [connections(record, language), sustained, accounts(record, language), notices(record, language)];
    all.into_iter().flatten()
}

fn connections(record: &VenueRecord, language: Language) -> Option<Table> {
    let connections = record.connections.as_ref()?;
    let head = language.pick(
        [
            "connections that watch",
            "served",
            "all connected",
            "memory each",
            "last after first, p50",
            "p99",
            "after due, p99",
        ],
        ["在看的连接", "都收到的", "全部连上", "每个占内存", "首个到末个，p50", "p99", "应到时刻起，p99"],
    );
    let mut table = table(&head);
    for case in &connections.cases {
        let count = |count: usize| right(count_text(count as f64, language));
        let figures = [
            count(case.served),
            ms(case.connect_ms, language),
            bytes(case.connection_bytes),
            ms(case.last_p50_ms, language),
            ms(case.last_p99_ms, language),
            ms(case.due_p99_ms, language),
        ];
        table.add_row([count(case.connections)].into_iter().chain(figures));
    }
    Some(table)
}

/// Some windows of a run.
pub(super) fn windows<'w>(windows: impl Iterator<Item = &'w WindowRecord>, language: Language) -> Table {
    let head = language.pick(
        ["until", "orders/s", "p50", "p99", "p99.9", "memory", "open files", "threads"],
        ["到", "每秒订单", "p50", "p99", "p99.9", "内存", "打开的文件", "线程"],
    );
    let mut table = table(&head);
    for window in windows {
        let count = |count: Option<u64>| right(count.map_or("-".into(), |count| count_text(count as f64, language)));
        table.add_row([
            right(duration_text(1e9 * window.until_s, language)),
            right(count_text(window.orders_per_s, language)),
            ms(window.p50_ms, language),
            ms(window.p99_ms, language),
            ms(window.p999_ms, language),
            bytes(window.resident_bytes.map(|bytes| bytes as f64)),
            count(window.descriptors),
            count(window.threads),
        ]);
    }
    table
}

fn accounts(record: &VenueRecord, language: Language) -> Option<Table> {
    record.accounts.first()?;
    let head = language.pick(
        ["accounts", "orders/s", "p50", "p99", "server's memory"],
        ["账户", "每秒订单", "p50", "p99", "服务端内存"],
    );
    let mut table = table(&head);
    for case in &record.accounts {
        table.add_row([
            right(count_text(case.accounts as f64, language)),
            right(count_text(case.orders_per_s.median, language)),
            ms(case.p50_ms, language),
            ms(case.p99_ms, language),
            bytes(case.resident_bytes.map(|bytes| bytes as f64)),
        ]);
    }
    Some(table)
}

fn notices(record: &VenueRecord, language: Language) -> Option<Table> {
    let first = record.notices.first()?;
    let what = language.pick(format!("{} notices", first.notices), format!("{} 条通知", first.notices));
    let head =
        language.pick(["messages", "p50", "p99", "server's time each"], ["消息数", "p50", "p99", "服务端每条耗时"]);
    let head: Vec<_> = [what.as_str()].into_iter().chain(head).collect();
    let mut table = table(&head);
    for way in &record.notices {
        let words = match way.name.as_str() {
            "one-by-one" => language.pick("of a hundred orders, a message each", "来自一百单，每条一个消息"),
            "words" => language.pick("of one order, a message each", "来自一单，每条一个消息"),
            _ => language.pick("of one order, in one message", "来自一单，合成一个消息"),
        };
        table.add_row([
            Cell::new(words),
            right(count_text(way.messages, language)),
            ms(way.p50_ms, language),
            ms(way.p99_ms, language),
            right(way.server_ns.map_or("-".into(), |ns| duration_text(ns, language))),
        ]);
    }
    Some(table)
}
