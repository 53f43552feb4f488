//! From a client to the disk: orders a second by the way they come and by the engine behind the door, waits, and what
//! many connections cost. All are bars on a log scale.

use super::axis::LogAxis;
use super::bars::{Group, column, waits};
use super::palette;
use super::scene::{Anchor, MARGIN, Paint, Scene, WIDTH};
use super::source::source_plain;
use super::text;
use super::throughput::value_axis;
use super::words::{describe, words};
use crate::language::Language;
use crate::record::venue::{ConnectionsRecord, HttpRecord, LateRecord, VenueRecord};
use crate::spread::Spread;
use crate::units::{count_text, rate_text};

pub(super) const TOP: f64 = 84.0;
pub(super) const ROW: f64 = 38.0;
pub(super) const BAR: f64 = 22.0;

/// A bar: its name, its figure over the rounds, its colour.
pub(super) type Row<'r> = (String, &'r Spread, [u8; 3]);

/// Orders a second by the way they come, beside the bare server.
pub(crate) fn throughput(record: &VenueRecord, http: &HttpRecord, language: Language) -> Scene {
    let words = words(language);
    let (bare, ours) = (palette::NOISE, palette::MEASURED);
    let mut rows: Vec<Row> = vec![
        (words.venue_ways[0].into(), &http.empty_per_s, bare),
        (words.venue_ways[1].into(), &http.orders_per_s, ours),
        (words.venue_ways[2].into(), &http.fresh_per_s, ours),
    ];
    for stream in &record.stream {
        let (place, colour) = match stream.name.as_str() {
            "echo" => (3, bare),
            "one" => (4, ours),
            "json-batch" => (5, ours),
            _ => (6, ours),
        };
        rows.push((words.venue_ways[place].into(), &stream.per_s, colour));
    }
    rates(&source(record, language), [words.venue_title, words.venue_subtitle], &rows, language)
}

/// Orders a second by the engine behind the door.
pub(crate) fn engines(record: &VenueRecord, language: Language) -> Scene {
    let words = words(language);
    let rows: Vec<Row> =
        record.engines.iter().map(|engine| (engine.name.clone(), &engine.orders_per_s, palette::MEASURED)).collect();
    rates(&source(record, language), [words.venue_engines_title, words.venue_engines_subtitle], &rows, language)
}

/// From the moment when an order was due to its answer.
pub(crate) fn late(record: &VenueRecord, language: Language) -> Scene {
    let words = words(language);
    let group = |late: &LateRecord| Group {
        name: match late.name.as_str() {
            "bare" => words.venue_bare.into(),
            "http" => words.venue_doors[0].into(),
            _ => words.venue_doors[1].into(),
        },
        remark: format!("{} {}", words.offered, rate_text(late.offered_per_s as f64, language)),
        ns: [late.p50_ms, late.p99_ms, late.p999_ms].map(|ms| 1e6 * ms).into(),
    };
    // When the load was the limit, the figure says nothing.
    let is_valid = |late: &&LateRecord| late.load.as_ref().is_none_or(|load| !load.is_void);
    let groups: Vec<_> = record.late.iter().chain(&record.late_high).filter(is_valid).map(group).collect();
    let titles = [words.venue_late_title, words.venue_late_subtitle];
    waits(&source(record, language), titles, &percentiles(language), &groups, language)
}

/// From the first connection that has a change to the last.
pub(crate) fn connections(record: &VenueRecord, connections: &ConnectionsRecord, language: Language) -> Scene {
    let words = words(language);
    let groups = connections.cases.iter().map(|case| {
        let told = |bytes: f64| format!("{:.1} KiB {}", bytes / 1024.0, words.venue_each);
        Group {
            name: format!("{} {}", count_text(case.connections as f64, language), words.venue_connections),
            remark: case.connection_bytes.map_or_else(|| words.venue_each_unseen.to_owned(), told),
            ns: [case.last_p50_ms, case.last_p99_ms].map(|ms| 1e6 * ms).into(),
        }
    });
    let titles = [words.venue_connections_title, words.venue_connections_subtitle];
    waits(&source(record, language), titles, &percentiles(language), &groups.collect::<Vec<_>>(), language)
}

/// Where it was measured, in small.
fn source(record: &VenueRecord, language: Language) -> String {
    source_plain(&record.machine, &record.commit, language)
}

/// The bars of a wait.
fn percentiles(language: Language) -> Vec<(&'static str, [u8; 3])> {
    words(language).percentiles.into_iter().zip(palette::PERCENTILES).collect()
}

/// A bar for each row, on a log scale.
pub(super) fn rates(source: &str, [title, subtitle]: [&str; 2], rows: &[Row], language: Language) -> Scene {
    let words = words(language);
    let bottom = TOP + ROW * rows.len() as f64;
    let mut scene = Scene::new(bottom + 74.0, title, subtitle, source);
    let left = column(rows.iter().map(|(name, ..)| name));
    let all = rows.iter().flat_map(|(_, spread, _)| [spread.min, spread.max]);
    let axis = LogAxis::around(all, left, WIDTH - MARGIN - 64.0);
    value_axis(&mut scene, &axis, (TOP, bottom), words.orders_per_s_axis, |value| count_text(value, language));
    let mut figures = Vec::new();
    for (place, (name, spread, colour)) in rows.iter().enumerate() {
        let middle = TOP + ROW * (place as f64 + 0.5);
        scene.text((MARGIN, middle + 5.0), &text::fit(name, 13.0, left - MARGIN), 13.0, Anchor::Start, Paint::Ink);
        let end = axis.at(spread.median);
        scene.bar([left, middle - BAR / 2.0, end, middle + BAR / 2.0], Paint::Solid(*colour));
        scene.line(&[(axis.at(spread.min), middle), (axis.at(spread.max), middle)], 1.5, Paint::Ink);
        let label = count_text(spread.median, language);
        scene.text((axis.at(spread.max) + 10.0, middle + 5.0), &label, 14.0, Anchor::Start, Paint::Ink);
        figures.push(format!("{name} {label}"));
    }
    scene.description = describe(title, &figures, language);
    scene
}
