//! Batch sizes: what a bigger batch gains in throughput, and costs in waiting. The knee of the
//! curve is the size to choose.

use catalogue::Catalogue;

use super::axis::LogAxis;
use super::palette;
use super::scene::{Anchor, Bounds, Label, MARGIN, Paint, Scene, Shape, WIDTH, overlap};
use super::source::source;
use super::words::{describe, titled, words};
use crate::language::Language;
use crate::record::SweepRecord;
use crate::units::{count_text, duration_text, grouped, rate_text};

pub(super) const HEIGHT: f64 = 500.0;
pub(super) const TOP: f64 = 112.0;
pub(super) const BOTTOM: f64 = 412.0;

pub(crate) fn draw(run: &SweepRecord, chapters: &Catalogue, language: Language) -> Scene {
    let words = words(language);
    let title = titled(words.sweep_title, &run.chapter, chapters, language);
    let mut scene =
        Scene::new(HEIGHT, &title, words.sweep_subtitle, &source(&run.machine, &run.commit, &run.flow, language));
    let (left, right) = (MARGIN + 72.0, WIDTH - MARGIN - 24.0);
    let across = LogAxis::around(run.sizes.iter().map(|point| point.p99_ns.median), left, right);
    let up = LogAxis::around(run.sizes.iter().map(|point| point.orders_per_s.median), BOTTOM, TOP);
    for tick in up.ticks() {
        scene.line(&[(left, up.at(tick)), (right, up.at(tick))], 1.0, Paint::Grid);
        let label = count_text(tick, language);
        scene.text((left - 8.0, up.at(tick) + 4.0), &label, 12.0, Anchor::End, Paint::Muted);
    }
    for tick in across.ticks() {
        scene.line(&[(across.at(tick), TOP), (across.at(tick), BOTTOM)], 1.0, Paint::Grid);
        let label = duration_text(tick, language);
        scene.text((across.at(tick), BOTTOM + 20.0), &label, 12.0, Anchor::Middle, Paint::Muted);
    }
    scene.text((right, BOTTOM + 42.0), words.sweep_latency_axis, 12.0, Anchor::End, Paint::Muted);
    scene.text((MARGIN, TOP - 16.0), words.per_second, 12.0, Anchor::Start, Paint::Muted);

    let dots: Vec<_> =
        run.sizes.iter().map(|point| (across.at(point.p99_ns.median), up.at(point.orders_per_s.median))).collect();
    scene.line(&dots, 2.0, Paint::Solid(palette::NOISE));
    for &(x, y) in &dots {
        scene.dot(x, y, 5.0, Paint::Solid(palette::MEASURED));
    }
    let mut taken: Vec<Bounds> = dots.iter().map(|&(x, y)| [x - 5.0, y - 5.0, x + 5.0, y + 5.0]).collect();
    let mut figures = Vec::new();
    for (place, (point, &dot)) in run.sizes.iter().zip(&dots).enumerate() {
        let size = grouped(f64::from(point.batch));
        let name = if place == 0 { format!("{} {size}", words.batch) } else { size.clone() };
        place_label(&mut scene, &name, dot, &mut taken);
        figures.push(format!(
            "{} {size}: {}, {}",
            words.batch,
            rate_text(point.orders_per_s.median, language),
            duration_text(point.p99_ns.median, language),
        ));
    }
    scene.description = describe(&title, &figures, language);
    scene
}

/// Writes a dot's name on the first side where it hides nothing; leaves it out where there is none.
fn place_label(scene: &mut Scene, name: &str, (x, y): (f64, f64), taken: &mut Vec<Bounds>) {
    let sides = [
        (x - 10.0, y - 6.0, Anchor::End),
        (x + 10.0, y + 15.0, Anchor::Start),
        (x + 11.0, y + 4.5, Anchor::Start),
        (x, y - 11.0, Anchor::Middle),
        (x, y + 21.0, Anchor::Middle),
        (x - 11.0, y + 4.5, Anchor::End),
    ];
    for (x, baseline, anchor) in sides {
        let label = Label { x, baseline, text: name.to_string(), size: 13.0, anchor, paint: Paint::Ink };
        let bounds = label.bounds(1.15);
        let inside = bounds[0] > MARGIN + 72.0 && bounds[2] < WIDTH - MARGIN && bounds[3] < BOTTOM;
        if inside && !taken.iter().any(|other| overlap(other, &bounds)) {
            taken.push(bounds);
            scene.shapes.push(Shape::Text(label));
            return;
        }
    }
}
