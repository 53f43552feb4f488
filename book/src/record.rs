//! The records that numbers come from, and the small path language that pages use to name a value in them.
//!
//! `ladder:chapters[0x03].orders_per_s.median` reads `output/reference/ladder.json`, takes the entry of the list
//! `chapters` whose `chapter` (or `name`, or `id`) is `0x03` or starts with `0x03-`, and walks on. A path that
//! leads nowhere is an error that says which step failed and what there was instead.

use crate::project::{Project, sorted};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// The fields by which `[selector]` finds an entry of a list.
const SELECTOR_FIELDS: [&str; 4] = ["chapter", "name", "id", "key"];

/// A folder of JSON records, read once each.
#[derive(Debug)]
pub struct Records {
    dir: PathBuf,
    shown: String,
    read: RefCell<BTreeMap<String, Value>>,
}

impl Records {
    /// The committed records.
    pub fn reference(project: &Project) -> Self {
        Self { dir: project.reference(), shown: "output/reference".into(), read: RefCell::default() }
    }

    /// The reader's own run.
    pub fn own(project: &Project) -> Self {
        Self { dir: project.own_output(), shown: "output".into(), read: RefCell::default() }
    }

    /// A whole record, e.g. `ladder`.
    pub fn record(&self, name: &str) -> Result<Value, String> {
        if let Some(value) = self.read.borrow().get(name) {
            return Ok(value.clone());
        }
        let text = fs::read_to_string(self.dir.join(format!("{name}.json")))
            .map_err(|e| format!("{}/{name}.json: {e}", self.shown))?;
        let value: Value = serde_json::from_str(&text).map_err(|e| format!("{}/{name}.json: {e}", self.shown))?;
        self.read.borrow_mut().insert(name.to_owned(), value.clone());
        Ok(value)
    }

    /// The value that `reference` (`record:path`) names.
    pub fn value(&self, reference: &str) -> Result<Value, String> {
        let (name, path) =
            reference.split_once(':').ok_or_else(|| format!("`{reference}` is not of the form record:path"))?;
        let record = self.record(name)?;
        walk(&record, path).cloned().map_err(|e| format!("{}/{name}.json: {e}", self.shown))
    }

    /// The number that `reference` names.
    pub fn number(&self, reference: &str) -> Result<f64, String> {
        self.value(reference)?.as_f64().ok_or_else(|| format!("{}/{reference} is not a number", self.shown))
    }
}

/// Follows `path` into `value`.
pub fn walk<'v>(value: &'v Value, path: &str) -> Result<&'v Value, String> {
    let mut here = value;
    let mut walked = String::new();
    for step in steps(path)? {
        let place = if walked.is_empty() { "the record".to_owned() } else { format!("`{walked}`") };
        here = match &step {
            Step::Key(key) => here.get(key).ok_or_else(|| format!("no key `{key}` in {place} ({})", offers(here)))?,
            Step::Entry(selector) => {
                entry(here, selector).ok_or_else(|| format!("no entry `[{selector}]` in {place} ({})", offers(here)))?
            }
        };
        match step {
            Step::Key(key) if walked.is_empty() => walked = key,
            Step::Key(key) => walked = format!("{walked}.{key}"),
            Step::Entry(selector) => walked = format!("{walked}[{selector}]"),
        }
    }
    Ok(here)
}

enum Step {
    Key(String),
    Entry(String),
}

fn steps(path: &str) -> Result<Vec<Step>, String> {
    let mut steps = vec![];
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (selector, after) = inside.split_once(']').ok_or_else(|| format!("`{path}` has an unclosed `[`"))?;
            steps.push(Step::Entry(selector.to_owned()));
            rest = after.strip_prefix('.').unwrap_or(after);
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            steps.push(Step::Key(rest[..end].to_owned()));
            rest = rest[end..].strip_prefix('.').unwrap_or(&rest[end..]);
        }
    }
    Ok(steps)
}

fn entry<'v>(value: &'v Value, selector: &str) -> Option<&'v Value> {
    let list = value.as_array()?;
    if let Ok(index) = selector.parse::<usize>() {
        return list.get(index);
    }
    list.iter().find(|item| names(item).any(|name| name == selector || name.starts_with(&format!("{selector}-"))))
}

fn names(item: &Value) -> impl Iterator<Item = &str> {
    SELECTOR_FIELDS.iter().filter_map(|field| item.get(field)?.as_str())
}

fn offers(value: &Value) -> String {
    match value {
        Value::Object(map) => format!("there are: {}", sorted(map.keys().map(String::as_str)).join(", ")),
        Value::Array(list) => {
            let all: Vec<&str> = list.iter().filter_map(|item| names(item).next()).collect();
            format!("a list of {}: {}", list.len(), all.join(", "))
        }
        other => format!("it is the value {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sample() -> Value {
        json!({"chapters": [{"chapter": "0x01-naive", "latency_ns": {"p50": 7}}, {"chapter": "0x03-group-commit", "x": 2}]})
    }

    #[test]
    fn a_path_selects_by_name_by_prefix_and_by_index() {
        let record = sample();
        assert_eq!(walk(&record, "chapters[0x01-naive].latency_ns.p50"), Ok(&json!(7)));
        assert_eq!(walk(&record, "chapters[0x03].x"), Ok(&json!(2)));
        assert_eq!(walk(&record, "chapters[1].x"), Ok(&json!(2)));
    }

    #[test]
    fn a_path_that_leads_nowhere_says_where_it_stopped_and_what_was_there() {
        let record = sample();
        let error = walk(&record, "chapters[0x01].latency_ns.p99").unwrap_err();
        assert_eq!(error, "no key `p99` in `chapters[0x01].latency_ns` (there are: p50)");
        let error = walk(&record, "chapters[0x09].x").unwrap_err();
        assert_eq!(error, "no entry `[0x09]` in `chapters` (a list of 2: 0x01-naive, 0x03-group-commit)");
        assert!(walk(&record, "chapters[0x01").unwrap_err().contains("unclosed"));
    }
}
