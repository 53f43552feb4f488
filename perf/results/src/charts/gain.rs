//! What each step gains: a waterfall on a log scale, where equal heights are equal factors. A step
//! whose rounds overlap with those of the step before is drawn as no difference, not as a gain.

use catalogue::Catalogue;

use super::axis::{LogAxis, range};
use super::scene::{Anchor, MARGIN, Paint, Scene, WIDTH};
use super::source::source_of;
use super::words::{chapter_name, describe, words};
use super::{palette, text};
use crate::language::Language;
use crate::record::{LadderRecord, Spread};
use crate::units::{count_text, factor_text};

pub(super) const LEGEND_TOP: f64 = 78.0;
pub(super) const TOP: f64 = 136.0;
pub(super) const BOTTOM: f64 = 420.0;
pub(super) const HEIGHT: f64 = 512.0;

pub(crate) fn draw(record: &LadderRecord, chapters: &Catalogue, language: Language) -> Scene {
    let words = words(language);
    let mut scene = Scene::new(HEIGHT, words.gain_title, words.gain_subtitle, &source_of(record, language));
    let legend = [
        (palette::GAIN, words.gain),
        (palette::LOSS, words.loss),
        (palette::NOISE, words.noise),
        (palette::TOTAL, words.total),
    ];
    scene.legend(MARGIN, LEGEND_TOP, &legend.map(|(colour, name)| (Paint::Solid(colour), name)));

    let rungs = &record.chapters;
    let first = rungs[0].orders_per_s.median;
    let levels: Vec<f64> = rungs.iter().map(|chapter| chapter.orders_per_s.median / first).collect();
    let (low, high) = range(levels.iter().copied());
    let axis = LogAxis::new(low * 0.6, high.max(10.0) * 1.2, BOTTOM, TOP);
    let left = MARGIN + 56.0;
    for tick in axis.ticks() {
        let y = axis.at(tick);
        scene.line(&[(left, y), (WIDTH - MARGIN, y)], 1.0, Paint::Grid);
        let label =
            if tick < 1.0 { format!("×{tick}") } else { factor_text(tick).replace(".00", "").replace(".0", "") };
        scene.text((left - 8.0, y + 4.0), &label, 12.0, Anchor::End, Paint::Muted);
    }
    let columns = Columns { left, width: (WIDTH - MARGIN - left) / (rungs.len() + 1) as f64 };
    draw_start(&mut scene, &columns, axis.at(1.0), &count_text(first, language));
    let mut figures = Vec::new();
    for place in 0..rungs.len() {
        let (number, name) = chapter_name(&rungs[place].chapter, chapters, language);
        columns.name(&mut scene, place, &number, &name);
        if place == 0 {
            continue;
        }
        let (before, after) = (&rungs[place - 1].orders_per_s, &rungs[place].orders_per_s);
        let factor = after.median / before.median;
        let colour = colour_of(before, after);
        let ends = (axis.at(levels[place - 1]), axis.at(levels[place]));
        columns.step(&mut scene, place, ends, colour, &factor_text(factor));
        figures.push(format!("{number} {name} {}", factor_text(factor)));
    }
    let total = levels[levels.len() - 1];
    columns.step(&mut scene, rungs.len(), (axis.at(1.0), axis.at(total)), palette::TOTAL, &factor_text(total));
    columns.name(&mut scene, rungs.len(), words.total, "");
    figures.push(format!("{} {}", words.total, factor_text(total)));
    scene.description = describe(words.gain_title, &figures, language);
    scene
}

/// A gain or a loss only when all rounds of one are beyond all rounds of the other.
fn colour_of(before: &Spread, after: &Spread) -> [u8; 3] {
    if after.min > before.max {
        palette::GAIN
    } else if after.max < before.min {
        palette::LOSS
    } else {
        palette::NOISE
    }
}

/// The first chapter has no step: a line at ×1 with its throughput.
fn draw_start(scene: &mut Scene, columns: &Columns, y: f64, label: &str) {
    let (from, to) = columns.bar(0);
    scene.line(&[(from, y), (to, y)], 3.0, palette::chapter(0));
    scene.text((f64::midpoint(from, to), y - 9.0), label, 13.0, Anchor::Middle, Paint::Ink);
}

/// Where the columns stand.
struct Columns {
    left: f64,
    width: f64,
}

impl Columns {
    /// The left and right edge of a column's bar.
    fn bar(&self, place: usize) -> (f64, f64) {
        let middle = self.left + self.width * (place as f64 + 0.5);
        let half = (self.width * 0.32).min(32.0);
        (middle - half, middle + half)
    }

    /// A bar from one level to the next, its factor beyond its end, and a thin line back to the
    /// column before.
    fn step(&self, scene: &mut Scene, place: usize, (from, to): (f64, f64), colour: [u8; 3], label: &str) {
        let (left, right) = self.bar(place);
        if colour != palette::TOTAL {
            let before = self.bar(place - 1).1;
            scene.line(&[(before, from), (left, from)], 1.0, Paint::Solid(palette::NOISE));
        }
        // A step of almost nothing is still a visible line.
        let (top, bottom) = (from.min(to), from.max(to));
        let spare = (3.0 - (bottom - top)).max(0.0) / 2.0;
        scene.bar([left, top - spare, right, bottom + spare], Paint::Solid(colour));
        let baseline = if to > from + 3.0 { bottom + 17.0 } else { top - spare - 8.0 };
        scene.text((f64::midpoint(left, right), baseline), label, 14.0, Anchor::Middle, Paint::Ink);
    }

    /// A column's number and, in up to two lines, its name.
    fn name(&self, scene: &mut Scene, place: usize, number: &str, name: &str) {
        let middle = self.left + self.width * (place as f64 + 0.5);
        scene.text((middle, BOTTOM + 20.0), number, 13.0, Anchor::Middle, Paint::Muted);
        let lines = two_lines(name, |line| text::width(line, 12.0) * 1.15 <= self.width);
        for (row, line) in lines.iter().enumerate() {
            let at = (middle, BOTTOM + 37.0 + 15.0 * row as f64);
            scene.text(at, &text::fit(line, 12.0, self.width), 12.0, Anchor::Middle, Paint::Ink);
        }
    }
}

/// Breaks `name` after as many words as fit; the rest is the second line.
fn two_lines(name: &str, fits: impl Fn(&str) -> bool) -> [&str; 2] {
    let breaks = name.match_indices(' ').map(|(place, _)| place).chain([name.len()]);
    let end = breaks.filter(|&end| fits(&name[..end])).last().unwrap_or(name.len());
    [&name[..end], name[end..].trim_start()]
}
