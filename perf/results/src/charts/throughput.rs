//! Durable orders per second of each chapter: a bar each, on a log scale, because the ladder spans
//! more than three powers of ten.

use catalogue::Catalogue;

use super::axis::LogAxis;
use super::scene::{Anchor, MARGIN, Paint, Scene, WIDTH};
use super::source::source_of;
use super::words::{chapter_name, describe, words};
use super::{palette, text};
use crate::language::Language;
use crate::record::LadderRecord;
use crate::units::{count_text, rate_text};

pub(super) const TOP: f64 = 84.0;
pub(super) const ROW: f64 = 42.0;
pub(super) const BAR: f64 = 24.0;

pub(crate) fn draw(record: &LadderRecord, chapters: &Catalogue, language: Language) -> Scene {
    let words = words(language);
    let bottom = TOP + ROW * record.chapters.len() as f64;
    let mut scene =
        Scene::new(bottom + 74.0, words.throughput_title, words.throughput_subtitle, &source_of(record, language));
    let names: Vec<_> =
        record.chapters.iter().map(|chapter| chapter_name(&chapter.chapter, chapters, language)).collect();
    let left = name_column(&names);
    let axis = LogAxis::around(
        record.chapters.iter().flat_map(|c| [c.orders_per_s.min, c.orders_per_s.max]),
        left,
        WIDTH - MARGIN - 64.0,
    );
    value_axis(&mut scene, &axis, (TOP, bottom), words.orders_per_s_axis, |value| count_text(value, language));
    let mut figures = Vec::new();
    for (place, (chapter, name)) in record.chapters.iter().zip(&names).enumerate() {
        let middle = TOP + ROW * (place as f64 + 0.5);
        row_name(&mut scene, name, left, middle);
        let speed = &chapter.orders_per_s;
        let (top, low) = (middle - BAR / 2.0, middle + BAR / 2.0);
        scene.bar([left, top, axis.at(speed.median), low], palette::chapter(place));
        whisker(&mut scene, (axis.at(speed.min), axis.at(speed.max)), middle);
        let label = count_text(speed.median, language);
        let end = axis.at(speed.max.max(speed.median)) + 10.0;
        scene.text((end, middle + 5.0), &label, 14.0, Anchor::Start, Paint::Ink);
        figures.push(format!("{} {} {}", name.0, name.1, rate_text(speed.median, language)));
    }
    scene.description = describe(words.throughput_title, &figures, language);
    scene
}

/// How wide the column of chapter names is; the bars start after it.
pub(super) fn name_column(names: &[(String, String)]) -> f64 {
    let width = |(number, name): &(String, String)| text::width(number, 13.0) + text::width(name, 13.0) * 1.15 + 12.0;
    MARGIN + names.iter().map(width).fold(60.0, f64::max).min(260.0) + 14.0
}

/// A chapter's number and name, to the left of its bar.
pub(super) fn row_name(scene: &mut Scene, (number, name): &(String, String), left: f64, middle: f64) {
    scene.text((MARGIN, middle + 5.0), number, 13.0, Anchor::Start, Paint::Muted);
    let start = MARGIN + text::width("0x00", 13.0) * 1.15 + 8.0;
    let name = text::fit(name, 13.0, left - start);
    scene.text((start, middle + 5.0), &name, 13.0, Anchor::Start, Paint::Ink);
}

/// Vertical grid lines with their figures under them, and what they count.
pub(super) fn value_axis(
    scene: &mut Scene,
    axis: &LogAxis,
    (top, bottom): (f64, f64),
    title: &str,
    label: impl Fn(f64) -> String,
) {
    for tick in axis.ticks() {
        let x = axis.at(tick);
        scene.line(&[(x, top), (x, bottom)], 1.0, Paint::Grid);
        scene.text((x, bottom + 18.0), &label(tick), 12.0, Anchor::Middle, Paint::Muted);
    }
    scene.text((WIDTH - MARGIN, bottom + 36.0), title, 12.0, Anchor::End, Paint::Muted);
}

/// A thin line from the slowest to the fastest round, where the two can be told apart.
fn whisker(scene: &mut Scene, (from, to): (f64, f64), middle: f64) {
    if to - from < 2.0 {
        return;
    }
    scene.line(&[(from, middle), (to, middle)], 1.5, Paint::Ink);
    for x in [from, to] {
        scene.line(&[(x, middle - 5.0), (x, middle + 5.0)], 1.5, Paint::Ink);
    }
}
