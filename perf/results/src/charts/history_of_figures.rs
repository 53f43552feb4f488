//! The ladder at each commit that measured it: a line for each chapter, broken where the machine was another one.

mod words;

use super::axis::LogAxis;
use super::palette;
use super::scene::{Anchor, MARGIN, Paint, Scene, WIDTH};
use super::words::{describe, words};
use crate::language::Language;
use crate::record::{HistoryOfFigures, LadderVersion};
use crate::units::{count_text, rate_text};

const HEIGHT: f64 = 530.0;
const TOP: f64 = 130.0;
const BOTTOM: f64 = 454.0;
const LEFT: f64 = MARGIN + 64.0;
const RIGHT: f64 = WIDTH - MARGIN - 92.0;
/// Chapters that end closer together than this share a name.
const NAME_APART: f64 = 14.0;
/// The room that a commit's digits need, or a figure.
const NAME: f64 = 54.0;

/// Where everything is.
struct Plan<'h> {
    history: &'h HistoryOfFigures,
    machines: Vec<usize>,
    up: LogAxis,
}

impl Plan<'_> {
    /// The pixel of the version at `place`.
    fn across(&self, place: usize) -> f64 {
        LEFT + (place as f64 + 0.5) / self.machines.len() as f64 * (RIGHT - LEFT)
    }

    /// Of how many versions one is named: all, where there is room.
    fn step(&self) -> usize {
        (self.machines.len() as f64 * NAME / (RIGHT - LEFT)).ceil().max(1.0) as usize
    }

    /// The places of versions that follow each other on one machine.
    fn stretches(&self) -> Vec<Vec<usize>> {
        let places: Vec<usize> = (0..self.machines.len()).collect();
        let same = |one: &usize, other: &usize| self.machines[*one] == self.machines[*other];
        places.chunk_by(same).map(<[usize]>::to_vec).collect()
    }
}

pub(crate) fn draw(history: &HistoryOfFigures, language: Language) -> Scene {
    let (said, all) = (words::of(language), words(language));
    let ends = [history.versions.first(), history.versions.last()];
    let ends = ends.map(|version| version.map_or("", LadderVersion::digits));
    let source = format!("output/reference/ladder.json | {} {} - {}", all.commit, ends[0], ends[1]);
    let mut scene = Scene::new(HEIGHT, said.title, said.subtitle, &source);
    let speeds = history.versions.iter().flat_map(|version| version.orders_per_s.values());
    let up = LogAxis::around(speeds.flat_map(|speed| [speed.min, speed.max]), BOTTOM, TOP);
    let plan = Plan { history, machines: history.machines(), up };
    for tick in up.ticks() {
        scene.line(&[(LEFT, up.at(tick)), (RIGHT, up.at(tick))], 1.0, Paint::Grid);
        let label = count_text(tick, language);
        scene.text((LEFT - 8.0, up.at(tick) + 4.0), &label, 12.0, Anchor::End, Paint::Muted);
    }
    scene.text((MARGIN, TOP - 32.0), all.per_second, 12.0, Anchor::Start, Paint::Muted);
    versions(&mut scene, &plan);
    chapters(&mut scene, &plan);
    let mut figures = Vec::new();
    for (place, version) in history.versions.iter().enumerate() {
        let Some(fastest) = version.fastest() else { continue };
        if place.is_multiple_of(plan.step()) {
            let at = (plan.across(place), up.at(fastest) - 14.0);
            scene.text(at, &count_text(fastest, language), 11.0, Anchor::Middle, Paint::Ink);
        }
        figures.push(format!("{} {} {}", version.digits(), said.fastest, rate_text(fastest, language)));
    }
    scene.description = describe(said.title, &figures, language);
    scene
}

/// Each version's commit below, and the machines' letters above, with a dashed line between two machines.
fn versions(scene: &mut Scene, plan: &Plan<'_>) {
    for (place, version) in plan.history.versions.iter().enumerate().step_by(plan.step()) {
        let digits: String = version.digits().chars().take(7).collect();
        scene.text((plan.across(place), BOTTOM + 20.0), &digits, 11.0, Anchor::Middle, Paint::Muted);
    }
    for stretch in plan.stretches() {
        let (first, last) = (stretch[0], stretch[stretch.len() - 1]);
        let middle = (plan.across(first) + plan.across(last)) / 2.0;
        let letter = char::from(b'A' + (plan.machines[first] % 26) as u8);
        scene.text((middle, TOP - 32.0), &letter.to_string(), 13.0, Anchor::Middle, Paint::Muted);
        if first > 0 {
            let between = (plan.across(first - 1) + plan.across(first)) / 2.0;
            scene.dashes((between, TOP - 44.0), (between, BOTTOM), 1.0, Paint::Solid(palette::NOISE));
        }
    }
}

/// The chapters' lines, and their names at the ends.
fn chapters(scene: &mut Scene, plan: &Plan<'_>) {
    let Some(last) = plan.history.versions.last() else { return };
    let mut names: Vec<(f64, Vec<&str>)> = Vec::new();
    for (place, (chapter, ending)) in last.orders_per_s.iter().enumerate() {
        let paint = palette::chapter(place);
        for stretch in plan.stretches() {
            let speeds = stretch
                .iter()
                .filter_map(|at| Some((plan.across(*at), plan.history.versions[*at].orders_per_s.get(chapter)?)));
            let mut line = Vec::new();
            for (x, speed) in speeds {
                scene.line(&[(x, plan.up.at(speed.min)), (x, plan.up.at(speed.max))], 1.0, paint);
                scene.dot(x, plan.up.at(speed.median), 4.0, paint);
                line.push((x, plan.up.at(speed.median)));
            }
            if line.len() > 1 {
                scene.line(&line, 2.0, paint);
            }
        }
        let (number, y) = (chapter.split('-').next().unwrap_or_default(), plan.up.at(ending.median));
        match names.iter_mut().find(|(other, _)| (other - y).abs() < NAME_APART) {
            Some((_, shared)) => shared.push(number),
            None => names.push((y, vec![number])),
        }
    }
    for (y, shared) in names {
        let name = match shared.as_slice() {
            [first, .., last] => format!("{first} - {last}"),
            alone => alone.concat(),
        };
        scene.text((RIGHT + 8.0, y + 4.0), &name, 12.0, Anchor::Start, Paint::Ink);
    }
}
