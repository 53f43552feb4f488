//! The committed counts, `perf/guard.json`, and the judgement on new ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use results::error::MeasureError;
use results::json;

/// A count may differ from its record by this share. Only the code changes a count, so this is not an
/// allowance for noise: it is how much a change may cost before it needs an explanation.
const THRESHOLD: f64 = 0.03;

/// What affects counts besides our own code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// `rustc -V`.
    pub compiler: String,
    /// The C library, which allocates and copies memory.
    pub libc: String,
    /// The instruction set.
    pub arch: String,
    /// Which processor extensions the program sees.
    pub valgrind: String,
}

/// One work's count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Count {
    /// What one repetition does.
    pub per: String,
    /// How many instructions it takes.
    pub instructions: f64,
}

/// `perf/guard.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardRecord {
    /// Where the counts come from.
    pub environment: Environment,
    /// The counts by the names of the works.
    pub counts: BTreeMap<String, Count>,
}

/// How a count compares with its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// Within the threshold.
    Same,
    /// Fewer instructions.
    Better,
    /// More instructions.
    Worse,
    /// It has no record.
    New,
    /// It has a record, but is no longer counted.
    Gone,
}

impl Judgement {
    /// For the table.
    pub fn words(self) -> &'static str {
        match self {
            Judgement::Same => "as recorded",
            Judgement::Better => "better",
            Judgement::Worse => "WORSE",
            Judgement::New => "not recorded",
            Judgement::Gone => "no longer counted",
        }
    }

    /// Whether it needs attention before the change is merged. A work without a record is
    /// unguarded, so it is as bad as one that got slower.
    pub fn fails(self) -> bool {
        matches!(self, Judgement::Worse | Judgement::New | Judgement::Gone)
    }
}

impl GuardRecord {
    /// Reads the record; `None` when there is none.
    ///
    /// # Errors
    /// [`MeasureError::Unusable`] when it can't be read or is not such a record.
    pub fn load(path: &Path) -> Result<Option<Self>, MeasureError> {
        let unusable = |error: &dyn std::fmt::Display| {
            MeasureError::Unusable(format!("{}: {error}; write it again with `scripts/guard --accept`", path.display()))
        };
        match fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| unusable(&error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unusable(&error)),
        }
    }

    /// Writes the record.
    ///
    /// # Errors
    /// [`MeasureError::Disk`].
    pub fn save(&self, path: &Path) -> Result<(), MeasureError> {
        json::save(self, path)
    }
}

/// Judges the works of two records. `only` are the works that were counted, if not all were.
pub fn judge<'a>(
    base: &'a BTreeMap<String, Count>,
    now: &'a BTreeMap<String, Count>,
    only: &[String],
) -> Vec<(&'a str, Judgement)> {
    let mut names: Vec<&str> = now.keys().chain(base.keys()).map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|&name| only.is_empty() || only.iter().any(|wanted| wanted == name));
    let judgement = |name| match (base.get(name), now.get(name)) {
        (Some(base), Some(now)) => of(base.instructions, now.instructions),
        (None, _) => Judgement::New,
        (_, None) => Judgement::Gone,
    };
    names.into_iter().map(|name| (name, judgement(name))).collect()
}

fn of(base: f64, now: f64) -> Judgement {
    if now > base * (1.0 + THRESHOLD) {
        Judgement::Worse
    } else if now < base * (1.0 - THRESHOLD) {
        Judgement::Better
    } else {
        Judgement::Same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(list: &[(&str, f64)]) -> BTreeMap<String, Count> {
        let count = |&(name, instructions): &(&str, f64)| (name.into(), Count { per: "order".into(), instructions });
        list.iter().map(count).collect()
    }

    #[test]
    fn three_per_cent_is_where_it_begins() {
        assert_eq!(of(1_000.0, 1_030.0), Judgement::Same);
        assert_eq!(of(1_000.0, 1_031.0), Judgement::Worse);
        assert_eq!(of(1_000.0, 970.0), Judgement::Same);
        assert_eq!(of(1_000.0, 969.0), Judgement::Better);
    }

    #[test]
    fn what_is_new_or_gone_fails_too() {
        let (base, now) = (counts(&[("a", 1.0), ("b", 2.0)]), counts(&[("b", 2.0), ("c", 3.0)]));
        let judged = judge(&base, &now, &[]);
        assert_eq!(judged, [("a", Judgement::Gone), ("b", Judgement::Same), ("c", Judgement::New)]);
        assert_eq!(judged.iter().filter(|(_, judgement)| judgement.fails()).count(), 2);
        assert_eq!(judge(&base, &counts(&[("b", 2.0)]), &["b".into()]), [("b", Judgement::Same)]);
    }
}
