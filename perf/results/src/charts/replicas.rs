//! How long a frame takes, by its size: a sync on one disk, and an append to a stream that three servers keep.

use super::curves::{self, Across, Curve, Point};
use super::palette;
use super::scene::Scene;
use super::source::source_plain;
use super::words::words;
use crate::language::Language;
use crate::record::{FrameSizeRecord, ReplicasRecord};

/// A KiB, in bytes.
pub(super) const KIB: f64 = 1024.0;

/// What is done with a frame: its colour, its name, and its p50 and p99.
type Deed = ([u8; 3], &'static str, [fn(&FrameSizeRecord) -> f64; 2]);

pub(crate) fn sizes(record: &ReplicasRecord, language: Language) -> Scene {
    let words = words(language);
    let deeds: [Deed; 2] = [
        (palette::LOSS, words.replicas.append, [|size| size.append_p50_ns, |size| size.append_p99_ns]),
        (palette::MEASURED, words.replicas.sync, [|size| size.sync_p50_ns, |size| size.sync_p99_ns]),
    ];
    let curves = deeds.map(|(colour, name, percentiles)| {
        [0, 1].map(|place| {
            let points = record.sizes.iter().map(|size| Point::steady(kib(size), percentiles[place](size), false));
            let name = format!("{name}{}{}", words.comma, words.percentiles[place]);
            Curve { colour, name, is_dashed: place == 1, points: points.collect() }
        })
    });
    let along = Across { title: words.replicas.size_axis, counts: record.sizes.iter().map(kib).collect() };
    let titles = [words.replicas.title, words.replicas.subtitle];
    curves::draw(
        &source_plain(&record.machine, &record.commit, language),
        titles,
        &along,
        curves.as_flattened(),
        language,
    )
}

fn kib(size: &FrameSizeRecord) -> f64 {
    size.bytes as f64 / KIB
}
