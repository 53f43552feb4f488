//! Where an order's time goes: each chapter's stages as shares of one bar, and all of them together
//! in nanoseconds beside it, because the shares alone would hide how much shorter the total became.

use catalogue::Catalogue;
use market::engine::Stage;

use super::scene::{Anchor, MARGIN, Paint, Scene, WIDTH};
use super::source::source_of;
use super::throughput::{name_column, row_name};
use super::words::{chapter_name, describe, words};
use super::{palette, text};
use crate::language::Language;
use crate::record::{LadderRecord, Stages};
use crate::units::duration_text;
use crate::words::stage_words;

pub(super) const LEGEND_TOP: f64 = 78.0;
pub(super) const ROW: f64 = 42.0;
pub(super) const BAR: f64 = 26.0;

pub(crate) fn draw(record: &LadderRecord, chapters: &Catalogue, language: Language) -> Scene {
    let words = words(language);
    let stage_names = Stage::ALL.map(|stage| stage_words(stage, language));
    let top = LEGEND_TOP + 32.0;
    let bottom = top + ROW * record.chapters.len() as f64;
    let mut scene = Scene::new(bottom + 60.0, words.stages_title, words.stages_subtitle, &source_of(record, language));
    let entries: Vec<_> =
        palette::STAGES.iter().zip(stage_names).map(|(&colour, name)| (Paint::Solid(colour), name)).collect();
    scene.legend(MARGIN, LEGEND_TOP, &entries);
    let names: Vec<_> =
        record.chapters.iter().map(|chapter| chapter_name(&chapter.chapter, chapters, language)).collect();
    let (left, right) = (name_column(&names), WIDTH - MARGIN - 118.0);
    for share in 0..=4 {
        let x = left + (right - left) * f64::from(share) / 4.0;
        scene.line(&[(x, top), (x, bottom)], 1.0, Paint::Grid);
        let label = format!("{} %", share * 25);
        scene.text((x, bottom + 18.0), &label, 12.0, Anchor::Middle, Paint::Muted);
    }
    let mut figures = Vec::new();
    for (place, (chapter, name)) in record.chapters.iter().zip(&names).enumerate() {
        let middle = top + ROW * (place as f64 + 0.5);
        row_name(&mut scene, name, left, middle);
        let Some(stages) = chapter.stages_ns.filter(|stages| stages.total() > 0.0) else {
            scene.text((left + 10.0, middle + 5.0), words.not_instrumented, 13.0, Anchor::Start, Paint::Muted);
            continue;
        };
        stack(&mut scene, &stages, (left, right), middle);
        let total = format!("{}{}", duration_text(stages.total(), language), words.per_order);
        scene.text((WIDTH - MARGIN, middle + 5.0), &total, 14.0, Anchor::End, Paint::Ink);
        figures.push(format!("{} {} {}", name.0, name.1, in_words(&stages, &stage_names, &total)));
    }
    scene.description = describe(words.stages_title, &figures, language);
    scene
}

/// One bar of stages, with the share in each that has space for it.
fn stack(scene: &mut Scene, stages: &Stages, (left, right): (f64, f64), middle: f64) {
    let mut start = left;
    for ((_, value), colour) in stages.iter().zip(palette::STAGES) {
        let share = value / stages.total();
        let end = start + share * (right - left);
        scene.bar([start, middle - BAR / 2.0, end, middle + BAR / 2.0], Paint::Solid(colour));
        let label = format!("{:.0} %", share * 100.0);
        if text::width(&label, 12.0) * 1.15 + 8.0 <= end - start {
            let at = (f64::midpoint(start, end), middle + 4.5);
            scene.text(at, &label, 12.0, Anchor::Middle, palette::text_on(colour));
        }
        start = end;
    }
}

fn in_words(stages: &Stages, names: &[&str], total: &str) -> String {
    let share = |(name, (_, value)): (&&str, (_, f64))| format!("{name} {:.0} %", 100.0 * value / stages.total());
    let shares: Vec<_> = names.iter().zip(stages.iter()).map(share).collect();
    format!("{total} ({})", shares.join(", "))
}
