//! Writes the charts of a record: each in both languages, as SVG and as PNG.

use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use catalogue::Catalogue;

use super::of_record::{self, Scenes, demand};
use super::run::LatencyRun;
use super::scene::Scene;
use super::{latency, race, render};
use crate::error::MeasureError;
use crate::language::Language;
use crate::record::{
    AnyPriceRecord, FeedRecord, LadderRecord, RaceRecord, RecoverRecord, ScaleRecord, SweepRecord, VenueRecord,
};

/// Draws the four charts of a ladder into `dir`: throughput, stages, gain, latency. Returns the
/// files written.
///
/// # Errors
/// [`MeasureError::Unusable`] without a chapter, [`MeasureError::Disk`] when a file cannot be written.
pub fn ladder_charts(record: &LadderRecord, chapters: &Catalogue, dir: &Path) -> Result<Vec<PathBuf>, MeasureError> {
    write_all(dir, |language| of_record::ladder(record, chapters, language))
}

/// Draws one open-loop run as `{name}.en.svg` and so on: latency by percentile.
///
/// # Errors
/// [`MeasureError::Unusable`] when there is nothing to draw, [`MeasureError::Disk`] when a file cannot be
/// written.
pub fn latency_chart(
    run: &LatencyRun,
    chapters: &Catalogue,
    name: &str,
    dir: &Path,
) -> Result<Vec<PathBuf>, MeasureError> {
    let usable = |&(percentile, ns): &(f64, f64)| (0.0..100.0).contains(&percentile) && ns > 0.0;
    demand(!run.points.is_empty() && run.points.iter().all(usable), "a percentile from 0 to below 100 with its time")?;
    write(name, dir, |language| latency::draw(run, chapters, language))
}

/// Draws a sweep of batch sizes as `sweep.en.svg` and so on: throughput against latency.
///
/// # Errors
/// As [`latency_chart`].
pub fn sweep_chart(record: &SweepRecord, chapters: &Catalogue, dir: &Path) -> Result<Vec<PathBuf>, MeasureError> {
    write_all(dir, |language| of_record::sweep(record, chapters, language))
}

/// Draws throughput by shards as `scale.en.svg` and so on, with the Universal Scalability Law
/// where three or more points allow a fit.
///
/// # Errors
/// As [`latency_chart`].
pub fn scale_chart(record: &ScaleRecord, chapters: &Catalogue, dir: &Path) -> Result<Vec<PathBuf>, MeasureError> {
    write_all(dir, |language| of_record::scale(record, chapters, language))
}

/// Draws what each step gains in both trees of a race as `race.en.svg` and so on. Nothing where no two neighbours were
/// raced, or too few pairs of them for an interval.
///
/// # Errors
/// [`MeasureError::Disk`] when a file cannot be written.
pub fn race_chart(record: &RaceRecord, chapters: &Catalogue, dir: &Path) -> Result<Vec<PathBuf>, MeasureError> {
    let steps = race::steps(record, chapters);
    if steps.is_empty() {
        return Ok(Vec::new());
    }
    write("race", dir, |language| race::draw(record, &steps, chapters, language))
}

/// Draws starts by the log's length as `recover.en.svg` and so on, and what orders wait for while snapshots are made as
/// `recover-pauses.en.svg` and so on.
///
/// # Errors
/// As [`latency_chart`].
pub fn recover_charts(record: &RecoverRecord, chapters: &Catalogue, dir: &Path) -> Result<Vec<PathBuf>, MeasureError> {
    write_all(dir, |language| of_record::recover(record, chapters, language))
}

/// Draws what an event costs the matching thread by the number of readers as `feed-event.en.svg` and so on, and how late
/// the last reader is as `feed-last.en.svg` and so on.
///
/// # Errors
/// As [`latency_chart`].
pub fn feed_charts(record: &FeedRecord, dir: &Path) -> Result<Vec<PathBuf>, MeasureError> {
    write_all(dir, |language| of_record::feed(record, language))
}

/// Draws the parts that were measured: orders a second by protocol as `venue-throughput.en.svg` and so on, waits as
/// `venue-late…`, engines as `venue-engines…`, connections as `venue-connections…`.
///
/// # Errors
/// [`MeasureError::Disk`] when a file cannot be written.
pub fn venue_charts(record: &VenueRecord, dir: &Path) -> Result<Vec<PathBuf>, MeasureError> {
    write_all(dir, |language| Ok(of_record::venue(record, language)))
}

/// Draws what a message costs as `any-price.en.svg` and so on.
///
/// # Errors
/// [`MeasureError::Unusable`] when no book ran over any flow, [`MeasureError::Disk`] when a file cannot be written.
pub fn any_price_chart(record: &AnyPriceRecord, dir: &Path) -> Result<Vec<PathBuf>, MeasureError> {
    write_all(dir, |language| of_record::any_price(record, language))
}

/// The charts of a record of `verb`, which `text` holds as JSON: each with its name, and as the SVG that is written.
///
/// # Errors
/// [`MeasureError::Unusable`] when the text is no such record, or there is nothing in it to draw.
pub fn drawings(
    verb: &str,
    text: &str,
    chapters: &Catalogue,
    language: Language,
) -> Result<Vec<(&'static str, String)>, MeasureError> {
    let scenes = of_record::all(verb, text, chapters, language)?;
    Ok(scenes.iter().map(|(name, scene)| (*name, render::svg(scene, name, language))).collect())
}

/// Every chart of a record, the languages in parallel: PNG files take a while.
fn write_all(
    dir: &Path,
    draw: impl Fn(Language) -> Result<Scenes, MeasureError> + Sync,
) -> Result<Vec<PathBuf>, MeasureError> {
    let write = |language| -> Result<Vec<PathBuf>, MeasureError> {
        let written: Result<Vec<_>, _> =
            draw(language)?.iter().map(|(name, scene)| write_one(name, dir, scene, language)).collect();
        Ok(written?.concat())
    };
    let written = thread::scope(|threads| {
        let others = Language::ALL.map(|language| threads.spawn(move || write(language)));
        others.map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    written.into_iter().try_fold(Vec::new(), |files, more| Ok([files, more?].concat()))
}

/// One chart in both languages.
pub(super) fn write(name: &str, dir: &Path, draw: impl Fn(Language) -> Scene) -> Result<Vec<PathBuf>, MeasureError> {
    let mut files = Vec::with_capacity(4);
    for language in Language::ALL {
        files.extend(write_one(name, dir, &draw(language), language)?);
    }
    Ok(files)
}

fn write_one(name: &str, dir: &Path, scene: &Scene, language: Language) -> Result<[PathBuf; 2], MeasureError> {
    fs::create_dir_all(dir).map_err(|error| MeasureError::disk("create the folder", dir, &error))?;
    let svg = dir.join(format!("{name}.{}.svg", language.tag()));
    fs::write(&svg, render::svg(scene, name, language)).map_err(|error| MeasureError::disk("write", &svg, &error))?;
    let png = dir.join(format!("{name}.{}.png", language.tag()));
    render::png(scene, &png)?;
    Ok([svg, png])
}
