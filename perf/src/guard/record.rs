//! The committed counts, `perf/guard.json`, and the judgement on new ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use results::error::MeasureError;
use results::json;

/// A count may differ from its record by this share of it. Nothing but the code moves a count, so this
/// is no allowance for noise: it is how much a change may cost before somebody has to say so.
const THRESHOLD: f64 = 0.03;

/// What decides about counts besides our own code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// `rustc -V`.
    pub compiler: String,
    /// Where memory comes from and how it is copied.
    pub libc: String,
    /// Which processor's instructions.
    pub arch: String,
    /// Which of a processor's extensions the program is shown.
    pub valgrind: String,
}

/// One work's count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Count {
    /// What one time is.
    pub per: String,
    /// How many instructions it takes.
    pub instructions: f64,
}

/// `perf/guard.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardRecord {
    /// Where the counts are from.
    pub environment: Environment,
    /// The counts by the names of the works.
    pub counts: BTreeMap<String, Count>,
}

/// What a count is beside its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Within the threshold.
    Same,
    /// Fewer instructions.
    Better,
    /// More instructions.
    Worse,
    /// It has no record.
    New,
    /// It has a record, and is not counted any more.
    Gone,
}

impl Verdict {
    /// For the table.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Same => "as recorded",
            Verdict::Better => "better",
            Verdict::Worse => "WORSE",
            Verdict::New => "not recorded",
            Verdict::Gone => "no longer counted",
        }
    }

    /// Whether somebody has to look before the change goes in. A work without a record is one that
    /// nothing guards, so it is as bad as one that got slower.
    pub fn fails(self) -> bool {
        matches!(self, Verdict::Worse | Verdict::New | Verdict::Gone)
    }
}

impl GuardRecord {
    /// Reads the record; `None` when there is none.
    ///
    /// # Errors
    /// [`MeasureError::Unusable`] when it can't be read or is no such record.
    pub fn load(path: &Path) -> Result<Option<Self>, MeasureError> {
        let unusable = |error: &dyn std::fmt::Display| {
            MeasureError::Unusable(format!("{}: {error}; make it anew with `scripts/guard --accept`", path.display()))
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

/// A work in two records, and what that means. `only` are the works that were counted, if not all were.
pub fn judge<'a>(
    base: &'a BTreeMap<String, Count>,
    now: &'a BTreeMap<String, Count>,
    only: &[String],
) -> Vec<(&'a str, Verdict)> {
    let mut names: Vec<&str> = now.keys().chain(base.keys()).map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|&name| only.is_empty() || only.iter().any(|wanted| wanted == name));
    let verdict = |name| match (base.get(name), now.get(name)) {
        (Some(base), Some(now)) => of(base.instructions, now.instructions),
        (None, _) => Verdict::New,
        (_, None) => Verdict::Gone,
    };
    names.into_iter().map(|name| (name, verdict(name))).collect()
}

fn of(base: f64, now: f64) -> Verdict {
    if now > base * (1.0 + THRESHOLD) {
        Verdict::Worse
    } else if now < base * (1.0 - THRESHOLD) {
        Verdict::Better
    } else {
        Verdict::Same
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
        assert_eq!(of(1_000.0, 1_030.0), Verdict::Same);
        assert_eq!(of(1_000.0, 1_031.0), Verdict::Worse);
        assert_eq!(of(1_000.0, 970.0), Verdict::Same);
        assert_eq!(of(1_000.0, 969.0), Verdict::Better);
    }

    #[test]
    fn what_is_new_or_gone_fails_too() {
        let (base, now) = (counts(&[("a", 1.0), ("b", 2.0)]), counts(&[("b", 2.0), ("c", 3.0)]));
        let judged = judge(&base, &now, &[]);
        assert_eq!(judged, [("a", Verdict::Gone), ("b", Verdict::Same), ("c", Verdict::New)]);
        assert_eq!(judged.iter().filter(|(_, verdict)| verdict.fails()).count(), 2);
        assert_eq!(judge(&base, &counts(&[("b", 2.0)]), &["b".into()]), [("b", Verdict::Same)]);
    }
}
