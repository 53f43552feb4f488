//! The changes that a chapter makes: the parts between lines that it shares with the chapter before.

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
    /// Its new lines, each of which can be left out by itself, if there are several.
    pub lines: Vec<Change>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "src/{}:{}", self.file, self.line)?;
        self.removed.iter().try_for_each(|line| write!(f, "\n-{}", line.trim_end()))?;
        self.added.iter().try_for_each(|line| write!(f, "\n+{}", line.trim_end()))
    }
}

/// The changes of a step. A new file is one.
///
/// # Errors
/// When a file can't be read.
pub fn changes(source: &Source<'_>) -> Result<Vec<Change>, MeasureError> {
    let (from, to) = (source.from().join("src"), source.to().join("src"));
    let mut found = Vec::new();
    for name in names(&to)?.into_iter().filter(|name| name.ends_with(".rs") && name != "main.rs") {
        let new = without_marks(&read(&to.join(&name))?);
        let old = if from.join(&name).is_file() { without_marks(&read(&from.join(&name))?) } else { String::new() };
        found.extend(changes_of(&name, &old, &new));
    }
    Ok(found)
}

fn changes_of(file: &str, old: &str, new: &str) -> Vec<Change> {
    let diff = TextDiff::from_lines(old, new);
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    // A file ends with its own tests, which are not themselves tested.
    let tests = new.iter().position(|line| line.trim_end() == "#[cfg(test)]").unwrap_or(new.len());
    let (old_code, new_code) = (code(&old), code(&new));
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
                lines: Vec::new(),
            }
        };
        let is_code = old_code[before.clone()].contains(&true) || new_code[after.clone()].contains(&true);
        if !is_code || after.start >= tests {
            continue;
        }
        let mut whole = change(&old[before], after.start, after.end);
        if after.len() > 1 {
            let lines = (after.start..after.end.min(tests)).filter(|&at| new_code[at]);
            whole.lines = lines.map(|at| change(&[], at, at + 1)).collect();
        }
        found.push(whole);
    }
    found
}

/// Which lines are code. Not counted are comments, blank lines and closing brackets; imports and assertions, which
/// report by themselves (a debug assertion when it fails); and hints about where code is placed, which only change
/// its speed.
fn code(lines: &[&str]) -> Vec<bool> {
    const OTHERS: [&str; 9] = [
        "//",
        "const _: ()",
        "const { assert!",
        "debug_assert",
        "#[must_use",
        "#[allow",
        "#[expect",
        "#[inline",
        "#[cold",
    ];
    let mut are_names = false;
    let is_code = |line: &&str| {
        let line = line.trim();
        are_names |= line.starts_with("use ") || line.starts_with("pub use ");
        let is_other = are_names || OTHERS.iter().any(|begin| line.starts_with(begin));
        are_names &= !line.ends_with(';');
        !is_other && line.chars().any(char::is_alphanumeric)
    };
    lines.iter().map(is_code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "//! a\nfn f() {\n    one();\n    two();\n}\n";
    const NEW: &str = "//! b\nfn f() {\n    one();\n    three();\n    four();\n}\n";

    #[test]
    fn each_change_is_left_out_by_itself() {
        let [change] = &changes_of("x.rs", OLD, NEW)[..] else { panic!("a comment is no change") };
        assert_eq!(change.without, "//! b\nfn f() {\n    one();\n    two();\n}\n");
        assert_eq!(change.to_string(), "src/x.rs:4\n-    two();\n+    three();\n+    four();");
    }

    #[test]
    fn what_the_compiler_or_a_clock_sees_is_none() {
        let new = "use std::{\n    mem,\n};\n#[inline(always)] // near\nfn f() {\n    debug_assert!(mem::size_of::<u8>() == 1);\n}\n";
        assert_eq!(changes_of("x.rs", "use std::cell::Cell;\nfn f() {\n}\n", new), []);
        assert_eq!(changes_of("x.rs", "fn f() {\n}\n", "#[no_mangle]\nfn f() {\n}\n").len(), 1);
    }

    #[test]
    fn tests_are_left_in() {
        let new = "fn f() {\n    one();\n}\n#[cfg(test)]\nmod tests {}\n";
        let [change] = &changes_of("x.rs", "", new)[..] else { panic!("a new file is one change") };
        assert_eq!(change.lines.iter().map(|line| line.line).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(changes_of("x.rs", &new.replace("{}", "{ }"), new), []);
    }

    #[test]
    fn lines_are_left_out_too() {
        let [change] = &changes_of("x.rs", OLD, NEW)[..] else { panic!("a comment is no change") };
        let texts: Vec<&str> = change.lines.iter().map(|line| line.without.as_str()).collect();
        let without_three = "//! b\nfn f() {\n    one();\n    four();\n}\n";
        assert_eq!(texts, [without_three, "//! b\nfn f() {\n    one();\n    three();\n}\n"]);
    }
}
