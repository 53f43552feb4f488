//! The tables on the terminal.

use comfy_table::{Cell, CellAlignment, Table, presets};
use results::language::Language;
use results::units::{count_text, duration_text, factor_text};

use crate::measure::timed::Kind;
use results::record::{AnyPriceRecord, BookRecord, FlowRecord};

fn right(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// One flow: one row per engine.
pub fn text(flow: &FlowRecord, language: Language) -> String {
    let head = language.pick(
        ["engine", "messages/s", "min to max", "p99.9", "longest", "with fills", "bytes/order"],
        ["引擎", "消息/秒", "最小至最大", "p99.9", "最长一条", "算上成交", "字节/订单"],
    );
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(head);
    let kinds = Kind::ALL.map(Kind::name);
    let mut by_kind = Table::new();
    by_kind.load_style(presets::UTF8_FULL_CONDENSED);
    by_kind.set_header([language.pick("engine", "引擎")].into_iter().chain(kinds));
    for engine in &flow.engines {
        let BookRecord { name, messages_per_s, p999_ns, longest_ns, .. } = engine;
        let time = |ns: f64| duration_text(ns, language);
        let rate = |per_s: f64| count_text(per_s, language);
        table.add_row([
            Cell::new(name),
            right(rate(messages_per_s.median)),
            right(format!("{} {} {}", rate(messages_per_s.min), language.pick("to", "至"), rate(messages_per_s.max))),
            right(time(*p999_ns)),
            right(time(*longest_ns)),
            right(format!("{} ({})", time(engine.longest_with_fills_ns), engine.longest_fills)),
            // Other libraries do not report this.
            right(if engine.bytes_per_order > 0.0 { format!("{:.0}", engine.bytes_per_order) } else { "–".into() }),
        ]);
        let times = kinds.map(|kind| {
            let found = engine.kinds.iter().find(|found| found.name == kind);
            right(found.map_or_else(String::new, |found| time(found.ns)))
        });
        by_kind.add_row([Cell::new(name)].into_iter().chain(times));
    }
    let (name, commands, orders) = (&flow.name, flow.commands, flow.orders);
    let mut text = match language {
        Language::English => format!("{name}: {commands} messages, {orders} orders at rest\n{table}\n{by_kind}"),
        Language::Chinese => format!("{name}：{commands} 条消息，{orders} 张订单挂着\n{table}\n{by_kind}"),
    };
    for unable in &flow.unable {
        let (name, reason) = (&unable.name, &unable.reason);
        text += &language.pick(format!("\nleft out: {name}: {reason}"), format!("\n未测：{name}：{reason}"));
    }
    text
}

/// The end of the output: `classic`, and the cache misses.
pub fn ending(record: &AnyPriceRecord, language: Language) -> String {
    let mut text = String::new();
    if let Some(classic) = &record.classic {
        let (array, ladder) =
            (duration_text(classic.array_ns.median, language), duration_text(classic.ladder_ns.median, language));
        let factor = factor_text(classic.ratio.median);
        text += &language.pick(
            format!("classic, 99 prices: 0x05's book {array} an order, the ladder {ladder}, {factor}\n"),
            format!("classic，99 个价格：0x05 的订单簿每单 {array}，价格梯 {ladder}，{factor}\n"),
        );
    }
    for lines in &record.lines {
        let (name, instructions) = (&lines.name, lines.instructions);
        let (first, second) = (lines.first_level, lines.second_level);
        text += &language.pick(
            format!("{name}: {instructions:.0} instructions a message, {first:.2} lines not in 48 KiB, {second:.2} not in 2 MiB\n"),
            format!("{name}：每条消息 {instructions:.0} 条指令，{first:.2} 行不在 48 KiB 里，{second:.2} 行不在 2 MiB 里\n"),
        );
    }
    text
}
