//! An experiment's table on the terminal.

use comfy_table::{Cell, CellAlignment, Table, presets};
use results::language::Language;
use results::record::Spread;
use results::units::{duration_text, factor_text};

use results::record::ExperimentRecord;

/// The table, under the question and above what was left out.
pub fn text(record: &ExperimentRecord, language: Language) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(language.pick(
        ["case", "variant", "median", "min to max", "× the first"],
        ["情形", "做法", "中位数", "最小至最大", "与第一种之比"],
    ));
    let time = |ns: f64| duration_text(ns, language);
    for case in &record.cases {
        for (at, variant) in case.variants.iter().enumerate() {
            let Spread { median, min, max, .. } = variant.ns;
            let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
            table.add_row([
                Cell::new(if at == 0 { case.label.pick(language) } else { "" }),
                Cell::new(variant.label.pick(language)),
                right(time(median)),
                right(format!("{} {} {}", time(min), language.pick("to", "至"), time(max))),
                right(verdict(&case.variants[0].ns, &variant.ns, language)),
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

/// How many times as long as the first. Rounds that overlap, or lie closer together than five per cent, show nothing.
fn verdict(first: &Spread, other: &Spread, language: Language) -> String {
    let factor = other.median / first.median;
    let overlap = other.min <= first.max && first.min <= other.max;
    match first != other && (overlap || (factor - 1.0).abs() < 0.05) {
        true => language.pick("no difference seen", "未见差别").into(),
        false => factor_text(factor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_inside_the_noise_is_none() {
        let spread = |rounds: [f64; 3]| Spread::of(&rounds).expect("numbers");
        let said = |rounds| verdict(&spread([10.0, 11.0, 12.0]), &spread(rounds), Language::English);
        assert_eq!(said([20.0, 22.0, 24.0]), "×2.00");
        assert_eq!(said([11.5, 13.0, 14.0]), "no difference seen");
        assert_eq!(said([12.1, 12.1, 12.1]), "×1.10");
        assert_eq!(said([10.0, 11.0, 12.0]), "×1.00");
    }
}
