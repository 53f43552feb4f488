//! Where the time of an order goes: in each stage, over all orders and over the slowest; and which sums hold.

use super::bars::{Group, waits};
use super::palette;
use super::scene::Scene;
use super::source::source_plain;
use super::words::{Words, words};
use crate::language::Language;
use crate::record::{PathLoadRecord, PathRecord, PathStageRecord};
use crate::units::rate_text;

/// A load in words. A protocol that the charts do not know is called as the record calls it.
fn named(load: &PathLoadRecord, words: &Words, language: Language) -> String {
    let protocol = load.name.split('-').next().unwrap_or_default();
    let known = ["http", "websocket"].iter().position(|name| *name == protocol);
    let protocol = known.map_or(protocol, |at| words.path.protocols[at]);
    format!("{protocol}{}{}", words.comma, rate_text(load.offered_per_s, language))
}

/// The stages of a load's orders: the mean over all of them, and over the slowest hundredth.
pub(crate) fn stages(record: &PathRecord, load: &PathLoadRecord, language: Language) -> Scene {
    let words = words(language);
    let group = |stage: &PathStageRecord| {
        let known = words.path.stages.iter().find(|[name, _]| *name == stage.name);
        let remark = known.map_or("", |[_, remark]| remark).into();
        Group { name: stage.name.clone(), remark, ns: vec![stage.mean_ns, stage.slowest_ns] }
    };
    let groups: Vec<_> = load.stages.iter().map(group).collect();
    let bars: Vec<_> = words.path.orders.into_iter().zip([palette::MEASURED, palette::LOSS]).collect();
    let subtitle = format!("{}{}{}", named(load, words, language), words.comma, words.path.stages_subtitle);
    let titles = [words.path.stages_title, &subtitle];
    waits(&source_plain(&record.machine, &record.commit, language), titles, &bars, &groups, language)
}

/// For each load the means and the 99th percentiles: the stages added up, and the whole.
pub(crate) fn sums(record: &PathRecord, language: Language) -> Scene {
    let words = words(language);
    let two = |load: &PathLoadRecord| {
        let group = |remark: &str, ns| Group { name: named(load, words, language), remark: remark.into(), ns };
        let [mean, p99] = words.path.figures;
        [group(mean, vec![load.means_ns, load.whole.mean_ns]), group(p99, vec![load.p99s_ns, load.whole.p99_ns])]
    };
    let groups: Vec<_> = record.loads.iter().flat_map(two).collect();
    let bars: Vec<_> = words.path.sums.into_iter().zip([palette::FITTED, palette::MEASURED]).collect();
    let titles = [words.path.sums_title, words.path.sums_subtitle];
    waits(&source_plain(&record.machine, &record.commit, language), titles, &bars, &groups, language)
}
