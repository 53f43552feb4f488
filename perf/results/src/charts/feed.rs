//! What watching costs, by the number of readers: an event's processor time, and how late the last reader is. Both are
//! lines over the same axis, the feed's beside those of a channel for each reader.

use super::axis::LogAxis;
use super::palette;
use super::scene::{Anchor, MARGIN, Paint, Scene, WIDTH};
use super::source::source_offered;
use super::text;
use super::words::{Words, describe, words};
use crate::language::Language;
use crate::record::{FeedCaseRecord, FeedRecord, LateRecord, WayRecord};
use crate::units::{count_text, duration_text};

pub(super) const HEIGHT: f64 = 480.0;
pub(super) const LEGEND_TOP: f64 = 78.0;
pub(super) const TOP: f64 = 116.0;
pub(super) const BOTTOM: f64 = 392.0;

/// A line: its colour, its name, and how it is drawn.
struct Curve {
    colour: [u8; 3],
    name: String,
    is_dashed: bool,
    points: Vec<Point>,
}

/// A number of readers, and a time with its bounds, in nanoseconds.
struct Point {
    readers: usize,
    ns: f64,
    min_ns: f64,
    max_ns: f64,
    /// No round counts, so the figure shows how fast the load was.
    is_void: bool,
}

impl Point {
    fn steady(readers: usize, ns: f64, is_void: bool) -> Point {
        Point { readers, ns, min_ns: ns, max_ns: ns, is_void }
    }
}

/// One way of notifying readers: its colour, its name, its figures.
type Way = ([u8; 3], &'static str, fn(&FeedCaseRecord) -> &WayRecord);

/// Whether its line is dashed, and which of the times it is.
type Percentile = (bool, fn(&LateRecord) -> f64);

fn ways(words: &Words) -> [Way; 2] {
    [(palette::MEASURED, words.by_mask, |case| &case.mask), (palette::LOSS, words.by_channels, |case| &case.channels)]
}

/// What an event costs on the matching thread.
pub(crate) fn event(record: &FeedRecord, language: Language) -> Scene {
    let words = words(language);
    let mut curves: Vec<Curve> = ways(words)
        .map(|(colour, name, of)| {
            let point = |case: &FeedCaseRecord| {
                let spread = of(case).event_ns.as_ref()?;
                Some(Point {
                    min_ns: spread.min,
                    max_ns: spread.max,
                    ..Point::steady(case.readers, spread.median, false)
                })
            };
            let points = record.cases.iter().filter_map(point).collect();
            Curve { colour, name: name.into(), is_dashed: false, points }
        })
        .into();
    curves.extend(record.bare_event_ns.as_ref().map(|bare| {
        let points = record.cases.iter().map(|case| Point::steady(case.readers, bare.median, false));
        Curve { colour: palette::NOISE, name: words.without_reader.into(), is_dashed: true, points: points.collect() }
    }));
    draw(record, [words.feed_event_title, words.feed_event_subtitle], &curves, language)
}

/// How long it takes until the last reader has a command.
pub(crate) fn last(record: &FeedRecord, language: Language) -> Scene {
    let words = words(language);
    let percentiles: [Percentile; 2] = [(false, |late| late.p99_ms), (true, |late| late.p50_ms)];
    let curves = ways(words).map(|(colour, name, of)| {
        percentiles.map(|(is_dashed, percentile)| {
            let point = |case: &FeedCaseRecord| {
                let ns = 1e6 * percentile(&of(case).from_acknowledgement);
                (ns > 0.0).then_some(Point::steady(case.readers, ns, of(case).is_void(record.rounds)))
            };
            let name = format!("{name}{}{}", words.comma, words.percentiles[usize::from(!is_dashed)]);
            Curve { colour, name, is_dashed, points: record.cases.iter().filter_map(point).collect() }
        })
    });
    draw(record, [words.feed_last_title, words.feed_last_subtitle], curves.as_flattened(), language)
}

fn draw(record: &FeedRecord, [title, subtitle]: [&str; 2], curves: &[Curve], language: Language) -> Scene {
    let words = words(language);
    let mut scene = Scene::new(HEIGHT, title, subtitle, &source_offered(record, language));
    legend(&mut scene, curves);
    let (left, right) = (MARGIN + 78.0, WIDTH - MARGIN - 90.0);
    let readers = || record.cases.iter().map(|case| case.readers as f64);
    let (low, high) = (readers().fold(f64::MAX, f64::min), readers().fold(1.0, f64::max));
    let across = LogAxis::new(low / 1.6, high * 1.6, left, right);
    let all = curves.iter().flat_map(|curve| curve.points.iter().flat_map(|point| [point.min_ns, point.max_ns]));
    let up = LogAxis::around(all, BOTTOM, TOP);
    for tick in up.ticks() {
        scene.line(&[(left, up.at(tick)), (right, up.at(tick))], 1.0, Paint::Grid);
        let label = duration_text(tick, language);
        scene.text((left - 8.0, up.at(tick) + 4.0), &label, 12.0, Anchor::End, Paint::Muted);
    }
    for readers in readers() {
        let label = count_text(readers, language);
        scene.text((across.at(readers), BOTTOM + 20.0), &label, 12.0, Anchor::Middle, Paint::Muted);
    }
    scene.text((right, BOTTOM + 42.0), words.readers_axis, 12.0, Anchor::End, Paint::Muted);
    if curves.iter().flat_map(|curve| &curve.points).any(|point| point.is_void) {
        scene.text((left, BOTTOM + 42.0), words.void_points, 12.0, Anchor::Start, Paint::Muted);
    }
    let mut figures = Vec::new();
    for Curve { colour, name, is_dashed, points } in curves {
        let paint = Paint::Solid(*colour);
        let at = |point: &Point| (across.at(point.readers as f64), up.at(point.ns));
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
            let (readers, time) = (count_text(point.readers as f64, language), duration_text(point.ns, language));
            figures.push(format!("{name}{}{readers}{}{time}", words.comma, words.colon));
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

/// The time of each line with the most readers, to the right of it, with space between them.
fn end_labels(scene: &mut Scene, curves: &[Curve], axes: (&LogAxis, &LogAxis), language: Language) {
    let mut ends: Vec<&Point> = curves.iter().filter_map(|curve| curve.points.last()).collect();
    ends.sort_by(|a, b| b.ns.total_cmp(&a.ns));
    let mut lowest = f64::MIN;
    for end in ends {
        let y = (axes.1.at(end.ns) + 4.0).max(lowest + 17.0);
        let x = axes.0.at(end.readers as f64) + 12.0;
        scene.text((x, y), &duration_text(end.ns, language), 13.0, Anchor::Start, Paint::Ink);
        lowest = y;
    }
}
