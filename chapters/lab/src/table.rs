//! An experiment's table on the terminal.

use comfy_table::{Cell, CellAlignment, Table, presets};
use results::language::Language;
use results::pairs::Factor;
use results::record::Spread;
use results::units::{duration_text, factor_text};

use results::record::ExperimentRecord;

/// The table, between the question and what was left out.
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

/// How often the rounds alone may show a difference where there is none.
const ERROR: f64 = 0.05;

/// The smallest difference that matters here.
const MARGIN: f64 = 0.05;

/// How many times as long as the first, from the rounds: both ran in each.
fn verdict(first: &Spread, other: &Spread, language: Language) -> String {
    let middle = factor_text(other.median / first.median);
    match Factor::of_rounds(first, other, ERROR) {
        _ if first == other => middle,
        None => language.pick(format!("{middle}, not judged"), format!("{middle}，未判定")),
        Some(factor) if factor.matters(MARGIN) => factor_text(factor.estimate),
        Some(_) => language.pick("no difference seen", "未见差别").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_inside_the_noise_is_none() {
        let spread = |rounds: &[f64]| Spread::of(rounds).expect("numbers");
        let first = spread(&[10.0, 11.0, 12.0, 10.5, 11.5, 10.0, 12.0]);
        let said = |rounds: &[f64]| verdict(&first, &spread(rounds), Language::English);
        // The machine was slower in some rounds, for both.
        assert_eq!(said(&first.rounds.iter().map(|ns| 2.0 * ns).collect::<Vec<_>>()), "×2.00");
        assert_eq!(said(&first.rounds.iter().map(|ns| 1.1 * ns).collect::<Vec<_>>()), "×1.10");
        assert_eq!(said(&first.rounds.iter().map(|ns| 1.04 * ns).collect::<Vec<_>>()), "no difference seen");
        assert_eq!(said(&[11.5, 13.0, 14.0, 9.0, 13.0, 11.0, 13.0]), "no difference seen");
        assert_eq!(said(&first.rounds), "×1.00");
        assert_eq!(said(&[20.0, 22.0, 24.0]), "×2.00, not judged");
    }
}
