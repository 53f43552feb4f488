//! The source of a chart's figures: the line under it.

use super::words::words;
use crate::language::Language;
use crate::machine::Machine;
use crate::record::{FeedRecord, Flow, LadderRecord};
use crate::units::rate_text;

/// The source of figures from `machine` at `commit`. The machine comes last: it is the longest, and a line that is
/// too long is cut at its end.
pub(crate) fn source(machine: &Machine, commit: &str, flow: &Flow, language: Language) -> String {
    let words = words(language);
    let mut name = flow.input.as_ref().unwrap_or(&flow.name).clone();
    if let Some(seed) = flow.seed {
        name = format!("{name}{}{} {seed}", words.comma, words.seed);
    }
    format!("{} {commit} | {} {name} | {}", words.commit, words.flow, machine.summary())
}

/// The source of figures that do not come from a flow.
pub(crate) fn source_plain(machine: &Machine, commit: &str, language: Language) -> String {
    format!("{} {commit} | {}", words(language).commit, machine.summary())
}

/// The source of a ladder's figures.
pub(crate) fn source_of(record: &LadderRecord, language: Language) -> String {
    source(&record.machine, &record.commit, &record.flow, language)
}

/// The source of figures of readers, with commands offered at a fixed rate.
pub(crate) fn source_offered(record: &FeedRecord, language: Language) -> String {
    let words = words(language);
    let rate = rate_text(record.offered_per_s as f64, language);
    format!("{} {} | {} {rate} | {}", words.commit, record.commit, words.offered, record.machine.summary())
}
