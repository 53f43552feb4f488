//! `race --times`: how far one race can be trusted, measured by racing often.

use std::collections::BTreeMap;
use std::path::PathBuf;

use results::error::MeasureError;
use results::machine;
use results::record::{RaceRecord, RacedOnce, RacesRecord, Record, SeriesRecord};

use super::table::headlines;
use super::verdict::Judgement;

/// A series of races, and the record that it is in.
pub struct Series {
    /// The record.
    pub path: PathBuf,
    name: String,
    /// The other series of the record.
    others: Vec<SeriesRecord>,
    /// This one, as the record has it.
    own: Option<SeriesRecord>,
    /// Whether a race was added since it was opened.
    is_begun: bool,
}

impl Series {
    /// Opens the series of this name in the record at `path`, if there is one.
    ///
    /// # Errors
    /// When there is a file that is not such a record.
    pub fn open(name: &str, path: PathBuf) -> Result<Series, MeasureError> {
        let kept = if path.exists() { RacesRecord::load(&path)?.series } else { Vec::new() };
        let (mut own, others): (Vec<_>, Vec<_>) = kept.into_iter().partition(|series| series.name == name);
        Ok(Series { path, name: name.to_owned(), others, own: own.pop(), is_begun: false })
    }

    /// Adds a race, writes the record, and returns the line that says how the race ended. An existing series of this
    /// name is replaced if it is of other commits or chapters, or of another machine.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub fn keep(&mut self, race: &RaceRecord) -> Result<String, MeasureError> {
        let new = SeriesRecord::of(&self.name, race);
        let goes_on = |own: &SeriesRecord| self.is_begun || own.goes_on_as(&new);
        let mut series = self.own.take().filter(goes_on).unwrap_or(new);
        series.add(ended(race));
        let line = line(&series);
        let all = self.others.iter().cloned().chain([series.clone()]).collect();
        (self.own, self.is_begun) = (Some(series), true);
        RacesRecord { machine: race.machine.clone(), commit: machine::commit(), series: all }.save(&self.path)?;
        Ok(line)
    }
}

/// The entry of a race in its series.
fn ended(race: &RaceRecord) -> RacedOnce {
    let mut once = RacedOnce { seconds: race.seconds, worse: BTreeMap::new(), estimates: BTreeMap::new() };
    for headline in headlines(race) {
        let (chapter, key) = (headline.chapter.to_owned(), headline.figure.key);
        if headline.judgement == Judgement::Worse {
            once.worse.entry(chapter.clone()).or_default().push(key.clone());
        }
        if let Some(factor) = headline.factor {
            once.estimates.entry(chapter).or_default().insert(key, factor.estimate);
        }
    }
    once
}

/// How the last race of a series ended, and how many of all ended as worse.
fn line(series: &SeriesRecord) -> String {
    let Some(last) = series.races.last() else { return String::new() };
    let worse = last.worse.iter().flat_map(|(chapter, figures)| {
        figures.iter().map(move |figure| {
            let change = last.estimates.get(chapter).and_then(|of| of.get(figure)).map_or(0.0, |factor| factor - 1.0);
            format!("{chapter} {figure} {:+.1} %", 100.0 * change)
        })
    });
    let worse: Vec<String> = worse.collect();
    let how = if worse.is_empty() { "nothing worse".into() } else { format!("WORSE: {}", worse.join(", ")) };
    format!(
        "race {} in {:.0} s: {how}; {} of {} ended as worse",
        series.raced, last.seconds, series.worse, series.raced
    )
}
