//! The output of a race.

use comfy_table::{CellAlignment, Table, presets};
use results::language::Language;
use results::pairs::Factor;
use results::record::{RaceRecord, RacedChapter, Spread};
use results::units::{duration_text, grouped};

use super::figures::{Figure, all};
use super::verdict::{Judgement, judge};

/// Every figure that was raced, with its interval and its verdict.
pub fn table(record: &RaceRecord) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["chapter", "rounds", "figure", "base", "current", "change", "from", "to", "verdict"]);
    for chapter in &record.chapters {
        for figure in figures_of(chapter) {
            let [base, current] = medians(chapter, &figure).map(|median| match figure.more_is_better {
                true => grouped(median),
                false => duration_text(median, Language::English),
            });
            let factor = chapter.factors.get(&figure.key).copied().flatten();
            let percent = |factor: f64| format!("{:+.1} %", 100.0 * (factor - 1.0));
            let end = |of: fn(Factor) -> f64| factor.map_or("-".into(), |factor| percent(of(factor)));
            let middle = factor.map_or_else(|| middle_ratio(chapter, &figure), |factor| factor.estimate);
            table.add_row([
                chapter.chapter.clone(),
                chapter.rounds.len().to_string(),
                figure.name.clone(),
                base,
                current,
                percent(middle),
                end(|factor| factor.low),
                end(|factor| factor.high),
                words(factor, &figure, record.margin),
            ]);
        }
    }
    for column in table.column_iter_mut().skip(3).take(5) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A chapter's headline figure: what is known about it, and its judgement.
pub struct Headline<'r> {
    /// The chapter's folder name.
    pub chapter: &'r str,
    /// Which figure.
    pub figure: Figure,
    /// Current ÷ base; `None` if there were too few pairs.
    pub factor: Option<Factor>,
    /// The verdict.
    pub judgement: Judgement,
}

/// The headline figures of all chapters.
pub fn headlines(record: &RaceRecord) -> Vec<Headline<'_>> {
    let mut headlines = Vec::new();
    for chapter in &record.chapters {
        for figure in figures_of(chapter).into_iter().filter(|figure| figure.headline) {
            let factor = chapter.factors.get(&figure.key).copied().flatten();
            let judgement = judge(factor, figure.more_is_better, record.margin);
            headlines.push(Headline { chapter: &chapter.chapter, figure, factor, judgement });
        }
    }
    headlines
}

fn figures_of(chapter: &RacedChapter) -> Vec<Figure> {
    all().into_iter().filter(|figure| chapter.factors.contains_key(&figure.key)).collect()
}

/// The median of the base's runs and that of the current ones.
fn medians(chapter: &RacedChapter, figure: &Figure) -> [f64; 2] {
    let median = |values: Vec<f64>| Spread::of(&values).map_or(0.0, |spread| spread.median);
    [
        median(chapter.pairs().filter_map(|pair| pair.base.get(&figure.key).copied()).collect()),
        median(chapter.pairs().filter_map(|pair| pair.current.get(&figure.key).copied()).collect()),
    ]
}

/// The median of the pairs' ratios, if there are too few for more.
fn middle_ratio(chapter: &RacedChapter, figure: &Figure) -> f64 {
    let ratios = chapter.ratios(&figure.key).unwrap_or_default();
    Spread::of(&ratios).map_or(1.0, |spread| spread.median)
}

fn words(factor: Option<Factor>, figure: &Figure, margin: f64) -> String {
    let none_larger = factor.map_or(0.0, |factor| 100.0 * factor.largest_change());
    match judge(factor, figure.more_is_better, margin) {
        Judgement::NotJudged => "not judged".into(),
        Judgement::Worse => "WORSE".into(),
        Judgement::Better => "better".into(),
        Judgement::Within => "differs, but by less than matters".into(),
        Judgement::Same => format!("no difference seen, and none larger than {none_larger:.1} %"),
    }
}
