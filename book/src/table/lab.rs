//! `{{table lab names}}`: an experiment of the lab, each cell with its median and the spread of its rounds.
//!
//! An experiment has cases and variants; whichever are more become the rows, so that the table stays narrow.

use crate::format::duration;
use crate::html::escape;
use crate::lang::Lang;
use crate::sources::Sources;
use crate::table::cells::{caption, pair, row, wrap};
use results::record::{ExperimentRecord, LabRecord};
use results::words::Words;

/// The table of an experiment in `lab.json`, the reader's own figures under the reference ones.
pub(super) fn table(s: &Sources, lang: Lang, experiment: &str) -> Result<String, String> {
    let record: LabRecord = s.reference.load()?;
    let entry = find(&record, experiment).ok_or_else(|| {
        let known: Vec<&str> = record.experiments.iter().map(|entry| entry.name.as_str()).collect();
        format!("the lab's record has no experiment `{experiment}` (there are: {})", known.join(", "))
    })?;
    let own: Option<LabRecord> = s.own.load().ok().filter(|own| find(own, experiment).is_some());
    let (corner, heads, rows) = body(entry, own.as_ref().and_then(|own| find(own, experiment)), lang)?;
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    Ok(wrap(&caption(&record, own.as_ref(), lang), &corner, &heads, &rows))
}

fn find<'r>(record: &'r LabRecord, experiment: &str) -> Option<&'r ExperimentRecord> {
    record.experiments.iter().find(|entry| entry.name == experiment)
}

/// The corner's words, the columns' heads and the rows.
fn body(
    entry: &ExperimentRecord,
    own: Option<&ExperimentRecord>,
    lang: Lang,
) -> Result<(String, Vec<String>, String), String> {
    let first = entry.cases.first().ok_or_else(|| format!("the lab's experiment `{}` has no cases", entry.name))?;
    let cases: Vec<Named<'_>> = entry.cases.iter().map(|case| (case.name.as_str(), &case.label)).collect();
    let variants: Vec<Named<'_>> =
        first.variants.iter().map(|variant| (variant.name.as_str(), &variant.label)).collect();
    let cases_are_rows = cases.len() >= variants.len();
    let (down, across) = if cases_are_rows { (&cases, &variants) } else { (&variants, &cases) };
    let mut rows = String::new();
    for (down, label) in down {
        let cells = across.iter().map(|(across, _)| {
            let (case, variant) = if cases_are_rows { (down, across) } else { (across, down) };
            let own = own.map(|own| cell(own, case, variant, lang).unwrap_or_default());
            pair(cell(entry, case, variant, lang).as_deref(), own.as_deref(), lang)
        });
        rows += &row(&said(label, lang), &cells.collect::<String>());
    }
    let per = said(&entry.per, lang);
    let corner = lang.pick(format!("time for {per}"), format!("{per}的耗时"));
    Ok((corner, across.iter().map(|(_, label)| said(label, lang)).collect(), rows))
}

/// The name in the record and the words for people.
type Named<'r> = (&'r str, &'r Words);

fn said(words: &Words, lang: Lang) -> String {
    escape(lang.pick(&words.en, &words.zh))
}

/// A median, and under it the least and the most of the rounds.
fn cell(experiment: &ExperimentRecord, case: &str, variant: &str, lang: Lang) -> Option<String> {
    let case = experiment.cases.iter().find(|entry| entry.name == case)?;
    let ns = &case.variants.iter().find(|entry| entry.name == variant)?.ns;
    let [median, least, most] = [ns.median, ns.min, ns.max].map(|ns| duration(ns, 2));
    let to = lang.pick(" to ", " 至 ");
    Some(format!("{median}<span class=\"spread\">{least}{to}{most}</span>"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::record::{CaseRecord, Spread, VariantRecord};
    use results::words::words;

    fn entry(cases: usize, variants: usize) -> ExperimentRecord {
        let named = |letter: char, n: usize| words(format!("{letter}{n}"), format!("{letter}{n}"));
        let ns = || Spread::of(&[1.0, 2.0, 3.0]).expect("three rounds");
        let variant = |n| VariantRecord { name: format!("v{n}"), label: named('v', n), ns: ns() };
        let case = |n| CaseRecord {
            name: format!("c{n}"),
            label: named('c', n),
            figures: Default::default(),
            variants: (0..variants).map(variant).collect(),
        };
        ExperimentRecord {
            name: "e".into(),
            title: words("E", "E"),
            per: words("an order", "每单"),
            cases: (0..cases).map(case).collect(),
            left_out: vec![],
        }
    }

    #[test]
    fn the_longer_list_goes_down() {
        let heads = |entry: ExperimentRecord| body(&entry, None, Lang::En).expect("a table").1;
        assert_eq!(heads(entry(3, 2)), ["v0", "v1"]);
        assert_eq!(heads(entry(1, 4)), ["c0"]);
    }

    #[test]
    fn a_cell_has_its_spread_and_the_readers_own_figure() {
        let entry = entry(1, 1);
        let (corner, _, rows) = body(&entry, Some(&entry), Lang::En).expect("a table");
        assert_eq!(corner, "time for an order");
        assert_eq!(rows.matches("class=\"spread\"").count(), 2);
        assert!(rows.contains("yours"), "{rows}");
    }

    #[test]
    fn an_experiment_without_cases_is_an_error() {
        assert!(body(&entry(0, 0), None, Lang::En).is_err());
    }
}
