//! Thin bars in groups on a log scale: times, and by colour what they are the times of.

use super::axis::LogAxis;
use super::scene::{Anchor, MARGIN, Paint, Scene, WIDTH};
use super::text;
use super::throughput::value_axis;
use super::words::describe;
use crate::language::Language;
use crate::units::duration_text;

pub(super) const LEGEND_TOP: f64 = 78.0;
pub(super) const GROUPS_TOP: f64 = 112.0;
pub(super) const THIN: f64 = 12.0;

/// Thin bars under one name: the small text below it, and times in nanoseconds.
pub(super) struct Group {
    pub(super) name: String,
    pub(super) remark: String,
    pub(super) ns: Vec<f64>,
}

/// The groups, each with a bar for every one of `bars` that it has a time for.
pub(super) fn waits(
    source: &str,
    [title, subtitle]: [&str; 2],
    bars: &[(&str, [u8; 3])],
    groups: &[Group],
    language: Language,
) -> Scene {
    let most = groups.iter().map(|group| group.ns.len()).max().unwrap_or(0);
    let height = (THIN + 3.0) * most as f64 + 28.0;
    let bottom = GROUPS_TOP + height * groups.len() as f64;
    let mut scene = Scene::new(bottom + 60.0, title, subtitle, source);
    let entries: Vec<_> = bars.iter().map(|&(name, colour)| (Paint::Solid(colour), name)).take(most).collect();
    scene.legend(MARGIN, LEGEND_TOP, &entries);
    let left = column(groups.iter().map(|group| &group.name)).max(column(groups.iter().map(|group| &group.remark)));
    let all = groups.iter().flat_map(|group| group.ns.iter().map(|ns| ns.max(1.0)));
    let axis = LogAxis::around(all, left, WIDTH - MARGIN - 76.0);
    value_axis(&mut scene, &axis, (GROUPS_TOP, bottom), "", |ns| duration_text(ns, language));
    let mut figures = Vec::new();
    for (place, Group { name, remark, ns }) in groups.iter().enumerate() {
        let middle = GROUPS_TOP + height * (place as f64 + 0.5);
        scene.text((MARGIN, middle - 4.0), &text::fit(name, 13.0, left - MARGIN), 13.0, Anchor::Start, Paint::Ink);
        scene.text((MARGIN, middle + 16.0), &text::fit(remark, 11.0, left - MARGIN), 11.0, Anchor::Start, Paint::Muted);
        let mut top = middle - (THIN + 3.0) * ns.len() as f64 / 2.0;
        for (&ns, &(bar, colour)) in ns.iter().zip(bars) {
            let (end, label) = (axis.at(ns.max(1.0)), duration_text(ns, language));
            scene.bar([left, top, end, top + THIN], Paint::Solid(colour));
            scene.text((end + 8.0, top + THIN - 2.0), &label, 11.0, Anchor::Start, Paint::Ink);
            figures.push(format!("{name} ({remark}) {bar} {label}"));
            top += THIN + 3.0;
        }
    }
    scene.description = describe(title, &figures, language);
    scene
}

/// How wide the column of names is; the bars start after it.
pub(super) fn column<'n>(names: impl Iterator<Item = &'n String>) -> f64 {
    MARGIN + names.map(|name| text::width(name, 13.0) * 1.15).fold(60.0, f64::max).min(300.0) + 14.0
}
