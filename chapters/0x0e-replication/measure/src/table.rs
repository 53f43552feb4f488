//! The record for people.

use load::cells::{figures_right, table};
use results::language::Language;

use crate::record::ReplicasRecord;

/// All tables.
pub fn text(record: &ReplicasRecord, language: Language) -> String {
    let zh = language == Language::Chinese;
    let say = |en: &'static str, zh_words: &'static str| if zh { zh_words } else { en };
    let ms = |ns: f64| format!("{:.2}", ns / 1e6);
    let mut sizes = table(&["ms", say("sync p50", "落盘 p50"), "p99", say("append p50", "追加 p50"), "p99", "MB/s"]);
    for size in &record.sizes {
        let times = [size.sync_p50_ns, size.sync_p99_ns, size.append_p50_ns, size.append_p99_ns].map(ms);
        let rate = format!("{:.1}", size.per_s / 1e6);
        sizes.add_row([size.name.clone()].into_iter().chain(times).chain([rate]));
    }
    let mut throughput =
        table(&[say("durable", "何时算数"), say("orders a second", "每秒订单数"), say("of one machine", "与单机之比")]);
    for one in &record.throughput {
        throughput.add_row([one.name.clone(), format!("{:.0}", one.per_s.median), format!("{:.2}", one.ratio.median)]);
    }
    let mut late = table(&[
        "ms",
        say("answered a second", "每秒答复数"),
        "p50",
        "p99",
        "p99.9",
        say("the load itself, p99", "压测端自己 p99"),
    ]);
    for one in &record.late {
        let times = [one.p50_ns, one.p99_ns, one.p999_ns, one.given_p99_ns].map(ms);
        late.add_row([one.name.clone(), format!("{:.0}", one.achieved_per_s)].into_iter().chain(times));
    }
    let mut takeovers = table(&["ms", say("median", "中位数"), say("shortest", "最短"), say("longest", "最长")]);
    for one in &record.takeovers {
        let times = [one.ns.median, one.ns.min, one.ns.max].map(ms);
        takeovers.add_row([one.name.clone()].into_iter().chain(times));
    }
    [sizes, throughput, late, takeovers].map(|table| format!("{}\n", figures_right(table))).concat()
}
