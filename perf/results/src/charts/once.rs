//! What exactly-once costs, how long a returning reader needs, and what the naive ways do twice or lose.

use super::axis::LogAxis;
use super::bars::{Group, column, waits};
use super::palette;
use super::scene::{Anchor, MARGIN, Paint, Scene, WIDTH};
use super::source::source_plain;
use super::text;
use super::throughput::value_axis;
use super::venue::{BAR, ROW, Row, TOP, rates};
use super::words::{Words, describe, words};
use crate::language::Language;
use crate::record::{CostRecord, NaiveRecord, OnceRecord, ReturningRecord};
use crate::units::count_text;

/// The base of the naive ways' counts.
pub(super) const OF: f64 = 1e6;

/// The space to the right of the naive ways' axis, for a label behind the longest bar.
pub(super) const ROOM: f64 = 120.0;

/// Orders a second: 0x0a, and 0x0b with and without numbers.
pub(crate) fn costs(record: &OnceRecord, language: Language) -> Scene {
    let words = words(language);
    let rows = |cost: &'_ CostRecord| {
        let way = match &*cost.name {
            "http" => words.once.ways[0],
            "websocket" => words.once.ways[1],
            _ => words.once.ways[2],
        };
        let spreads = [cost.before_per_s.clone(), cost.without_per_s.clone(), cost.with_per_s.clone()];
        let colours = [palette::NOISE, palette::MEASURED, palette::MEASURED];
        let named = words.once.venues.iter().map(move |venue| format!("{way}{}{venue}", words.comma));
        named.zip(spreads).zip(colours).collect::<Vec<_>>()
    };
    let rows: Vec<_> = record.costs.iter().flat_map(rows).collect();
    let rows: Vec<Row> = rows.iter().map(|((name, spread), colour)| (name.clone(), spread, *colour)).collect();
    let titles = [words.once.costs_title, words.once.costs_subtitle];
    rates(&source_plain(&record.machine, &record.commit, language), titles, &rows, language)
}

/// How long a returning reader needs: a group for each number of missed notices, a bar for each source of them.
pub(crate) fn returning(record: &OnceRecord, language: Language) -> Scene {
    let words = words(language);
    let group = |returning: &ReturningRecord| Group {
        name: count_text(returning.notices as f64, language),
        remark: words.once.missed.into(),
        ns: [&returning.ring_ms, &returning.log_ms].map(|ms| 1e6 * ms.median).into(),
    };
    let groups: Vec<_> = record.returning.iter().map(group).collect();
    let bars: Vec<_> = words.once.places.into_iter().zip([palette::MEASURED, palette::FITTED]).collect();
    let titles = [words.once.returning_title, words.once.returning_subtitle];
    waits(&source_plain(&record.machine, &record.commit, language), titles, &bars, &groups, language)
}

/// How many of a million each way does twice or loses.
pub(crate) fn naive(record: &OnceRecord, language: Language) -> Scene {
    let words = words(language);
    let bottom = TOP + ROW * record.naive.len() as f64;
    let [title, subtitle] = [words.once.naive_title, words.once.naive_subtitle];
    let mut scene =
        Scene::new(bottom + 74.0, title, subtitle, &source_plain(&record.machine, &record.commit, language));
    let names: Vec<String> = record.naive.iter().map(|way| named(way, words)).collect();
    let left = column(names.iter());
    let axis = LogAxis::new(1.0, OF, left, WIDTH - MARGIN - ROOM);
    value_axis(&mut scene, &axis, (TOP, bottom), words.once.naive_axis, |value| count_text(value, language));
    let mut figures = Vec::new();
    for (place, (name, way)) in names.iter().zip(&record.naive).enumerate() {
        let middle = TOP + ROW * (place as f64 + 0.5);
        scene.text((MARGIN, middle + 5.0), &text::fit(name, 13.0, left - MARGIN), 13.0, Anchor::Start, Paint::Ink);
        let share = |count: u64| OF * count as f64 / way.asked as f64;
        let wrong = [(words.once.twice, way.twice), (words.once.lost, way.lost)];
        let told = wrong.iter().filter(|(_, count)| *count > 0);
        let told = told.map(|(what, count)| format!("{what}{}{}", words.colon, count_text(share(*count), language)));
        let (mut label, mut end) = (told.collect::<Vec<_>>().join(words.comma), left);
        if label.is_empty() {
            let [before, behind] = words.once.none;
            label = format!("{before}{}{behind}", count_text(way.asked as f64, language));
        } else {
            end = axis.at(share(way.twice + way.lost));
            scene.bar([left, middle - BAR / 2.0, end, middle + BAR / 2.0], Paint::Solid(palette::LOSS));
        }
        scene.text((end + 10.0, middle + 5.0), &label, 14.0, Anchor::Start, Paint::Ink);
        figures.push(format!("{name}{}{label}", words.comma));
    }
    scene.description = describe(title, &figures, language);
    scene
}

/// The name of a way. A way that the charts do not know keeps the record's name.
fn named(way: &NaiveRecord, words: &Words) -> String {
    const KNOWN: [&str; 6] =
        ["retry-without-number", "ask-first", "numbers", "expiring-set", "keys-in-sqlite", "broker"];
    let known = KNOWN.iter().position(|name| *name == way.name);
    known.map_or_else(|| way.name.clone(), |at| words.once.naive[at].to_owned())
}
