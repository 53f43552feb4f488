//! The table on the terminal.

use comfy_table::{Cell, CellAlignment, Table, presets};
use results::language::Language;
use results::record::{FeedRecord, WayRecord};
use results::units::{count_text, duration_text};

fn right(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// A row for each number of readers and way, and a line for each engine.
pub fn text(record: &FeedRecord, language: Language) -> String {
    let head = language.pick(
        ["readers", "way", "an event", "deliveries/s", "last reader p50", "p99", "p99.9", "bytes/reader"],
        ["读者", "做法", "每条事件", "送达/秒", "最后一位读者 p50", "p99", "p99.9", "字节/读者"],
    );
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(head);
    let void_word = language.pick("void", "作废");
    for case in &record.cases {
        for (name, way) in
            [(language.pick("mask", "掩码"), &case.mask), (language.pick("channels", "每人一条通道"), &case.channels)]
        {
            let void = way.void.first().filter(|_| way.is_void(record.rounds)).map(|limit| limit.name());
            let name = void.map_or_else(|| name.into(), |limit| format!("{name} ({void_word}: {limit})"));
            let mut cells = vec![right(case.readers.to_string()), Cell::new(name)];
            cells.extend(figures(way, language));
            table.add_row(cells);
        }
    }
    let mut text = format!("{table}\n");
    if let Some(bare) = &record.bare_event_ns {
        let bare = duration_text(bare.median, language);
        text += &language.pick(
            format!("of an event's time, {bare} remain without any reader\n"),
            format!("每条事件的时间里，没有读者时也要 {bare}\n"),
        );
    }
    for case in &record.shards {
        let (shards, readers, p99) = (case.shards, case.readers, duration_text(1e6 * case.p99_ms.median, language));
        let event = case.event_ns.as_ref().map_or_else(|| "-".into(), |spread| duration_text(spread.median, language));
        text += &language.pick(
            format!("{shards} shards, {readers} readers: an event {event}, last reader p99 {p99}\n"),
            format!("{shards} 个分片、{readers} 位读者：每条事件 {event}，最后一位读者 p99 {p99}\n"),
        );
    }
    for engine in &record.ladder {
        let (name, readers, share) = (&engine.name, engine.readers, 100.0 * engine.ratio.median);
        let (bare, fed) =
            (count_text(engine.bare_per_s.median, language), count_text(engine.fed_per_s.median, language));
        text += &language.pick(
            format!("{name}: {bare} commands/s alone, {fed} with a feed and {readers} readers, {share:.0} %\n"),
            format!("{name}：独自每秒 {bare} 条命令，带行情和 {readers} 位读者时 {fed} 条，{share:.0} %\n"),
        );
    }
    text
}

fn figures(way: &WayRecord, language: Language) -> Vec<Cell> {
    let late = &way.from_acknowledgement;
    let ms = |ms: f64| right(duration_text(1e6 * ms, language));
    vec![
        right(way.event_ns.as_ref().map_or_else(|| "-".into(), |spread| duration_text(spread.median, language))),
        right(count_text(way.deliveries_per_s, language)),
        ms(late.p50_ms),
        ms(late.p99_ms),
        ms(late.p999_ms),
        right(format!("{:.0}", way.bytes_per_reader)),
    ]
}
