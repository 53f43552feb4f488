//! `{{table lab names}}`: an experiment of the lab, each cell with its median and the spread of its rounds.
//!
//! An experiment has cases and variants; the longer list becomes the rows, so that the table stays narrow.

use crate::format::Format;
use crate::html::escape;
use crate::sources::Sources;
use crate::table::cells::{Cells, row, spread};
use results::language::Language;
use results::record::{ExperimentRecord, LabRecord};
use results::words::Words;

/// The table of an experiment in `lab.json`, the reader's own figures under the reference ones.
pub(super) fn table(s: &Sources, lang: Language, experiment: &str) -> Result<String, String> {
    let record: LabRecord = s.reference.load()?;
    let entry = record.experiments.iter().find(|entry| entry.name == experiment).ok_or_else(|| {
        let known: Vec<&str> = record.experiments.iter().map(|entry| entry.name.as_str()).collect();
        format!("the lab's record has no experiment `{experiment}` (there are: {})", known.join(", "))
    })?;
    let cells = Cells::new::<LabRecord>(s, lang, &format!("experiments[name={experiment}]"));
    let cell = |path: &str| cells.cell(&spread(path, Format::Time { unit_ns: 1, digits: 2 }));
    let (corner, heads, rows) = body(entry, cell, lang)?;
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    Ok(cells.wrap(&cells.caption(), &corner, &heads, &rows))
}

/// The corner's text, the columns' heads and the rows; `cell` makes one from the path of its spread.
fn body(
    entry: &ExperimentRecord,
    cell: impl Fn(&str) -> String,
    lang: Language,
) -> Result<(String, Vec<String>, String), String> {
    let first = entry.cases.first().ok_or_else(|| format!("the lab's experiment `{}` has no cases", entry.name))?;
    let cases: Vec<Named<'_>> = entry.cases.iter().map(|case| (case.name.as_str(), &case.label)).collect();
    let variants: Vec<Named<'_>> =
        first.variants.iter().map(|variant| (variant.name.as_str(), &variant.label)).collect();
    let cases_are_rows = cases.len() >= variants.len();
    let (down, across) = if cases_are_rows { (&cases, &variants) } else { (&variants, &cases) };
    let mut rows = String::new();
    for (down, label) in down {
        let row_cells = across.iter().map(|(across, _)| {
            let (case, variant) = if cases_are_rows { (down, across) } else { (across, down) };
            cell(&format!("lab:experiments[name={}].cases[name={case}].variants[name={variant}].ns", entry.name))
        });
        rows += &row(&said(label, lang), &row_cells.collect::<String>());
    }
    let per = said(&entry.per, lang);
    let corner = lang.pick(format!("time for {per}"), format!("{per}的耗时"));
    Ok((corner, across.iter().map(|(_, label)| said(label, lang)).collect(), rows))
}

/// The name in the record and the words for people.
type Named<'r> = (&'r str, &'r Words);

fn said(words: &Words, lang: Language) -> String {
    escape(lang.pick(&words.en, &words.zh))
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

    /// A cell that shows its path.
    fn cell(path: &str) -> String {
        path.to_owned()
    }

    #[test]
    fn the_longer_list_goes_down() {
        let heads = |entry: ExperimentRecord| body(&entry, cell, Language::English).expect("a table").1;
        assert_eq!(heads(entry(3, 2)), ["v0", "v1"]);
        assert_eq!(heads(entry(1, 4)), ["c0"]);
    }

    #[test]
    fn a_cell_is_found_by_its_case_and_variant_whichever_goes_down() {
        let (corner, _, rows) = body(&entry(1, 2), cell, Language::English).expect("a table");
        assert_eq!(corner, "time for an order");
        let path = |variant| format!("lab:experiments[name=e].cases[name=c0].variants[name={variant}].ns");
        assert!(rows.contains(&format!("<th scope=\"row\">v1</th>{}", path("v1"))), "{rows}");
        let (_, _, rows) = body(&entry(3, 1), cell, Language::English).expect("a table");
        assert!(rows.contains(&format!("<th scope=\"row\">c0</th>{}", path("v0"))), "{rows}");
    }

    #[test]
    fn an_experiment_without_cases_is_an_error() {
        assert!(body(&entry(0, 0), cell, Language::English).is_err());
    }
}
