//! Times over counts, both on log scales: a line for each of some things, dashed or solid, with its time at the end.

use super::axis::LogAxis;
use super::scene::{Anchor, MARGIN, Paint, Scene, WIDTH};
use super::text;
use super::words::{describe, words};
use crate::language::Language;
use crate::units::{count_text, duration_text};

pub(super) const HEIGHT: f64 = 480.0;
pub(super) const LEGEND_TOP: f64 = 78.0;
pub(super) const TOP: f64 = 116.0;
pub(super) const BOTTOM: f64 = 392.0;

/// A line: its colour, its name, and how it is drawn.
pub(super) struct Curve {
    pub(super) colour: [u8; 3],
    pub(super) name: String,
    pub(super) is_dashed: bool,
    pub(super) points: Vec<Point>,
}

/// A count, and a time with its bounds, in nanoseconds.
pub(super) struct Point {
    pub(super) count: f64,
    pub(super) ns: f64,
    pub(super) min_ns: f64,
    pub(super) max_ns: f64,
    /// No round counts, so the figure shows how fast the load was.
    pub(super) is_void: bool,
}

impl Point {
    pub(super) fn steady(count: f64, ns: f64, is_void: bool) -> Point {
        Point { count, ns, min_ns: ns, max_ns: ns, is_void }
    }
}

/// The axis of the counts: what they count, and which there are.
pub(super) struct Across {
    pub(super) title: &'static str,
    pub(super) counts: Vec<f64>,
}

pub(super) fn draw(
    source: &str,
    [title, subtitle]: [&str; 2],
    along: &Across,
    curves: &[Curve],
    language: Language,
) -> Scene {
    let words = words(language);
    let mut scene = Scene::new(HEIGHT, title, subtitle, source);
    legend(&mut scene, curves);
    let (left, right) = (MARGIN + 78.0, WIDTH - MARGIN - 90.0);
    let counts = || along.counts.iter().copied();
    let (low, high) = (counts().fold(f64::MAX, f64::min), counts().fold(1.0, f64::max));
    let across = LogAxis::new(low / 1.6, high * 1.6, left, right);
    let all = curves.iter().flat_map(|curve| curve.points.iter().flat_map(|point| [point.min_ns, point.max_ns]));
    let up = LogAxis::around(all, BOTTOM, TOP);
    for tick in up.ticks() {
        scene.line(&[(left, up.at(tick)), (right, up.at(tick))], 1.0, Paint::Grid);
        let label = duration_text(tick, language);
        scene.text((left - 8.0, up.at(tick) + 4.0), &label, 12.0, Anchor::End, Paint::Muted);
    }
    for count in counts() {
        let label = count_text(count, language);
        scene.text((across.at(count), BOTTOM + 20.0), &label, 12.0, Anchor::Middle, Paint::Muted);
    }
    scene.text((right, BOTTOM + 42.0), along.title, 12.0, Anchor::End, Paint::Muted);
    if curves.iter().flat_map(|curve| &curve.points).any(|point| point.is_void) {
        scene.text((left, BOTTOM + 42.0), words.void_points, 12.0, Anchor::Start, Paint::Muted);
    }
    let mut figures = Vec::new();
    for Curve { colour, name, is_dashed, points } in curves {
        let paint = Paint::Solid(*colour);
        let at = |point: &Point| (across.at(point.count), up.at(point.ns));
        match is_dashed {
            true => points.windows(2).for_each(|pair| scene.dashes(at(&pair[0]), at(&pair[1]), 2.0, paint)),
            false => scene.line(&points.iter().map(at).collect::<Vec<_>>(), 2.0, paint),
        }
        for point in points {
            let (x, y) = at(point);
            if point.is_void {
                scene.line(&[(x - 5.0, y - 5.0), (x + 5.0, y + 5.0)], 2.0, paint);
                scene.line(&[(x - 5.0, y + 5.0), (x + 5.0, y - 5.0)], 2.0, paint);
            } else if !is_dashed {
                scene.line(&[(x, up.at(point.min_ns)), (x, up.at(point.max_ns))], 1.5, paint);
                scene.dot(x, y, 4.5, paint);
            }
            let (count, time) = (count_text(point.count, language), duration_text(point.ns, language));
            figures.push(format!("{name}{}{count}{}{time}", words.comma, words.colon));
        }
    }
    end_labels(&mut scene, curves, (&across, &up), language);
    scene.description = describe(title, &figures, language);
    scene
}

/// A short piece of each line with its name.
fn legend(scene: &mut Scene, curves: &[Curve]) {
    let mut x = MARGIN;
    for Curve { colour, name, is_dashed, .. } in curves {
        let (from, to) = ((x, LEGEND_TOP + 6.0), (x + 22.0, LEGEND_TOP + 6.0));
        match is_dashed {
            true => scene.dashes(from, to, 2.0, Paint::Solid(*colour)),
            false => scene.line(&[from, to], 2.0, Paint::Solid(*colour)),
        }
        scene.text((x + 28.0, LEGEND_TOP + 11.0), name, 13.0, Anchor::Start, Paint::Ink);
        x += 28.0 + text::width(name, 13.0) * 1.1 + 18.0;
    }
}

/// The time of each line at its last count, to the right of it, with space between them.
fn end_labels(scene: &mut Scene, curves: &[Curve], axes: (&LogAxis, &LogAxis), language: Language) {
    let mut ends: Vec<&Point> = curves.iter().filter_map(|curve| curve.points.last()).collect();
    ends.sort_by(|a, b| b.ns.total_cmp(&a.ns));
    let mut lowest = f64::MIN;
    for end in ends {
        let y = (axes.1.at(end.ns) + 4.0).max(lowest + 17.0);
        let x = axes.0.at(end.count) + 12.0;
        scene.text((x, y), &duration_text(end.ns, language), 13.0, Anchor::Start, Paint::Ink);
        lowest = y;
    }
}
