//! The small path language by which pages name a value in a record.
//!
//! `ladder:chapters[0x03].orders_per_s.median` means the record `ladder`, in it the entry of the list `chapters`
//! whose `chapter` (or `name`, `id`, `key`) is `0x03` or starts with `0x03-`, and so on;
//! `[chapter=0x03-group-commit]` means the one whose `chapter` is exactly that. A pointer that leads nowhere is an
//! error that says which step failed and what was there instead.

use serde_json::Value;

/// The fields by which `[selector]` finds an entry of a list.
const SELECTOR_FIELDS: [&str; 4] = ["chapter", "name", "id", "key"];

/// The numbers that identify an entry without such a field.
const COUNTED_FIELDS: [&str; 2] = ["shards", "batch"];

/// `RECORD:PATH`, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer<'t> {
    /// As the page writes it.
    pub text: &'t str,
    /// The record's name.
    pub record: &'t str,
    steps: Vec<Step<'t>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step<'t> {
    Key(&'t str),
    Entry(&'t str),
}

impl<'t> Pointer<'t> {
    /// Parses `RECORD:PATH`.
    pub fn parse(text: &'t str) -> Result<Self, String> {
        let (record, path) = text.split_once(':').ok_or_else(|| format!("`{text}` is not of the form record:path"))?;
        Ok(Self { text, record, steps: steps(path)? })
    }

    /// The value that the path leads to in its record.
    pub fn walk<'v>(&self, record: &'v Value) -> Result<&'v Value, String> {
        let mut here = record;
        let mut walked = String::new();
        for step in &self.steps {
            let place = if walked.is_empty() { "the record".to_owned() } else { format!("`{walked}`") };
            here = match step {
                Step::Key(key) => here.get(key).ok_or_else(|| format!("no key `{key}` in {place} ({})", offers(here))),
                Step::Entry(selector) => entry(here, selector)
                    .ok_or_else(|| format!("no entry `[{selector}]` in {place} ({})", offers(here))),
            }?;
            match step {
                Step::Key(key) if walked.is_empty() => walked = (*key).to_owned(),
                Step::Key(key) => walked = format!("{walked}.{key}"),
                Step::Entry(selector) => walked = format!("{walked}[{selector}]"),
            }
        }
        Ok(here)
    }

    /// The same path with each number of an entry replaced by the entry's name in `record`, so that in another record
    /// of the same kind it leads to the same entry or nowhere.
    pub fn named(&self, record: &Value) -> Result<String, String> {
        let mut path = format!("{}:", self.record);
        for (at, step) in self.steps.iter().enumerate() {
            match step {
                Step::Key(key) if at == 0 => path += key,
                Step::Key(key) => path += &format!(".{key}"),
                Step::Entry(selector) if selector.parse::<usize>().is_ok() => {
                    let here = Self { text: self.text, record: self.record, steps: self.steps[..=at].to_vec() };
                    let name = exact(here.walk(record)?);
                    path += &format!("[{}]", name.as_deref().unwrap_or(selector));
                }
                Step::Entry(selector) => path += &format!("[{selector}]"),
            }
        }
        Ok(path)
    }
}

/// A selector that identifies an entry of a list and no other: `name=100`, `shards=2`.
fn exact(entry: &Value) -> Option<String> {
    let fields = SELECTOR_FIELDS.iter().chain(&COUNTED_FIELDS);
    fields.into_iter().find_map(|field| Some(format!("{field}={}", said(entry.get(field)?)?)))
}

/// A name or a whole number, as a selector has it.
fn said(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned).or_else(|| value.as_u64().map(|number| number.to_string()))
}

fn steps(path: &str) -> Result<Vec<Step<'_>>, String> {
    let mut steps = vec![];
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (selector, after) = inside.split_once(']').ok_or_else(|| format!("`{path}` has an unclosed `[`"))?;
            steps.push(Step::Entry(selector));
            rest = after.strip_prefix('.').unwrap_or(after);
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            steps.push(Step::Key(&rest[..end]));
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
    if let Some((field, value)) = selector.split_once('=') {
        return list.iter().find(|item| item.get(field).and_then(said).as_deref() == Some(value));
    }
    list.iter().find(|item| names(item).any(|name| name == selector || name.starts_with(&format!("{selector}-"))))
}

fn names(item: &Value) -> impl Iterator<Item = &str> {
    SELECTOR_FIELDS.iter().filter_map(|field| item.get(field)?.as_str())
}

fn offers(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&str> = map.keys().map(String::as_str).collect();
            keys.sort_unstable();
            format!("there are: {}", keys.join(", "))
        }
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

    fn walk(path: &str) -> Result<Value, String> {
        let record = json!({"chapters": [
            {"chapter": "0x01-naive", "latency_ns": {"p50": 7}},
            {"chapter": "0x03-group-commit", "x": 2},
        ]});
        Pointer::parse(path)?.walk(&record).cloned()
    }

    #[test]
    fn a_path_selects_by_name_by_prefix_and_by_index() {
        assert_eq!(walk("ladder:chapters[0x01-naive].latency_ns.p50"), Ok(json!(7)));
        assert_eq!(walk("ladder:chapters[0x03].x"), Ok(json!(2)));
        assert_eq!(walk("ladder:chapters[1].x"), Ok(json!(2)));
    }

    #[test]
    fn an_entry_is_identified_by_its_name_not_its_place() {
        let record = json!({"chapters": [{"chapter": "0x01"}, {"chapter": "0x01-naive"}], "shards": [{"shards": 1}, {"shards": 2}]});
        let named = |path: &str| Pointer::parse(path).unwrap().named(&record);
        assert_eq!(named("ladder:chapters[1].x"), Ok("ladder:chapters[chapter=0x01-naive].x".to_owned()));
        assert_eq!(named("scale:shards[1].shards"), Ok("scale:shards[shards=2].shards".to_owned()));
        assert_eq!(named("ladder:chapters[0x01].x"), Ok("ladder:chapters[0x01].x".to_owned()));
        assert!(named("ladder:chapters[2].x").unwrap_err().contains("no entry `[2]`"));
        let at = |path: &str| Pointer::parse(path).unwrap().walk(&record).cloned();
        assert_eq!(at("scale:shards[shards=2].shards"), Ok(json!(2)));
        assert_eq!(at("ladder:chapters[chapter=0x01-naive].chapter"), Ok(json!("0x01-naive")));
        assert!(at("ladder:chapters[chapter=0x0].chapter").is_err());
    }

    #[test]
    fn a_path_that_leads_nowhere_says_where_it_stopped_and_what_was_there() {
        let error = walk("ladder:chapters[0x01].latency_ns.p99").unwrap_err();
        assert_eq!(error, "no key `p99` in `chapters[0x01].latency_ns` (there are: p50)");
        let error = walk("ladder:chapters[0x09].x").unwrap_err();
        assert_eq!(error, "no entry `[0x09]` in `chapters` (a list of 2: 0x01-naive, 0x03-group-commit)");
    }

    #[test]
    fn a_bad_path_is_reported_before_a_record_is_read() {
        assert!(Pointer::parse("ladder:chapters[0x01").unwrap_err().contains("unclosed"));
        assert!(Pointer::parse("ladder").unwrap_err().contains("record:path"));
    }
}
