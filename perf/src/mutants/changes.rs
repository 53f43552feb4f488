//! The changes that a chapter makes: what stands between two runs of lines that it shares with the chapter before.

use std::fmt;

use results::error::MeasureError;
use similar::{DiffOp, TextDiff};

use crate::exercise::files::{names, read, without_marks};
use crate::exercise::layout::Source;

/// A change, which can be left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file under `src`.
    pub file: String,
    /// Its first line in the chapter, from 1.
    pub line: usize,
    /// What the chapter before has there.
    pub removed: Vec<String>,
    /// What the chapter has there.
    pub added: Vec<String>,
    /// The whole file without the change.
    pub without: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "src/{}:{}", self.file, self.line)?;
        self.removed.iter().try_for_each(|line| write!(f, "\n-{}", line.trim_end()))?;
        self.added.iter().try_for_each(|line| write!(f, "\n+{}", line.trim_end()))
    }
}

/// The changes of a step in files that both chapters have; each line that is new by itself as well, if `lines`.
///
/// # Errors
/// When a file can't be read.
pub fn changes(source: &Source<'_>, lines: bool) -> Result<Vec<Change>, MeasureError> {
    let (from, to) = (source.from().join("src"), source.to().join("src"));
    let mut found = Vec::new();
    for name in names(&to)?.into_iter().filter(|name| name.ends_with(".rs") && name != "main.rs") {
        let new = without_marks(&read(&to.join(&name))?);
        // A new file is one change for the compiler; of its lines each can be missing.
        let old = if from.join(&name).is_file() { without_marks(&read(&from.join(&name))?) } else { String::new() };
        found.extend(changes_of(&name, &old, &new, lines));
    }
    Ok(found)
}

fn changes_of(file: &str, old: &str, new: &str, lines: bool) -> Vec<Change> {
    let diff = TextDiff::from_lines(old, new);
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let mut found = Vec::new();
    for op in diff.ops().iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
        let (before, after) = (op.old_range(), op.new_range());
        let change = |removed: &[&str], at: usize, end: usize| {
            let text = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
            Change {
                file: file.to_owned(),
                line: at + 1,
                removed: text(removed),
                added: text(&new[at..end]),
                without: [&new[..at], removed, &new[end..]].concat().concat(),
            }
        };
        let whole = change(&old[before.clone()], after.start, after.end);
        if whole.is_code() {
            found.push(whole);
        }
        if lines && after.len() > 1 {
            let single = after.clone().map(|at| change(&[], at, at + 1));
            found.extend(single.filter(Change::is_code));
        }
    }
    found
}

impl Change {
    /// Whether it is more than comments, blank lines and closing brackets.
    fn is_code(&self) -> bool {
        let is_code = |line: &String| {
            let line = line.trim();
            !line.starts_with("//") && line.chars().any(char::is_alphanumeric)
        };
        self.added.iter().chain(&self.removed).any(is_code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "//! a\nfn f() {\n    one();\n    two();\n}\n";
    const NEW: &str = "//! b\nfn f() {\n    one();\n    three();\n    four();\n}\n";

    #[test]
    fn each_change_is_left_out_by_itself() {
        let [change] = &changes_of("x.rs", OLD, NEW, false)[..] else { panic!("a comment is no change") };
        assert_eq!(change.without, "//! b\nfn f() {\n    one();\n    two();\n}\n");
        assert_eq!(change.to_string(), "src/x.rs:4\n-    two();\n+    three();\n+    four();");
    }

    #[test]
    fn lines_are_left_out_too() {
        let texts: Vec<String> =
            changes_of("x.rs", OLD, NEW, true).iter().map(|change| change.without.clone()).collect();
        assert_eq!(texts.len(), 3);
        assert_eq!(texts[1], "//! b\nfn f() {\n    one();\n    four();\n}\n");
        assert_eq!(texts[2], "//! b\nfn f() {\n    one();\n    three();\n}\n");
    }
}
