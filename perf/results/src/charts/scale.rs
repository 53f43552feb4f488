//! Throughput by shards, with the law that limits it: contention bends the line, coherency turns it
//! down again.

use catalogue::Catalogue;

use super::axis::LinearAxis;
use super::palette;
use super::scene::{Anchor, MARGIN, Paint, Scene, WIDTH};
use super::source::source;
use super::words::{describe, titled, words};
use crate::language::Language;
use crate::record::ScaleRecord;
use crate::units::{count_text, rate_text};
use crate::usl::{UslFit, fit_usl};

pub(super) const HEIGHT: f64 = 510.0;
pub(super) const LEGEND_TOP: f64 = 78.0;
pub(super) const TOP: f64 = 138.0;
pub(super) const BOTTOM: f64 = 424.0;

pub(crate) fn draw(run: &ScaleRecord, chapters: &Catalogue, language: Language) -> Scene {
    let words = words(language);
    let title = titled(words.scale_title, &run.chapter, chapters, language);
    let mut scene =
        Scene::new(HEIGHT, &title, words.scale_subtitle, &source(&run.machine, &run.commit, &run.flow, language));
    let medians: Vec<_> = run.shards.iter().map(|point| (f64::from(point.shards), point.orders_per_s.median)).collect();
    let fit = fit_usl(&medians);
    let mut entries = vec![(Paint::Solid(palette::MEASURED), words.measured)];
    let law = fit.map(|fit| law_text(&fit, language));
    if let Some(law) = &law {
        entries.push((Paint::Solid(palette::FITTED), law));
    }
    entries.push((Paint::Solid(palette::NOISE), words.ideal));
    scene.legend(MARGIN, LEGEND_TOP, &entries);

    let most = medians.iter().map(|point| point.0).fold(1.0, f64::max);
    let fastest = run.shards.iter().map(|point| point.orders_per_s.max).fold(0.0, f64::max);
    let (left, right) = (MARGIN + 72.0, WIDTH - MARGIN - 44.0);
    let across = |shards: f64| left + shards / (most + 0.5) * (right - left);
    let up = LinearAxis::new(fastest * 1.08, BOTTOM, TOP);
    for tick in up.ticks() {
        scene.line(&[(left, up.at(tick)), (right, up.at(tick))], 1.0, Paint::Grid);
        let label = count_text(tick, language);
        scene.text((left - 8.0, up.at(tick) + 4.0), &label, 12.0, Anchor::End, Paint::Muted);
    }
    for &(shards, _) in &medians {
        scene.text((across(shards), BOTTOM + 20.0), &format!("{shards}"), 12.0, Anchor::Middle, Paint::Muted);
    }
    scene.text((right, BOTTOM + 42.0), words.shards_axis, 12.0, Anchor::End, Paint::Muted);
    scene.text((MARGIN, TOP - 16.0), words.per_second, 12.0, Anchor::Start, Paint::Muted);

    // Perfect scaling leaves the picture at the top.
    let alone = fit.map_or(medians[0].1 / medians[0].0, |fit| fit.lambda);
    let end = most.min(up.high() / alone);
    let ideal_end = (across(end), up.at(end * alone));
    scene.dashes((across(0.0), up.at(0.0)), ideal_end, 1.5, Paint::Solid(palette::NOISE));
    if let Some(fit) = fit {
        let at = |step: u32| most * f64::from(step) / 120.0;
        let curve: Vec<_> = (0..=120).map(at).map(|n| (across(n), up.at(fit.throughput(n)))).collect();
        scene.line(&curve, 2.0, Paint::Solid(palette::FITTED));
    }
    let mut figures = Vec::new();
    for point in &run.shards {
        let (x, speed) = (across(f64::from(point.shards)), &point.orders_per_s);
        let label = count_text(speed.median, language);
        scene.line(&[(x, up.at(speed.min)), (x, up.at(speed.max))], 1.5, Paint::Solid(palette::MEASURED));
        scene.dot(x, up.at(speed.median), 5.0, Paint::Solid(palette::MEASURED));
        scene.text((x + 8.0, up.at(speed.min) + 18.0), &label, 13.0, Anchor::Start, Paint::Ink);
        figures.push(format!("{}: {}", point.shards, rate_text(speed.median, language)));
    }
    figures.extend(law);
    scene.description = describe(&title, &figures, language);
    scene
}

fn law_text(fit: &UslFit, language: Language) -> String {
    let words = words(language);
    let percent = |share: f64| format!("{:.2} %", share * 100.0);
    format!(
        "{}{}{} {}{}{} {}",
        words.fitted,
        words.colon,
        words.contention,
        percent(fit.alpha),
        words.comma,
        words.coherency,
        percent(fit.beta)
    )
}
