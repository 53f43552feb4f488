//! `mutants 0x03`: leaves out each change that a chapter makes to the one before it, one at a time, and sees whether
//! the chapter's tests detect that. If nothing compiles without a change, its lines are left out one at a time. A
//! change that no test detects is not needed, or is not tested, or is listed with its reason in the chapter's
//! `unnoticed.toml`.

mod changes;
mod trial;

use std::fmt::{self, Display};
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::str::FromStr;

use catalogue::Chapter;
use program::{Verdict, print, tell};
use results::chapters;
use results::error::MeasureError;
use serde::Deserialize;

use self::changes::{Change, changes};
use self::trial::{Trial, Trials};
use crate::exercise::layout::Source;

/// The arguments of `mutants`.
#[derive(Debug, Clone, clap::Args)]
pub struct MutantsArgs {
    /// The chapter, 0x02 or later
    pub chapter: String,
    /// Leave out the lines of every change one by one; without it, only of changes without which nothing
    /// compiles
    #[arg(long)]
    pub lines: bool,
    /// Only changes in this file, such as engine.rs, or in lines of it as `--list` counts them, such as engine.rs:20 or
    /// engine.rs:20-40; may be given several times
    #[arg(long = "file", value_name = "FILE[:FROM[-TO]]")]
    pub files: Vec<Lines>,
    /// Print the changes, and try none
    #[arg(long)]
    pub list: bool,
}

/// A file, or some of its lines, counted from 1 in the chapter without the marks for the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    file: String,
    lines: RangeInclusive<usize>,
}

impl FromStr for Lines {
    type Err = String;

    fn from_str(text: &str) -> Result<Lines, String> {
        let (file, lines) = match text.split_once(':') {
            None => (text, 1..=usize::MAX),
            Some((file, lines)) => {
                let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
                let ends = from.parse().ok().zip(to.parse().ok()).filter(|(from, to)| from <= to);
                let (from, to) = ends.ok_or("lines are a number, or two as in 20-40")?;
                (file, from..=to)
            }
        };
        Ok(Lines { file: file.strip_prefix("src/").unwrap_or(file).into(), lines })
    }
}

impl Lines {
    /// The part of a change that is here: all of it, or some of its lines.
    fn of(&self, change: &Change) -> Vec<Change> {
        let last = change.line + change.added.len().saturating_sub(1);
        if change.file != self.file {
            Vec::new()
        } else if self.lines.contains(&change.line) && self.lines.contains(&last) {
            vec![change.clone()]
        } else {
            change.lines.iter().filter(|line| self.lines.contains(&line.line)).cloned().collect()
        }
    }
}

/// A chapter's `unnoticed.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unnoticed {
    unnoticed: Vec<Explained>,
}

/// A change that no test detects, and why that is fine.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Explained {
    /// The file, under `src`.
    file: String,
    /// A part of one of its lines.
    line: String,
    /// Why no test notices.
    reason: String,
}

/// Tries all changes. `false` means that no test detects a missing change, and no reason is given for it.
///
/// # Errors
/// When there is no such chapter, or its tests fail as it is.
pub fn run(args: &MutantsArgs) -> Result<Verdict, MeasureError> {
    let (root, catalogue) = (chapters::repository(), chapters::catalogue()?);
    let chapter = catalogue.find_engine(&args.chapter)?;
    let Some(before) = catalogue.engine_before(chapter) else {
        return Err(MeasureError::Unusable(format!("{} is the first chapter: it changes nothing", chapter.folder)));
    };
    let source = Source { root: &root, chapter, before };
    let changes = asked(changes(&source)?, &args.files, chapter)?;
    if args.list {
        for change in &changes {
            print(format_args!("{change}\n"))?;
            change.lines.iter().filter(|_| args.lines).try_for_each(|line| print(format_args!("  {line}\n")))?;
        }
        return Ok(Verdict::Yes);
    }
    let explained = explained(&source, chapter)?;
    tell(format_args!("{}: {} changes to leave out", chapter.folder, changes.len()));
    let mut round =
        Round { trials: Trials::begin(&source)?, explained, whole: Counts::default(), lines: Counts::default() };
    for (at, change) in changes.iter().enumerate() {
        print(format_args!("{} of {}: ", at + 1, changes.len()))?;
        let does_compile = round.leave_out(change, false)?;
        if args.lines || !does_compile {
            for line in &change.lines {
                round.leave_out(line, true)?;
            }
        }
    }
    let Round { whole, lines, .. } = &round;
    print(format_args!(
        "{}: {} changes; {whole}\ntheir lines by themselves: {lines}\n",
        chapter.folder,
        changes.len()
    ))?;
    Ok((whole.unnoticed + lines.unnoticed == 0).into())
}

/// What happened to a chapter's changes.
#[derive(Default)]
struct Counts {
    unbuilt: u32,
    noticed: u32,
    accepted: u32,
    unnoticed: u32,
}

