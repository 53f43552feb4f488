//! What each step gains in two trees: a row for each step, a dot for each tree with the interval from its
//! pairs.

use catalogue::{Catalogue, Chapter};

use super::axis::{LogAxis, range};
use super::palette;
use super::scene::{MARGIN, Paint, Scene, WIDTH};
use super::source::source;
use super::throughput::{name_column, row_name, value_axis};
use super::words::{chapter_name, describe, words};
use crate::language::Language;
use crate::pairs::Factor;
use crate::record::{Pair, RaceRecord, RacedChapter, RacedRound};
use crate::spread::Spread;
use crate::units::factor_text;

const LEGEND_TOP: f64 = 78.0;
const TOP: f64 = 112.0;
const ROW: f64 = 46.0;
/// Each interval by itself holds the truth 19 times out of 20.
const ERROR: f64 = 0.05;

/// A step whose chapters were both raced: the later one, and its gain in the base and in the current tree.
pub(crate) type Step<'a> = (&'a RacedChapter, [Factor; 2]);

/// The steps between chapters that were raced, with at least seven rounds each.
pub(crate) fn steps<'a>(record: &'a RaceRecord, chapters: &Catalogue) -> Vec<Step<'a>> {
    let raced = |chapter: &Chapter| record.chapters.iter().find(|raced| raced.chapter == chapter.folder);
    let step = |(before, after): (&Chapter, &Chapter)| {
        let (before, after) = (raced(before)?, raced(after)?);
        let base = gain(before, after, |pair| pair.base.get("throughput_ops"))?;
        let current = gain(before, after, |pair| pair.current.get("throughput_ops"))?;
        Some((after, [base, current]))
    };
    chapters.steps().filter_map(step).collect()
}

/// A chapter's throughput divided by that of the one before. Their runs in one round are close in time, but not
/// paired one by one: so each round counts once, with its median.
fn gain(before: &RacedChapter, after: &RacedChapter, of: impl Fn(&Pair) -> Option<&f64>) -> Option<Factor> {
    let median = |round: &RacedRound| {
        let runs: Option<Vec<f64>> = round.throughput.iter().map(|pair| of(pair).copied()).collect();
        Some(Spread::of(&runs?)?.median)
    };
    let ratio = |(before, after): (&RacedRound, &RacedRound)| Some(median(after)? / median(before)?);
    let ratios: Option<Vec<f64>> = before.rounds.iter().zip(&after.rounds).map(ratio).collect();
    Factor::of(&ratios?, ERROR)
}

pub(crate) fn draw(record: &RaceRecord, steps: &[Step<'_>], chapters: &Catalogue, language: Language) -> Scene {
    let words = words(language);
    let bottom = TOP + ROW * steps.len() as f64;
    let commits = format!("{} | {}", record.base, record.current);
    let source = source(&record.machine, &commits, &record.flow, language);
    let mut scene = Scene::new(bottom + 74.0, words.race_title, words.race_subtitle, &source);
    let sides = [(palette::NOISE, words.base), (palette::GAIN, words.current)];
    scene.legend(MARGIN, LEGEND_TOP, &sides.map(|(colour, name)| (Paint::Solid(colour), name)));

    let names: Vec<_> = steps.iter().map(|(after, _)| chapter_name(&after.chapter, chapters, language)).collect();
    let left = name_column(&names);
    let (low, high) = range(steps.iter().flat_map(|(_, gains)| gains.iter().flat_map(|gain| [gain.low, gain.high])));
    let axis = LogAxis::new(low.min(1.0) * 0.8, high.max(10.0) * 1.1, left, WIDTH - MARGIN - 140.0);
    value_axis(&mut scene, &axis, (TOP, bottom), words.race_axis, |value| format!("×{value}"));
    let mut figures = Vec::new();
    for (place, ((_, gains), name)) in steps.iter().zip(&names).enumerate() {
        let middle = TOP + ROW * (place as f64 + 0.5);
        row_name(&mut scene, name, left, middle);
        for ((gain, (colour, side)), y) in gains.iter().zip(sides).zip([middle - 8.0, middle + 8.0]) {
            let paint = Paint::Solid(colour);
            scene.line(&[(axis.at(gain.low), y), (axis.at(gain.high), y)], 3.0, paint);
            scene.dot(axis.at(gain.estimate), y, 5.0, paint);
            figures.push(format!("{} {} {side} {}", name.0, name.1, factor_text(gain.estimate)));
        }
        let [base, current] = gains.map(|gain| factor_text(gain.estimate));
        let end = WIDTH - MARGIN - 128.0;
        scene.text((end, middle + 5.0), &format!("{base} → {current}"), 13.0, super::scene::Anchor::Start, Paint::Ink);
    }
    scene.description = describe(words.race_title, &figures, language);
    scene
}
