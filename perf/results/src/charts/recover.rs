//! Starts: how long they take by the log's length, by replay alone and with a snapshot.

use catalogue::Catalogue;

use super::axis::LogAxis;
use super::palette;
use super::scene::{Anchor, MARGIN, Paint, Scene, WIDTH};
use super::source::source;
use super::words::{describe, titled, words};
use crate::language::Language;
use crate::record::{RecoverRecord, Spread, StartRecord};
use crate::units::{count_text, duration_text};

pub(super) const HEIGHT: f64 = 480.0;
pub(super) const LEGEND_TOP: f64 = 78.0;
pub(super) const TOP: f64 = 116.0;
pub(super) const BOTTOM: f64 = 392.0;

/// A way to start: its colour, its name, and how long it took.
type Way = ([u8; 3], &'static str, fn(&StartRecord) -> Option<&Spread>);

pub(crate) fn draw(run: &RecoverRecord, chapters: &Catalogue, language: Language) -> Scene {
    let words = words(language);
    let title = titled(words.recover_title, &run.chapter, chapters, language);
    let from = source(&run.machine, &run.commit, &run.flow, language);
    let mut scene = Scene::new(HEIGHT, &title, words.recover_subtitle, &from);
    let ways: [Way; 3] = [
        (palette::LOSS, words.replay_alone, |start| Some(&start.replay.start_ns)),
        (palette::MEASURED, words.with_snapshot, |start| Some(&start.snapshot.start_ns)),
        (palette::NOISE, words.with_snapshot_cold, |start| start.cold.as_ref().map(|cold| &cold.start_ns)),
    ];
    let entries: Vec<_> = ways.iter().map(|&(colour, name, _)| (Paint::Solid(colour), name)).collect();
    scene.legend(MARGIN, LEGEND_TOP, &entries);

    let (left, right) = (MARGIN + 78.0, WIDTH - MARGIN - 90.0);
    let lengths = || run.starts.iter().map(|start| start.commands as f64);
    let (low, high) = (lengths().fold(f64::MAX, f64::min), lengths().fold(1.0, f64::max));
    let across = LogAxis::new(low / 1.6, high * 1.6, left, right);
    let all = run.starts.iter().flat_map(|start| ways.iter().filter_map(|(_, _, of)| of(start)));
    let up = LogAxis::around(all.flat_map(|spread| [spread.min, spread.max]), BOTTOM, TOP);
    for tick in up.ticks() {
        scene.line(&[(left, up.at(tick)), (right, up.at(tick))], 1.0, Paint::Grid);
        let label = duration_text(tick, language);
        scene.text((left - 8.0, up.at(tick) + 4.0), &label, 12.0, Anchor::End, Paint::Muted);
    }
    for length in lengths() {
        let label = count_text(length, language);
        scene.text((across.at(length), BOTTOM + 20.0), &label, 12.0, Anchor::Middle, Paint::Muted);
    }
    scene.text((right, BOTTOM + 42.0), words.commands_axis, 12.0, Anchor::End, Paint::Muted);

    let mut figures = Vec::new();
    for &(colour, name, of) in &ways {
        let points: Vec<_> = run.starts.iter().filter_map(|start| Some((start.commands, of(start)?))).collect();
        let at = |&(commands, spread): &(u64, &Spread)| (across.at(commands as f64), up.at(spread.median));
        scene.line(&points.iter().map(at).collect::<Vec<_>>(), 2.0, Paint::Solid(colour));
        for point in &points {
            let (x, y) = at(point);
            scene.line(&[(x, up.at(point.1.min)), (x, up.at(point.1.max))], 1.5, Paint::Solid(colour));
            scene.dot(x, y, 4.5, Paint::Solid(colour));
            let (length, time) = (count_text(point.0 as f64, language), duration_text(point.1.median, language));
            figures.push(format!("{name}{}{length}{}{time}", words.comma, words.colon));
        }
    }
    end_labels(&mut scene, run, &ways, (&across, &up), language);
    scene.description = describe(&title, &figures, language);
    scene
}

/// The time of each way on the longest log, to the right of its line, with space between them.
fn end_labels(scene: &mut Scene, run: &RecoverRecord, ways: &[Way], axes: (&LogAxis, &LogAxis), language: Language) {
    let Some(last) = run.starts.last() else { return };
    let mut ends: Vec<_> = ways.iter().filter_map(|(_, _, of)| of(last)).map(|spread| spread.median).collect();
    ends.sort_by(|a, b| b.total_cmp(a));
    let mut lowest = f64::MIN;
    for ns in ends {
        let y = (axes.1.at(ns) + 4.0).max(lowest + 17.0);
        let x = axes.0.at(last.commands as f64) + 12.0;
        scene.text((x, y), &duration_text(ns, language), 13.0, Anchor::Start, Paint::Ink);
        lowest = y;
    }
}
