//! From a chapter's rounds to its place in the record.

use market::engine::Stage;
use results::error::MeasureError;
use results::figures::round;
use results::record::{ChapterRecord, Latency, Round, Spread, Stages};

use super::rung::Rung;

/// The rounds of a chapter, summed up by their medians.
pub fn chapter_record(rung: &Rung) -> Result<ChapterRecord, MeasureError> {
    let rounds: Vec<Round> =
        rung.rounds.iter().map(|figures| round(figures, &rung.run.chapter.folder)).collect::<Result<_, _>>()?;
    let median = |of: &dyn Fn(&Round) -> Option<f64>| -> Option<f64> {
        let values: Option<Vec<f64>> = rounds.iter().map(of).collect();
        Spread::of(&values?).map(|spread| spread.median)
    };
    let latency = |of: fn(&Latency) -> u64| median(&|round| Some(of(&round.latency_ns?) as f64)).map(|ns| ns as u64);
    let latency_ns = (|| {
        Some(Latency {
            offered_per_s: rung.rate as f64,
            p50: latency(|l| l.p50)?,
            p99: latency(|l| l.p99)?,
            p999: latency(|l| l.p999)?,
            max: latency(|l| l.max)?,
        })
    })();
    let stage = |stage: Stage| median(&|round| Some(round.stages_ns?.of(stage)));
    let stages_ns = Stages::from_each(|of| stage(of).ok_or(())).ok();
    let threads = rounds.first().map(|round| round.processor_ns.keys()).into_iter().flatten();
    let of_thread = |name: &String| Some((name.clone(), median(&|round| round.processor_ns.get(name).copied())?));
    let processor_ns = threads.filter_map(of_thread).collect();
    let per_s: Vec<f64> = rounds.iter().map(|round| round.orders_per_s).collect();
    let none = || MeasureError::Unusable(format!("{} has no rounds", rung.run.chapter.folder));
    Ok(ChapterRecord {
        chapter: rung.run.chapter.folder.clone(),
        shards: rung.run.shards,
        orders: rounds.iter().map(|round| round.orders).min().unwrap_or(0),
        trades: rounds.iter().map(|round| round.trades).min().unwrap_or(0),
        orders_per_s: Spread::of(&per_s).ok_or_else(none)?,
        latency_ns,
        stages_ns,
        processor_ns,
        rounds,
    })
}
