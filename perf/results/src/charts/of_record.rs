//! The charts of each kind of record, by their files' names: used by the code that writes them and by the test that
//! compares another drawing with them.

use catalogue::Catalogue;
use serde_json::Value;

use super::scene::Scene;
use super::{any_price, feed, gain, history_of_figures, once, path, pauses, percentiles, recover, replicas};
use super::{scale, stages, sweep, throughput, venue};
use crate::error::MeasureError;
use crate::language::Language;
use crate::record::{
    AnyPriceRecord, BatchSize, FeedCaseRecord, FeedRecord, FrameSizeRecord, HistoryOfFigures, LadderRecord, OnceRecord,
    PathRecord, Record, RecoverRecord, ReplicasRecord, ScaleRecord, Shards, SweepRecord, VenueRecord,
};

/// Charts by their files' names.
pub(super) type Scenes = Vec<(&'static str, Scene)>;

/// The records of a run that have charts, by the subcommands that write them.
pub const VERBS: [&str; 10] = [
    LadderRecord::VERB,
    ScaleRecord::VERB,
    SweepRecord::VERB,
    FeedRecord::VERB,
    RecoverRecord::VERB,
    VenueRecord::VERB,
    AnyPriceRecord::VERB,
    OnceRecord::VERB,
    PathRecord::VERB,
    ReplicasRecord::VERB,
];

/// The charts of a record of `verb`, which `text` holds as JSON: each with its name, and its shapes as JSON.
///
/// # Errors
/// [`MeasureError::Unusable`] when the text is no such record, or there is nothing in it to draw.
pub fn scenes(
    verb: &str,
    text: &str,
    chapters: &Catalogue,
    language: Language,
) -> Result<Vec<(&'static str, Value)>, MeasureError> {
    let shapes = |(name, scene): (&'static str, Scene)| match serde_json::to_value(scene) {
        Ok(shapes) => Ok((name, shapes)),
        Err(error) => Err(MeasureError::Unusable(format!("the chart {name} can't be said as JSON: {error}"))),
    };
    all(verb, text, chapters, language)?.into_iter().map(shapes).collect()
}

/// The charts of a record of `verb`, which `text` holds as JSON.
pub(super) fn all(verb: &str, text: &str, chapters: &Catalogue, language: Language) -> Result<Scenes, MeasureError> {
    match verb {
        LadderRecord::VERB => ladder(&LadderRecord::parse(text, verb)?, chapters, language),
        ScaleRecord::VERB => scale(&ScaleRecord::parse(text, verb)?, chapters, language),
        SweepRecord::VERB => sweep(&SweepRecord::parse(text, verb)?, chapters, language),
        FeedRecord::VERB => feed(&FeedRecord::parse(text, verb)?, language),
        RecoverRecord::VERB => recover(&RecoverRecord::parse(text, verb)?, chapters, language),
        VenueRecord::VERB => Ok(venue(&VenueRecord::parse(text, verb)?, language)),
        AnyPriceRecord::VERB => any_price(&AnyPriceRecord::parse(text, verb)?, language),
        OnceRecord::VERB => once(&OnceRecord::parse(text, verb)?, language),
        HistoryOfFigures::VERB => {
            let history = HistoryOfFigures::parse(text, verb)?;
            Ok(vec![(HistoryOfFigures::VERB, history_of_figures::draw(&history, language))])
        }
        PathRecord::VERB => path(&PathRecord::parse(text, verb)?, language),
        ReplicasRecord::VERB => replicas(&ReplicasRecord::parse(text, verb)?, language),
        _ => Err(MeasureError::Unusable(format!("`{verb}` has no charts; these have: {}", VERBS.join(", ")))),
    }
}

pub(super) fn ladder(record: &LadderRecord, chapters: &Catalogue, language: Language) -> Result<Scenes, MeasureError> {
    if record.chapters.is_empty() {
        return Err(MeasureError::Unusable("the record has no chapter to draw; run the ladder".into()));
    }
    Ok(vec![
        ("throughput", throughput::draw(record, chapters, language)),
        ("stages", stages::draw(record, chapters, language)),
        ("gain", gain::draw(record, chapters, language)),
        ("latency", percentiles::draw(record, chapters, language)),
    ])
}

pub(super) fn sweep(record: &SweepRecord, chapters: &Catalogue, language: Language) -> Result<Scenes, MeasureError> {
    let usable = |size: &BatchSize| size.orders_per_s.median > 0.0 && size.p99_ns.median > 0.0;
    demand(
        !record.sizes.is_empty() && record.sizes.iter().all(usable),
        "a batch size with its throughput and latency",
    )?;
    Ok(vec![("sweep", sweep::draw(record, chapters, language))])
}

pub(super) fn scale(record: &ScaleRecord, chapters: &Catalogue, language: Language) -> Result<Scenes, MeasureError> {
    let usable = |point: &Shards| point.shards > 0 && point.orders_per_s.min > 0.0;
    demand(!record.shards.is_empty() && record.shards.iter().all(usable), "a number of shards with its throughput")?;
    Ok(vec![("scale", scale::draw(record, chapters, language))])
}

pub(super) fn recover(
    record: &RecoverRecord,
    chapters: &Catalogue,
    language: Language,
) -> Result<Scenes, MeasureError> {
    demand(!record.starts.is_empty(), "a log with its starts")?;
    demand(!record.pauses.is_empty(), "a way to make snapshots with its latencies")?;
    Ok(vec![
        ("recover", recover::draw(record, chapters, language)),
        ("recover-pauses", pauses::draw(record, chapters, language)),
    ])
}

pub(super) fn feed(record: &FeedRecord, language: Language) -> Result<Scenes, MeasureError> {
    demand(record.cases.iter().any(|case| case.mask.event_ns.is_some()), "a number of readers with an event's time")?;
    let is_late = |case: &FeedCaseRecord| case.mask.from_acknowledgement.p50_ms > 0.0;
    demand(record.cases.iter().any(is_late), "a command that was followed to the last reader")?;
    Ok(vec![("feed-event", feed::event(record, language)), ("feed-last", feed::last(record, language))])
}

pub(super) fn any_price(record: &AnyPriceRecord, language: Language) -> Result<Scenes, MeasureError> {
    demand(record.flows.iter().any(|flow| !flow.engines.is_empty()), "a flow that a book ran over")?;
    Ok(vec![("any-price", any_price::messages(record, language))])
}

/// The parts that were measured.
pub(super) fn venue(record: &VenueRecord, language: Language) -> Scenes {
    let mut scenes = Vec::new();
    if let (Some(http), true) = (&record.http, record.stream.iter().any(|stream| stream.name == "echo")) {
        scenes.push(("venue-throughput", venue::throughput(record, http, language)));
    }
    if record.late.iter().any(|late| late.p50_ms > 0.0) {
        scenes.push(("venue-late", venue::late(record, language)));
    }
    if !record.engines.is_empty() {
        scenes.push(("venue-engines", venue::engines(record, language)));
    }
    if let Some(connections) = record.connections.as_ref().filter(|connections| !connections.cases.is_empty()) {
        scenes.push(("venue-connections", venue::connections(record, connections, language)));
    }
    scenes
}

pub(super) fn once(record: &OnceRecord, language: Language) -> Result<Scenes, MeasureError> {
    demand(!record.costs.is_empty(), "a way in which orders came")?;
    demand(!record.returning.is_empty(), "a reader that returned")?;
    demand(!record.naive.is_empty() && record.naive.iter().all(|way| way.asked > 0), "a way with its requests")?;
    Ok(vec![
        ("once-costs", once::costs(record, language)),
        ("once-returning", once::returning(record, language)),
        ("once-naive", once::naive(record, language)),
    ])
}

pub(super) fn path(record: &PathRecord, language: Language) -> Result<Scenes, MeasureError> {
    demand(record.loads.iter().all(|load| !load.stages.is_empty()), "a stage for each load")?;
    let Some(first) = record.loads.first() else {
        return demand(false, "a load").map(|()| Scenes::new());
    };
    Ok(vec![("path-stages", path::stages(record, first, language)), ("path-sums", path::sums(record, language))])
}

pub(super) fn replicas(record: &ReplicasRecord, language: Language) -> Result<Scenes, MeasureError> {
    let usable = |size: &FrameSizeRecord| {
        let times = [size.sync_p50_ns, size.sync_p99_ns, size.append_p50_ns, size.append_p99_ns];
        size.bytes > 0 && times.iter().all(|ns| *ns > 0.0)
    };
    demand(!record.sizes.is_empty() && record.sizes.iter().all(usable), "a frame's size with its times")?;
    Ok(vec![("replicas", replicas::sizes(record, language))])
}

pub(super) fn demand(is_so: bool, what: &str) -> Result<(), MeasureError> {
    if is_so {
        return Ok(());
    }
    Err(MeasureError::Unusable(format!("the chart needs at least {what}; the measurement failed, run it again")))
}
