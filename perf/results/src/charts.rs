//! Draws what was measured: each chart as SVG (for the book, in light and dark themes) and as PNG
//! (for everywhere else), in English and in Chinese. A chart is first laid out as a list of shapes
//! (`scene`), then written by `plotters` in both formats (`render`). The same record gives the same
//! SVG, byte for byte.

mod axis;
mod feed;
mod gain;
mod latency;
mod palette;
mod pauses;
mod percentiles;
mod race;
mod recover;
mod render;
mod run;
mod scale;
mod scene;
mod source;
mod stages;
mod sweep;
mod text;
mod throughput;
mod venue;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use catalogue::Catalogue;

use crate::error::MeasureError;
use crate::language::Language;
use crate::record::{
    BatchSize, FeedCaseRecord, FeedRecord, LadderRecord, RaceRecord, RecoverRecord, ScaleRecord, Shards, SweepRecord,
    VenueRecord,
};
pub use run::LatencyRun;
use scene::Scene;

/// Draws the four charts of a ladder into `dir`: throughput, stages, gain, latency. Returns the
/// files written.
///
/// # Errors
/// [`MeasureError::Unusable`] without a chapter, [`MeasureError::Disk`] when a file cannot be written.
pub fn ladder_charts(record: &LadderRecord, chapters: &Catalogue, dir: &Path) -> Result<Vec<PathBuf>, MeasureError> {
    if record.chapters.is_empty() {
        return Err(MeasureError::Unusable("the record has no chapter to draw; run the ladder".into()));
    }
    let mut files = write("throughput", dir, |language| throughput::draw(record, chapters, language))?;
    files.extend(write("stages", dir, |language| stages::draw(record, chapters, language))?);
    files.extend(write("gain", dir, |language| gain::draw(record, chapters, language))?);
    files.extend(write("latency", dir, |language| percentiles::draw(record, chapters, language))?);
    Ok(files)
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
    let usable = |size: &BatchSize| size.orders_per_s.median > 0.0 && size.p99_ns.median > 0.0;
    demand(
        !record.sizes.is_empty() && record.sizes.iter().all(usable),
        "a batch size with its throughput and latency",
    )?;
    write("sweep", dir, |language| sweep::draw(record, chapters, language))
}

/// Draws throughput by shards as `scale.en.svg` and so on, with the Universal Scalability Law
/// where three or more points allow a fit.
///
/// # Errors
/// As [`latency_chart`].
pub fn scale_chart(record: &ScaleRecord, chapters: &Catalogue, dir: &Path) -> Result<Vec<PathBuf>, MeasureError> {
    let usable = |point: &Shards| point.shards > 0 && point.orders_per_s.min > 0.0;
    demand(!record.shards.is_empty() && record.shards.iter().all(usable), "a number of shards with its throughput")?;
    write("scale", dir, |language| scale::draw(record, chapters, language))
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
    demand(!record.starts.is_empty(), "a log with its starts")?;
    demand(!record.pauses.is_empty(), "a way to make snapshots with its latencies")?;
    let mut files = write("recover", dir, |language| recover::draw(record, chapters, language))?;
    files.extend(write("recover-pauses", dir, |language| pauses::draw(record, chapters, language))?);
    Ok(files)
}

/// Draws what an event costs the matching thread by the number of readers as `feed-event.en.svg` and so on, and how late
/// the last reader is as `feed-last.en.svg` and so on.
///
/// # Errors
/// As [`latency_chart`].
pub fn feed_charts(record: &FeedRecord, dir: &Path) -> Result<Vec<PathBuf>, MeasureError> {
    demand(record.cases.iter().any(|case| case.mask.event_ns.is_some()), "a number of readers with an event's time")?;
    let is_late = |case: &FeedCaseRecord| case.mask.from_acknowledgement.p50_ms > 0.0;
    demand(record.cases.iter().any(is_late), "a command that was followed to the last reader")?;
    let mut files = write("feed-event", dir, |language| feed::event(record, language))?;
    files.extend(write("feed-last", dir, |language| feed::last(record, language))?);
    Ok(files)
}

/// Draws what was measured of: orders a second by protocol as `venue-throughput.en.svg` and so on, waits as `venue-late…`,
/// engines as `venue-engines…`, connections as `venue-connections…`.
///
/// # Errors
/// [`MeasureError::Disk`] when a file cannot be written.
pub fn venue_charts(record: &VenueRecord, dir: &Path) -> Result<Vec<PathBuf>, MeasureError> {
    let mut files = Vec::new();
    if let (Some(http), true) = (&record.http, record.stream.iter().any(|stream| stream.name == "echo")) {
        files.extend(write("venue-throughput", dir, |language| venue::throughput(record, http, language))?);
    }
    if record.late.iter().any(|late| late.p50_ms > 0.0) {
        files.extend(write("venue-late", dir, |language| venue::late(record, language))?);
    }
    if !record.engines.is_empty() {
        files.extend(write("venue-engines", dir, |language| venue::engines(record, language))?);
    }
    if let Some(connections) = record.connections.as_ref().filter(|connections| !connections.cases.is_empty()) {
        files.extend(write("venue-connections", dir, |language| venue::connections(record, connections, language))?);
    }
    Ok(files)
}

fn demand(is_so: bool, what: &str) -> Result<(), MeasureError> {
    if is_so {
        return Ok(());
    }
    Err(MeasureError::Unusable(format!("the chart needs at least {what}; the measurement failed, run it again")))
}

fn write(name: &str, dir: &Path, draw: impl Fn(Language) -> Scene) -> Result<Vec<PathBuf>, MeasureError> {
    fs::create_dir_all(dir).map_err(|error| MeasureError::disk("create the folder", dir, &error))?;
    let mut files = Vec::with_capacity(4);
    for language in Language::ALL {
        let scene = draw(language);
        let svg = dir.join(format!("{name}.{}.svg", language.tag()));
        fs::write(&svg, render::svg(&scene, name, language))
            .map_err(|error| MeasureError::disk("write", &svg, &error))?;
        let png = dir.join(format!("{name}.{}.png", language.tag()));
        render::png(&scene, &png)?;
        files.extend([svg, png]);
    }
    Ok(files)
}

#[cfg(test)]
mod tests;
