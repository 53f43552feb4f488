//! From a chapter's rounds to its place in the record.

use super::Rung;
use crate::chapters::{Chapter, Figures, figure};
use crate::error::PerfError;
use crate::record::{ChapterRecord, Latency, Round, Spread, Stages};

/// The rounds of a chapter, summed up by their medians.
pub fn chapter_record(rung: &Rung) -> Result<ChapterRecord, PerfError> {
    let rounds: Vec<Round> =
        rung.rounds.iter().map(|figures| round(figures, &rung.chapter)).collect::<Result<_, _>>()?;
    let median = |of: &dyn Fn(&Round) -> Option<f64>| -> Option<f64> {
        let values: Option<Vec<f64>> = rounds.iter().map(of).collect();
        Spread::of(&values?).map(|spread| spread.median)
    };
    let latency = |of: fn(&Latency) -> u64| median(&|round| Some(of(&round.latency_ns?) as f64)).map(|ns| ns as u64);
    let stage = |of: fn(&Stages) -> f64| median(&|round| Some(of(&round.stages_ns?)));
    let latency_ns = (|| {
        Some(Latency {
            offered_per_s: rung.rate as f64,
            p50: latency(|l| l.p50)?,
            p99: latency(|l| l.p99)?,
            p999: latency(|l| l.p999)?,
            max: latency(|l| l.max)?,
        })
    })();
    let stages_ns = (|| {
        Some(Stages {
            log_append: stage(|s| s.log_append)?,
            log_sync: stage(|s| s.log_sync)?,
            balance_check: stage(|s| s.balance_check)?,
            matching: stage(|s| s.matching)?,
            settlement: stage(|s| s.settlement)?,
            ledger: stage(|s| s.ledger)?,
        })
    })();
    let per_s: Vec<f64> = rounds.iter().map(|round| round.orders_per_s).collect();
    let none = || PerfError::Unusable(format!("{} has no rounds", rung.chapter.name));
    Ok(ChapterRecord {
        chapter: rung.chapter.name.clone(),
        shards: rung.shards,
        orders: rounds.iter().map(|round| round.orders).min().unwrap_or(0),
        trades: rounds.iter().map(|round| round.trades).min().unwrap_or(0),
        orders_per_s: Spread::of(&per_s).ok_or_else(none)?,
        latency_ns,
        stages_ns,
        rounds,
    })
}

fn round(figures: &Figures, chapter: &Chapter) -> Result<Round, PerfError> {
    let get = |key: &str| figure(figures, key, chapter);
    let stages_ns = match figures.contains_key("matching_ns") {
        true => Some(Stages {
            log_append: get("log_append_ns")?,
            log_sync: get("log_sync_ns")?,
            balance_check: get("balance_check_ns")?,
            matching: get("matching_ns")?,
            settlement: get("settlement_ns")?,
            ledger: get("ledger_ns")?,
        }),
        false => None,
    };
    let latency_ns = match figures.contains_key("latency_p50_ns") {
        true => Some(Latency {
            offered_per_s: get("latency_offered_ops")?,
            p50: get("latency_p50_ns")? as u64,
            p99: get("latency_p99_ns")? as u64,
            p999: get("latency_p999_ns")? as u64,
            max: get("latency_max_ns")? as u64,
        }),
        false => None,
    };
    Ok(Round {
        orders: get("orders")? as u64,
        trades: get("trades")? as u64,
        orders_per_s: get("throughput_ops")?,
        latency_ns,
        latency_achieved_per_s: latency_ns.map(|_| get("latency_achieved_ops")).transpose()?,
        stages_ns,
    })
}
