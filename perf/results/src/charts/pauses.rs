//! What orders wait for while snapshots are made: four bars a way, each with its figure.

use catalogue::Catalogue;

use super::axis::LogAxis;
use super::palette;
use super::percentiles::{BAR, GROUP, LEGEND_TOP, TOP, bars};
use super::scene::{Anchor, MARGIN, Paint, Scene, WIDTH};
use super::source::source;
use super::throughput::value_axis;
use super::words::{describe, titled, words};
use crate::language::Language;
use crate::record::RecoverRecord;
use crate::units::{duration_text, rate_text};

const _: () = assert!(4.0 * (BAR + 3.0) < GROUP);

pub(crate) fn draw(run: &RecoverRecord, chapters: &Catalogue, language: Language) -> Scene {
    let words = words(language);
    let title = titled(words.pauses_title, &run.chapter, chapters, language);
    let bottom = TOP + GROUP * run.pauses.len() as f64;
    let from = source(&run.machine, &run.commit, &run.flow, language);
    let mut scene = Scene::new(bottom + 60.0, &title, words.latency_subtitle, &from);
    let colours = palette::PERCENTILES.iter().zip(words.percentiles);
    scene.legend(MARGIN, LEGEND_TOP, &colours.map(|(&colour, name)| (Paint::Solid(colour), name)).collect::<Vec<_>>());
    let left = MARGIN + 190.0;
    let all = run.pauses.iter().flat_map(|way| way.latencies()).map(|spread| spread.median);
    let axis = LogAxis::around(all.chain([1e5, 1e6]), left, WIDTH - MARGIN - 76.0);
    value_axis(&mut scene, &axis, (TOP, bottom), "", |ns| duration_text(ns, language));
    let offered = format!("{} {}", words.offered, rate_text(run.offer.rate as f64, language));
    let mut figures = Vec::new();
    for (place, way) in run.pauses.iter().enumerate() {
        let middle = TOP + GROUP * (place as f64 + 0.5);
        let name = match way.name.as_str() {
            "stopped" => words.world_stopped,
            "shadow" => words.with_shadow,
            _ => words.no_snapshots,
        };
        scene.text((MARGIN, middle - 4.0), name, 13.0, Anchor::Start, Paint::Ink);
        scene.text((MARGIN, middle + 13.0), &offered, 11.0, Anchor::Start, Paint::Muted);
        let ns = way.latencies().map(|spread| spread.median);
        let told = bars(&mut scene, ns, &axis, (left, middle), language);
        figures.push(format!("{name} {told}"));
    }
    scene.description = describe(&title, &figures, language);
    scene
}
