//! What the ladder prints.

use comfy_table::{CellAlignment, Table, presets};

use results::language::Language;
use results::record::{LadderRecord, Latency, Spread};
use results::units::{duration_text, factor_text, grouped};

/// The ladder as a table.
pub fn table(record: &LadderRecord) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header([
        "chapter",
        "orders",
        "orders/s",
        "min to max",
        "× step",
        "× first",
        "offered/s",
        "p50",
        "p99",
        "p99.9",
        "biggest stage",
    ]);
    let first = record.chapters.first().map_or(1.0, |chapter| chapter.orders_per_s.median);
    let mut before: Option<f64> = None;
    for chapter in &record.chapters {
        let Spread { median, min, max, .. } = chapter.orders_per_s;
        let time = |of: fn(&Latency) -> u64| {
            chapter.latency_ns.map_or("-".into(), |latency| duration_text(of(&latency) as f64, Language::English))
        };
        let stage = chapter.stages_ns.map_or("-".into(), |stages| {
            let (stage, ns) = stages.biggest();
            format!("{} {:.0} %", stage.key().replace('_', " "), 100.0 * ns / stages.total())
        });
        table.add_row([
            chapter.chapter.clone(),
            grouped(chapter.orders as f64),
            grouped(median),
            format!("{} to {}", grouped(min), grouped(max)),
            before.map_or("-".into(), |before| factor_text(median / before)),
            factor_text(median / first),
            chapter.latency_ns.map_or("-".into(), |latency| grouped(latency.offered_per_s)),
            time(|latency| latency.p50),
            time(|latency| latency.p99),
            time(|latency| latency.p999),
            stage,
        ]);
        before = Some(median);
    }
    for column in table.column_iter_mut().skip(1).take(9) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// The table of the chapters that also ran on many markets.
pub fn venue_table(record: &LadderRecord) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["chapter", "orders", "orders/s", "min to max", "× row above", "× first"]);
    let first = record.venue.first().map_or(1.0, |chapter| chapter.orders_per_s.median);
    let mut before: Option<f64> = None;
    for chapter in &record.venue {
        let Spread { median, min, max, .. } = chapter.orders_per_s;
        table.add_row([
            chapter.label(),
            grouped(chapter.orders as f64),
            grouped(median),
            format!("{} to {}", grouped(min), grouped(max)),
            before.map_or("-".into(), |before| factor_text(median / before)),
            factor_text(median / first),
        ]);
        before = Some(median);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
