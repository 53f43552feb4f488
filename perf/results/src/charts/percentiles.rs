//! Latency percentiles of each chapter: four bars a chapter on a log scale, each with its figure.

use catalogue::Catalogue;

use super::axis::LogAxis;
use super::palette;
use super::scene::{Anchor, MARGIN, Paint, Scene, WIDTH};
use super::source::source_of;
use super::throughput::{name_column, row_name, value_axis};
use super::words::{chapter_name, describe, words};
use crate::language::Language;
use crate::record::{LadderRecord, Latency};
use crate::units::{duration_text, rate_text};

pub(super) const LEGEND_TOP: f64 = 78.0;
pub(super) const TOP: f64 = 112.0;
pub(super) const BAR: f64 = 12.0;
pub(super) const GROUP: f64 = 76.0;
/// A chapter without figures takes one line.
pub(super) const EMPTY: f64 = 34.0;

pub(crate) fn draw(record: &LadderRecord, chapters: &Catalogue, language: Language) -> Scene {
    let words = words(language);
    let height_of = |latency: &Option<Latency>| if latency.is_some() { GROUP } else { EMPTY };
    let bottom = TOP + record.chapters.iter().map(|chapter| height_of(&chapter.latency_ns)).sum::<f64>();
    let mut scene =
        Scene::new(bottom + 60.0, words.latency_title, words.latency_subtitle, &source_of(record, language));
    let entries: Vec<_> = palette::PERCENTILES
        .iter()
        .zip(words.percentiles)
        .map(|(&colour, name)| (Paint::Solid(colour), name))
        .collect();
    scene.legend(MARGIN, LEGEND_TOP, &entries);
    let names: Vec<_> =
        record.chapters.iter().map(|chapter| chapter_name(&chapter.chapter, chapters, language)).collect();
    let left = name_column(&names).max(MARGIN + 190.0);
    let all = record.chapters.iter().filter_map(|chapter| chapter.latency_ns).flat_map(|latency| values(&latency));
    let axis = LogAxis::around(all.chain([1e5, 1e6]), left, WIDTH - MARGIN - 76.0);
    value_axis(&mut scene, &axis, (TOP, bottom), "", |ns| duration_text(ns, language));
    let mut figures = Vec::new();
    let mut top = TOP;
    for (chapter, name) in record.chapters.iter().zip(&names) {
        let height = height_of(&chapter.latency_ns);
        let middle = top + height / 2.0;
        match &chapter.latency_ns {
            None => {
                row_name(&mut scene, name, left, middle);
                scene.text((left + 10.0, middle + 5.0), words.not_measured, 13.0, Anchor::Start, Paint::Muted);
            }
            Some(latency) => {
                row_name(&mut scene, name, left, middle - 9.0);
                let offered = format!("{} {}", words.offered, rate_text(latency.offered_per_s, language));
                scene.text((MARGIN, middle + 13.0), &offered, 11.0, Anchor::Start, Paint::Muted);
                let told = bars(&mut scene, values(latency), &axis, (left, middle), language);
                figures.push(format!("{} {} ({offered}) {told}", name.0, name.1));
            }
        }
        top += height;
    }
    scene.description = describe(words.latency_title, &figures, language);
    scene
}

fn values(latency: &Latency) -> [f64; 4] {
    [latency.p50, latency.p99, latency.p999, latency.max].map(|ns| (ns as f64).max(1.0))
}

/// The four bars of one chapter; returns them as text.
pub(super) fn bars(
    scene: &mut Scene,
    latencies_ns: [f64; 4],
    axis: &LogAxis,
    (left, middle): (f64, f64),
    language: Language,
) -> String {
    let mut told = Vec::new();
    for (place, ns) in latencies_ns.into_iter().enumerate() {
        let top = middle + (place as f64 - 2.0) * (BAR + 3.0) + 1.5;
        let end = axis.at(ns);
        scene.bar([left, top, end, top + BAR], Paint::Solid(palette::PERCENTILES[place]));
        let label = duration_text(ns, language);
        scene.text((end + 8.0, top + BAR - 2.0), &label, 11.0, Anchor::Start, Paint::Ink);
        told.push(format!("{} {label}", words(language).percentiles[place]));
    }
    told.join(", ")
}
