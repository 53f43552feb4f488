//! The record for people.

use comfy_table::Table;
use load::cells::{figures_right, table};
use results::language::Language;

use crate::record::{Cost, Inside, Load, PathRecord, Stage};

/// All tables.
pub fn text(record: &PathRecord, language: Language) -> String {
    let zh = language == Language::Chinese;
    let say = |en: &'static str, zh_words: &'static str| if zh { zh_words } else { en };
    let mut text = String::new();
    for load in &record.loads {
        text.push_str(&format!("{}\n{}\n", load.name, stages(load, say)));
    }
    let mut costs = table(&[
        say("orders a second", "每秒订单数"),
        say("no stamps", "无时间戳"),
        say("1 in 64", "64 取 1"),
        say("all", "全部"),
        say("1 in 64, of none", "64 取 1 之比"),
        say("all, of none", "全部之比"),
    ]);
    for Cost { name, none_per_s, some_per_s, all_per_s, some, all, .. } in &record.costs {
        let per_s = [none_per_s, some_per_s, all_per_s].map(|spread| format!("{:.0}", spread.median));
        let [none, one, every] = per_s;
        costs.add_row([name.clone(), none, one, every, format!("{:.3}", some.median), format!("{:.3}", all.median)]);
    }
    text.push_str(&format!("{}\n", figures_right(costs)));
    if let Some(Inside { some_ns, all_ns }) = &record.inside {
        let words = say("stamps for one request, on one thread, ns", "一个请求的时间戳，在一个线程上，ns");
        text.push_str(&format!("{words}: {:.0} (1 in 64), {:.0}\n", some_ns.median, all_ns.median));
    }
    text
}

fn stages(load: &Load, say: impl Fn(&'static str, &'static str) -> &'static str) -> Table {
    let mut rows = table(&["µs", say("mean", "平均"), "p50", "p99", say("slowest 1 %", "最慢 1 %")]);
    let us = |ns: f64| format!("{:.1}", ns / 1e3);
    let row = |Stage { name, mean_ns, p50_ns, p99_ns, slowest_ns, .. }: &Stage| {
        [name.clone(), us(*mean_ns), us(*p50_ns), us(*p99_ns), us(*slowest_ns)]
    };
    for stage in load.stages.iter().chain([&load.whole]) {
        rows.add_row(row(stage));
    }
    let sums = [say("sum of stages", "各阶段之和").to_owned(), us(load.means_ns), String::new(), us(load.p99s_ns)];
    rows.add_row(sums);
    for stage in load.client.iter().take(load.client.len().saturating_sub(1)) {
        rows.add_row(row(stage));
    }
    let notice = load.notice.as_ref().map_or([0.0; 2], |notice| [notice.p50_ns, notice.p99_ns]);
    for (name, [p50, p99]) in [
        (say("client", "客户端"), [load.client_p50_ns, load.client_p99_ns]),
        (say("other side", "对方"), notice),
        (say("engine alone", "只有引擎"), [load.bare_p50_ns, load.bare_p99_ns]),
    ] {
        if p99 > 0.0 {
            rows.add_row([name.to_owned(), String::new(), us(p50), us(p99)]);
        }
    }
    figures_right(rows)
}
