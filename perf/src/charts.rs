//! Draws what was measured: each chart as SVG (for the book, in light and dark themes) and as PNG
//! (for everywhere else), in English and in Chinese. A chart is first laid out as a list of shapes
//! (`scene`), then written by `plotters` in both formats (`render`). The same record gives the same
//! SVG, byte for byte.

mod axis;
mod gain;
mod latency;
mod palette;
mod percentiles;
mod render;
mod scale;
mod scene;
mod stages;
mod sweep;
mod text;
mod throughput;
mod usl;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::PerfError;
use crate::language::Language;
use crate::machine::Machine;
use crate::record::{Flow, LadderRecord, Spread};
use scene::Scene;
pub use usl::{UslFit, fit_usl};

/// Where a chart's figures come from: the line under it.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The machine, in short: [`Machine::summary`].
    pub machine: String,
    /// The commit that was built.
    pub commit: String,
    /// What was run.
    pub flow: Flow,
}

impl Source {
    /// The source of figures from `machine` at `commit`.
    pub fn new(machine: &Machine, commit: &str, flow: &Flow) -> Self {
        Self { machine: machine.summary(), commit: commit.into(), flow: flow.clone() }
    }

    /// The machine comes last: it is the longest, and a line that is too long is cut at its end.
    fn line(&self, language: Language) -> String {
        let words = words::words(language);
        let Self { machine, commit, flow } = self;
        let mut name = flow.input.as_ref().unwrap_or(&flow.name).clone();
        if let Some(seed) = flow.seed {
            name = format!("{name}{}{} {seed}", language.pick(", ", "，"), words.seed);
        }
        format!("{} {commit} | {} {name} | {machine}", words.commit, words.flow)
    }
}

/// One open-loop run of one chapter.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyRun {
    /// The chapter's folder name.
    pub chapter: String,
    /// The rate at which commands arrived, per second.
    pub offered_per_s: f64,
    /// The rate at which they were acknowledged, per second.
    pub achieved_per_s: f64,
    /// `(percentile, nanoseconds)` in rising order; percentiles from 0 to below 100.
    pub points: Vec<(f64, f64)>,
    /// The slowest order, in nanoseconds.
    pub max_ns: f64,
    /// Where the figures come from.
    pub source: Source,
}

/// What one batch size did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepPoint {
    /// Commands in a batch, at most.
    pub batch: u64,
    /// Durable orders per second.
    pub orders_per_s: f64,
    /// Latency to durable acknowledgement, 99th percentile, in nanoseconds.
    pub p99_ns: f64,
}

/// One chapter over several batch sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepRun {
    /// The chapter's folder name.
    pub chapter: String,
    /// In rising order of batch size.
    pub points: Vec<SweepPoint>,
    /// Where the figures come from.
    pub source: Source,
}

/// What one number of shards did.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalePoint {
    /// Shards.
    pub shards: u32,
    /// Durable orders per second.
    pub orders_per_s: Spread,
}

/// One chapter over several numbers of shards.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaleRun {
    /// The chapter's folder name.
    pub chapter: String,
    /// In rising order of shards.
    pub points: Vec<ScalePoint>,
    /// Where the figures come from.
    pub source: Source,
}

/// Draws the four charts of a ladder into `dir`: throughput, stages, gain, latency. Returns the
/// files written.
///
/// # Errors
/// [`PerfError::Unusable`] without a chapter, [`PerfError::Disk`] when a file cannot be written.
pub fn ladder_charts(record: &LadderRecord, dir: &Path) -> Result<Vec<PathBuf>, PerfError> {
    if record.chapters.is_empty() {
        return Err(PerfError::Unusable("the record has no chapter to draw; run the ladder".into()));
    }
    let mut files = write("throughput", dir, |language| throughput::draw(record, language))?;
    files.extend(write("stages", dir, |language| stages::draw(record, language))?);
    files.extend(write("gain", dir, |language| gain::draw(record, language))?);
    files.extend(write("latency", dir, |language| percentiles::draw(record, language))?);
    Ok(files)
}

/// Draws one open-loop run as `{name}.en.svg` and so on: latency by percentile.
///
/// # Errors
/// [`PerfError::Unusable`] when there is nothing to draw, [`PerfError::Disk`] when a file cannot be
/// written.
pub fn latency_chart(run: &LatencyRun, name: &str, dir: &Path) -> Result<Vec<PathBuf>, PerfError> {
    let usable = |&(percentile, ns): &(f64, f64)| (0.0..100.0).contains(&percentile) && ns > 0.0;
    demand(!run.points.is_empty() && run.points.iter().all(usable), "a percentile from 0 to below 100 with its time")?;
    write(name, dir, |language| latency::draw(run, language))
}

/// Draws a sweep of batch sizes as `{name}.en.svg` and so on: throughput against latency.
///
/// # Errors
/// As [`latency_chart`].
pub fn sweep_chart(run: &SweepRun, name: &str, dir: &Path) -> Result<Vec<PathBuf>, PerfError> {
    let usable = |point: &SweepPoint| point.orders_per_s > 0.0 && point.p99_ns > 0.0;
    demand(!run.points.is_empty() && run.points.iter().all(usable), "a batch size with its throughput and latency")?;
    write(name, dir, |language| sweep::draw(run, language))
}

/// Draws throughput by shards as `{name}.en.svg` and so on, with the Universal Scalability Law
/// where three or more points allow a fit.
///
/// # Errors
/// As [`latency_chart`].
pub fn scale_chart(run: &ScaleRun, name: &str, dir: &Path) -> Result<Vec<PathBuf>, PerfError> {
    let usable = |point: &ScalePoint| point.shards > 0 && point.orders_per_s.min > 0.0;
    demand(!run.points.is_empty() && run.points.iter().all(usable), "a number of shards with its throughput")?;
    write(name, dir, |language| scale::draw(run, language))
}

fn demand(is_so: bool, what: &str) -> Result<(), PerfError> {
    if is_so {
        return Ok(());
    }
    Err(PerfError::Unusable(format!("the chart needs at least {what}; the measurement failed, run it again")))
}

fn write(name: &str, dir: &Path, draw: impl Fn(Language) -> Scene) -> Result<Vec<PathBuf>, PerfError> {
    fs::create_dir_all(dir).map_err(|error| PerfError::disk("create the folder", dir, &error))?;
    let mut files = Vec::with_capacity(4);
    for language in Language::ALL {
        let scene = draw(language);
        let svg = dir.join(format!("{name}.{}.svg", language.tag()));
        fs::write(&svg, render::svg(&scene, name, language)).map_err(|error| PerfError::disk("write", &svg, &error))?;
        let png = dir.join(format!("{name}.{}.png", language.tag()));
        render::png(&scene, &png)?;
        files.extend([svg, png]);
    }
    Ok(files)
}

/// The source line of a ladder record.
fn source_of(record: &LadderRecord, language: Language) -> String {
    Source::new(&record.machine, &record.commit, &record.flow).line(language)
}

/// The description of a chart: its title and a figure a chapter.
fn describe(title: &str, figures: &[String], language: Language) -> String {
    let [between, end] = words::words(language).list;
    let colon = language.pick(": ", "：");
    format!("{title}{colon}{}{end}", figures.join(between))
}

#[cfg(test)]
mod tests;
