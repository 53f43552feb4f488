//! An experiment's table on the terminal.

use comfy_table::{Cell, CellAlignment, Table, presets};
use perf::language::Language;
use perf::record::Spread;
use perf::units::{duration_text, factor_text};

use crate::record::ExperimentRecord;

/// The table, under the question and above what was left out.
pub fn text(record: &ExperimentRecord, language: Language) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(language.pick(
        ["case", "variant", "median", "min to max", "× the first"],
        ["情形", "做法", "中位数", "最小至最大", "与第一种之比"],
    ));
    let time = |ns: f64| duration_text(ns, language);
    for case in &record.cases {
        let first = case.variants.first().map_or(f64::NAN, |first| first.ns.median);
        for (at, variant) in case.variants.iter().enumerate() {
            let Spread { median, min, max, .. } = variant.ns;
            let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
            table.add_row([
                Cell::new(if at == 0 { case.label.pick(language) } else { "" }),
                Cell::new(variant.label.pick(language)),
                right(time(median)),
                right(format!("{} {} {}", time(min), language.pick("to", "至"), time(max))),
                right(factor_text(median / first)),
            ]);
        }
    }
    let (title, per) = (record.title.pick(language), record.per.pick(language));
    let mut text = match language {
        Language::English => format!("{}: {title} Time for {per}.\n{table}", record.name),
        Language::Chinese => format!("{}：{title}（{per}的耗时）\n{table}", record.name),
    };
    for left in &record.left_out {
        text += &language.pick(
            format!("\nleft out: {}: {}", left.name, left.reason.en),
            format!("\n未测：{}：{}", left.name, left.reason.zh),
        );
    }
    text
}
