//! One open-loop run: latency over percentiles, the percentiles stretched towards 100 so that each
//! further nine gets the same space. Averages hide stalls; this curve shows them.

use catalogue::Catalogue;

use super::axis::LogAxis;
use super::palette;
use super::run::LatencyRun;
use super::scene::{Anchor, MARGIN, Paint, Scene, WIDTH};
use super::source::source;
use super::words::{describe, titled, words};
use crate::language::Language;
use crate::units::{duration_text, rate_text};

const HEIGHT: f64 = 480.0;
const TOP: f64 = 112.0;
const BOTTOM: f64 = 392.0;
/// Percentiles that get a tick, as far as the run reaches.
const TICKS: [f64; 7] = [0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999];

pub(crate) fn draw(run: &LatencyRun, chapters: &Catalogue, language: Language) -> Scene {
    let words = words(language);
    let title = titled(words.run_latency_title, &run.chapter, chapters, language);
    let mut scene =
        Scene::new(HEIGHT, &title, words.run_latency_subtitle, &source(&run.machine, &run.commit, &run.flow, language));
    let (offered, achieved) = (rate_text(run.offered_per_s, language), rate_text(run.achieved_per_s, language));
    let rates = format!("{} {offered}{}{} {achieved}", words.offered, words.comma, words.achieved);
    scene.text((WIDTH - MARGIN, 38.0), &rates, 13.0, Anchor::End, Paint::Muted);

    let last = run.points.iter().map(|point| nines(point.0)).fold(nines(99.0), f64::max);
    let (left, right) = (MARGIN + 72.0, WIDTH - MARGIN - 96.0);
    let x = |percentile: f64| left + nines(percentile) / last * (right - left);
    let all = run.points.iter().map(|point| point.1).chain([run.max_ns]);
    let axis = LogAxis::around(all, BOTTOM, TOP);
    for tick in axis.ticks() {
        scene.line(&[(left, axis.at(tick)), (WIDTH - MARGIN, axis.at(tick))], 1.0, Paint::Grid);
        let label = duration_text(tick, language);
        scene.text((left - 8.0, axis.at(tick) + 4.0), &label, 12.0, Anchor::End, Paint::Muted);
    }
    for tick in TICKS.into_iter().filter(|&tick| nines(tick) <= last + 1e-9) {
        scene.text((x(tick), BOTTOM + 20.0), &format!("{tick} %"), 12.0, Anchor::Middle, Paint::Muted);
    }
    scene.text((f64::midpoint(left, right), BOTTOM + 42.0), words.percentile_axis, 12.0, Anchor::Middle, Paint::Muted);
    scene.text((left - 8.0, TOP - 14.0), words.latency_axis, 12.0, Anchor::End, Paint::Muted);

    let curve: Vec<_> = run.points.iter().map(|&(percentile, ns)| (x(percentile), axis.at(ns))).collect();
    scene.line(&curve, 2.5, Paint::Solid(palette::MEASURED));
    let mut figures = Vec::new();
    for tick in [50.0, 99.0, 99.9, 99.99, 99.999] {
        let Some(ns) = value_at(run, tick).filter(|_| nines(tick) <= last + 1e-9) else { continue };
        let label = duration_text(ns, language);
        scene.dot(x(tick), axis.at(ns), 4.0, Paint::Solid(palette::MEASURED));
        // The curve never falls, so there is space above it on the left and below it on the right.
        let (at, anchor) = match tick {
            50.0 => ((x(tick) + 4.0, axis.at(ns) + 20.0), Anchor::Start),
            _ => ((x(tick) - 6.0, axis.at(ns) - 9.0), Anchor::End),
        };
        scene.text(at, &label, 13.0, anchor, Paint::Ink);
        figures.push(format!("p{tick} {label}"));
    }
    let slowest = duration_text(run.max_ns, language);
    let end = WIDTH - MARGIN - 40.0;
    scene.dot(end, axis.at(run.max_ns), 4.0, Paint::Solid(palette::PERCENTILES[3]));
    scene.text((end, axis.at(run.max_ns) - 10.0), &slowest, 13.0, Anchor::Middle, Paint::Ink);
    scene.text((end, BOTTOM + 20.0), words.slowest, 12.0, Anchor::Middle, Paint::Muted);
    figures.push(format!("{} {slowest}", words.slowest));
    scene.description = describe(&format!("{title}, {rates}"), &figures, language);
    scene
}

/// How many nines a percentile has: 0 for 0 %, 1 for 90 %, 2 for 99 %.
fn nines(percentile: f64) -> f64 {
    -(1.0 - percentile / 100.0).log10()
}

/// The first measured latency at or above `percentile`.
fn value_at(run: &LatencyRun, percentile: f64) -> Option<f64> {
    run.points.iter().find(|point| point.0 >= percentile - 1e-9).map(|point| point.1)
}
