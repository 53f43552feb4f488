//! The tables on the terminal.

mod many;
mod profile;
mod soak;

use comfy_table::{Cell, Table};
use results::language::Language;
use results::record::{Spread, VenueRecord};
use results::units::{count_text, duration_text};

use load::cells::{ms, right, table};

pub use soak::text as soak_text;

/// A table for each part of the measurement.
pub fn text(record: &VenueRecord, language: Language) -> String {
    let all = [
        throughput(record, language),
        concurrency(record, language),
        profile::text(record, language),
        late(record, language),
        beside(record, language),
        engines(record, language),
    ];
    let all = all.into_iter().flatten().chain(many::all(record, language));
    all.map(|table| table.to_string()).collect::<Vec<_>>().join("\n")
}

fn throughput(record: &VenueRecord, language: Language) -> Option<Table> {
    let http = record.http.as_ref()?;
    let head = language.pick(
        ["way", "a second", "of the bare one", "server's time each", "load's"],
        ["方式", "每秒", "与空转之比", "服务端每次耗时", "压测端"],
    );
    let mut table = table(&head);
    let share = |ratio: &Spread| right(format!("{:.0} %", 100.0 * ratio.median));
    let time = |spread: &Option<Spread>| {
        right(spread.as_ref().map_or("-".into(), |spread| duration_text(spread.median, language)))
    };
    let count = |spread: &Spread| right(count_text(spread.median, language));
    let none = || right("-".into());
    let words = language.pick(
        ["HTTP, an empty handler", "HTTP, durable orders", "HTTP, a connection for each"],
        ["HTTP，空处理函数", "HTTP，落盘的订单", "HTTP，每单新建连接"],
    );
    table.add_row([Cell::new(words[0]), count(&http.empty_per_s), none(), none(), none()]);
    let orders = [count(&http.orders_per_s), share(&http.ratio), time(&http.server_ns), time(&http.load_ns)];
    table.add_row([Cell::new(words[1])].into_iter().chain(orders));
    table.add_row([Cell::new(words[2]), count(&http.fresh_per_s), none(), none(), none()]);
    for stream in &record.stream {
        let words = match stream.name.as_str() {
            "echo" => language.pick("WebSocket, a bare echo", "WebSocket，原样回显"),
            "one" => language.pick("WebSocket, an order a message", "WebSocket，一条消息一单"),
            "json-batch" => language.pick("WebSocket, orders in batches", "WebSocket，成批下单"),
            _ => language.pick("WebSocket, the same in bytes", "WebSocket，成批，二进制"),
        };
        let ratio = stream.ratio.as_ref().map_or_else(none, share);
        table.add_row([Cell::new(words), count(&stream.per_s), ratio, time(&stream.server_ns), time(&stream.load_ns)]);
    }
    if let Some(http2) = &record.http2 {
        let words = language
            .pick(["HTTP/2, an empty handler", "HTTP/2, durable orders"], ["HTTP/2，空处理函数", "HTTP/2，落盘的订单"]);
        table.add_row([Cell::new(words[0]), count(&http2.empty_per_s), none(), none(), none()]);
        let orders = [count(&http2.orders_per_s), share(&http2.ratio), time(&http2.server_ns), time(&http2.load_ns)];
        table.add_row([Cell::new(words[1])].into_iter().chain(orders));
    }
    Some(table)
}

fn concurrency(record: &VenueRecord, language: Language) -> Option<Table> {
    record.concurrency.first()?;
    let head = language.pick(
        ["connections over HTTP", "an empty handler", "durable orders", "of the bare one", "p50", "p99"],
        ["HTTP 连接数", "空处理函数", "落盘的订单", "与空转之比", "p50", "p99"],
    );
    let mut table = table(&head);
    for case in &record.concurrency {
        table.add_row([
            right(count_text(case.connections as f64, language)),
            right(count_text(case.empty_per_s.median, language)),
            right(count_text(case.orders_per_s.median, language)),
            right(format!("{:.0} %", 100.0 * case.ratio.median)),
            ms(case.p50_ms.median, language),
            ms(case.p99_ms.median, language),
        ]);
    }
    Some(table)
}

fn late(record: &VenueRecord, language: Language) -> Option<Table> {
    record.late.first()?;
    let head = language.pick(
        ["from due to durable answer", "offered/s", "answered/s", "p50", "p99", "p99.9"],
        ["从应到时刻到落盘应答", "每秒供单", "每秒应答", "p50", "p99", "p99.9"],
    );
    let mut table = table(&head);
    for late in record.late.iter().chain(&record.late_high) {
        let words = match late.name.as_str() {
            "bare" => language.pick("the engine alone", "只有引擎"),
            "http" => "HTTP",
            _ => "WebSocket",
        };
        let is_void = late.load.as_ref().is_some_and(|load| load.is_void);
        let void = language.pick(", void: the load did not keep up", "，作废：压测端跟不上");
        let words = [words, if is_void { void } else { "" }].concat();
        let count = |count: f64| right(count_text(count, language));
        let figures = [
            count(late.offered_per_s as f64),
            count(late.achieved_per_s),
            ms(late.p50_ms, language),
            ms(late.p99_ms, language),
            ms(late.p999_ms, language),
        ];
        table.add_row([Cell::new(words)].into_iter().chain(figures));
    }
    Some(table)
}

fn beside(record: &VenueRecord, language: Language) -> Option<Table> {
    record.beside.first()?;
    let head = language.pick(
        ["an honest client over HTTP", "attacks", "answered/s", "p50", "p99", "p99.9"],
        ["老实的客户端，走 HTTP", "攻击次数", "每秒应答", "p50", "p99", "p99.9"],
    );
    let mut table = table(&head);
    for row in &record.beside {
        let words = match row.name.as_str() {
            "alone" => language.pick("alone", "没有攻击者"),
            _ => language.pick("beside attackers", "旁边有攻击者"),
        };
        let count = |count: f64| right(count_text(count, language));
        let late = &row.late;
        let waits = [late.p50_ms, late.p99_ms, late.p999_ms].map(|wait| ms(wait, language));
        let counts = [count(row.attacks as f64), count(late.achieved_per_s)];
        table.add_row([Cell::new(words)].into_iter().chain(counts).chain(waits));
    }
    Some(table)
}

fn engines(record: &VenueRecord, language: Language) -> Option<Table> {
    record.engines.first()?;
    let head =
        language.pick(["engine behind the door", "orders/s", "p50", "p99"], ["门后的引擎", "每秒订单", "p50", "p99"]);
    let mut table = table(&head);
    for engine in &record.engines {
        let orders = right(count_text(engine.orders_per_s.median, language));
        table.add_row([Cell::new(&engine.name), orders, ms(engine.p50_ms, language), ms(engine.p99_ms, language)]);
    }
    Some(table)
}