impl Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { unbuilt, noticed, accepted, unnoticed } = self;
        write!(
            f,
            "{noticed} noticed, {unbuilt} needed to compile, {accepted} not noticed for a reason, {unnoticed} not \
             noticed"
        )
    }
}

/// A chapter's changes on trial.
struct Round {
    trials: Trials,
    explained: Vec<Explained>,
    whole: Counts,
    lines: Counts,
}

impl Round {
    /// Whether anything compiles without it. A line that is needed to compile is not reported: most are.
    fn leave_out(&mut self, change: &Change, is_line: bool) -> Result<bool, MeasureError> {
        let place = format!("{}src/{}:{}", if is_line { "  " } else { "" }, change.file, change.line);
        let counts = if is_line { &mut self.lines } else { &mut self.whole };
        match self.trials.try_without(change)? {
            Trial::DoesNotCompile => {
                counts.unbuilt += 1;
                if !is_line {
                    print(format_args!("{place}: needed to compile\n"))?;
                }
                return Ok(false);
            }
            Trial::Noticed(test) => {
                counts.noticed += 1;
                print(format_args!("{place}: {test}\n"))?;
            }
            Trial::Passes => match self.explained.iter().find(|explained| explained.is_about(change)) {
                Some(Explained { reason, .. }) => {
                    counts.accepted += 1;
                    print(format_args!("{place}: not noticed, for a reason: {reason}\n"))?;
                }
                None => {
                    counts.unnoticed += 1;
                    print(format_args!("{place}: NOT NOTICED\n{change}\n"))?;
                }
            },
        }
        Ok(true)
    }
}

/// The changes in `files`, in their order, or all without any.
fn asked(changes: Vec<Change>, files: &[Lines], chapter: &Chapter) -> Result<Vec<Change>, MeasureError> {
    if files.is_empty() {
        return Ok(changes);
    }
    let mut found = Vec::new();
    for lines in files {
        let before = found.len();
        found.extend(changes.iter().flat_map(|change| lines.of(change)));
        if found.len() > before {
            continue;
        }
        let mut files: Vec<&str> = changes.iter().map(|change| change.file.as_str()).collect();
        files.dedup();
        let (folder, file) = (&chapter.folder, lines.file.as_str());
        return Err(MeasureError::Unusable(if files.contains(&file) {
            format!("{folder} changes nothing between these lines of {file}; `--list` shows what it changes")
        } else {
            format!("{folder} changes no {file}; it changes {}", files.join(", "))
        }));
    }
    Ok(found)
}

/// The entries of the chapter's `unnoticed.toml`, if there is one.
fn explained(source: &Source<'_>, chapter: &Chapter) -> Result<Vec<Explained>, MeasureError> {
    let path = source.to().join("unnoticed.toml");
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        text => text.map_err(|error| MeasureError::disk("read", &path, &error))?,
    };
    let wrong = |why: &dyn Display| MeasureError::Unusable(format!("{}/unnoticed.toml: {why}", chapter.folder));
    let Unnoticed { unnoticed } = toml::from_str(&text).map_err(|error| wrong(&error))?;
    // An empty text is part of every line, so it would excuse all changes of its file.
    match unnoticed.iter().find(|explained| explained.line.trim().is_empty()) {
        Some(explained) => Err(wrong(&format_args!("an entry for {} names no part of a line", explained.file))),
        None => Ok(unnoticed),
    }
}

impl Explained {
    fn is_about(&self, change: &Change) -> bool {
        self.file == change.file && change.added.iter().chain(&change.removed).any(|line| line.contains(&self.line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_two_lines_is_a_whole_change_or_some_of_its_lines() {
        let of = |line, added: &[&str]| Change {
            file: "x.rs".into(),
            line,
            removed: Vec::new(),
            added: added.iter().map(|&line| line.to_owned()).collect(),
            without: String::new(),
            lines: Vec::new(),
        };
        let lines = vec![of(4, &["a"]), of(5, &["b"]), of(6, &["c"])];
        let change = Change { lines: lines.clone(), ..of(4, &["a", "b", "c"]) };
        let found = |asked: &str| asked.parse::<Lines>().map(|lines| lines.of(&change));
        for whole in ["x.rs", "src/x.rs", "x.rs:4-6", "x.rs:1-9"] {
            assert_eq!(found(whole), Ok(vec![change.clone()]), "{whole}");
        }
        for (asked, which) in [
            ("x.rs:5", &lines[1..2]),
            ("x.rs:5-9", &lines[1..]),
            ("x.rs:1-4", &lines[..1]),
            ("x.rs:7-9", &[]),
            ("y.rs", &[]),
        ] {
            assert_eq!(found(asked), Ok(which.to_vec()), "{asked}");
        }
        for wrong in ["x.rs:", "x.rs:6-4", "x.rs:a-b", "x.rs:4-"] {
            assert!(found(wrong).is_err_and(|words| words.contains("20-40")), "{wrong}");
        }
    }
}
