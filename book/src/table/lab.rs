//! `{{table lab names}}`: an experiment of the lab, each cell with its median and the spread of its rounds.
//!
//! An experiment has cases and variants; whichever are more become the rows, so that the table stays narrow.

use crate::format::duration;
use crate::html::escape;
use crate::lang::Lang;
use crate::pointer::Pointer;
use crate::sources::Sources;
use crate::table::cells::{caption, pair, wrap};
use serde_json::Value;

/// The table of an experiment in `lab.json`, the reader's own figures under the reference ones.
pub(super) fn table(s: &Sources, lang: Lang, experiment: &str) -> Result<String, String> {
    let path = format!("lab:experiments[{experiment}]");
    let pointer = Pointer::parse(&path)?;
    let entry = s.reference.value(&pointer)?;
    let own = s.own.value(&pointer).ok();
    let (corner, heads, rows) = body(&entry, own.as_ref(), lang)?;
    let record = s.reference.record("lab")?;
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let own = own.and_then(|_| s.own.record("lab").ok());
    let caption =
        [caption(&record, lang, false), own.map(|own| caption(&own, lang, true)).unwrap_or_default()].concat();
    Ok(wrap(&caption, &corner, &heads, &rows))
}

/// The corner's words, the columns' heads and the rows.
fn body(entry: &Value, own: Option<&Value>, lang: Lang) -> Result<(String, Vec<String>, String), String> {
    let lacks = || format!("output/reference/lab.json: an experiment lacks its cases or their variants: {entry}");
    let cases = names(&entry["cases"], lang).filter(|cases| !cases.is_empty()).ok_or_else(lacks)?;
    let variants = names(&entry["cases"][0]["variants"], lang).ok_or_else(lacks)?;
    let cases_are_rows = cases.len() >= variants.len();
    let (down, across) = if cases_are_rows { (&cases, &variants) } else { (&variants, &cases) };
    let mut rows = String::new();
    for (row, label) in down {
        rows += &format!("<tr><th scope=\"row\">{}</th>", escape(label));
        for (column, _) in across {
            let (case, variant) = if cases_are_rows { (row, column) } else { (column, row) };
            let own = own.map(|own| cell(own, case, variant, lang).unwrap_or_default());
            rows += &pair(cell(entry, case, variant, lang).as_deref(), own.as_deref(), lang);
        }
        rows += "</tr>";
    }
    let per = entry["per"][lang.pick("en", "zh")].as_str().ok_or_else(lacks)?;
    let corner = lang.pick(format!("time for {per}"), format!("{per}的耗时"));
    Ok((escape(&corner), across.iter().map(|(_, label)| escape(label)).collect(), rows))
}

/// The names in the record and for people.
fn names(list: &Value, lang: Lang) -> Option<Vec<(String, String)>> {
    let name = |item: &Value| {
        Some((item["name"].as_str()?.to_owned(), item["label"][lang.pick("en", "zh")].as_str()?.to_owned()))
    };
    list.as_array()?.iter().map(name).collect()
}

/// A median, and under it the least and the most of the rounds.
fn cell(experiment: &Value, case: &str, variant: &str, lang: Lang) -> Option<String> {
    let of = |list: &Value, wanted: &str| list.as_array()?.iter().find(|item| item["name"] == wanted).cloned();
    let ns = &of(&of(&experiment["cases"], case)?["variants"], variant)?["ns"];
    let time = |key: &str| ns[key].as_f64().map(|ns| duration(ns, 2));
    let (least, most) = (time("min")?, time("max")?);
    let to = lang.pick(" to ", " 至 ");
    Some(format!("{}<span class=\"spread\">{least}{to}{most}</span>", time("median")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry(cases: usize, variants: usize) -> Value {
        let named = |letter: char, n: usize| json!({"en": format!("{letter}{n}"), "zh": format!("{letter}{n}")});
        let variant =
            |n| json!({"name": format!("v{n}"), "label": named('v', n), "ns": {"median": 2, "min": 1, "max": 3}});
        let variants: Vec<Value> = (0..variants).map(variant).collect();
        let case = |n| json!({"name": format!("c{n}"), "label": named('c', n), "variants": variants});
        let cases: Vec<Value> = (0..cases).map(case).collect();
        json!({"per": {"en": "an order", "zh": "每单"}, "cases": cases})
    }

    #[test]
    fn the_longer_list_goes_down() {
        let heads = |entry: &Value| body(entry, None, Lang::En).expect("a table").1;
        assert_eq!(heads(&entry(3, 2)), ["v0", "v1"]);
        assert_eq!(heads(&entry(1, 4)), ["c0"]);
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
        assert!(body(&json!({"cases": []}), None, Lang::En).is_err());
    }
}
