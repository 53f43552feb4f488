//! `mutants 0x03`: leaves out each change that a chapter makes in the one before it, one at a time, and sees whether the
//! chapter's tests notice. A change that no test notices is not needed, or is not tested, or stands with its reason in
//! the chapter's `unnoticed.toml`.

mod changes;
mod trial;

use std::fmt::Display;
use std::io::ErrorKind;

use catalogue::Chapter;
use program::{Verdict, print, tell};
use results::chapters;
use results::error::MeasureError;
use serde::Deserialize;

use self::changes::{Change, changes};
use self::trial::{Trial, Trials};
use crate::exercise::layout::Source;

/// What `mutants` can be told.
#[derive(Debug, Clone, clap::Args)]
pub struct MutantsArgs {
    /// The chapter, 0x02 or later
    pub chapter: String,
    /// Leave out every line of a change by itself as well, where that compiles; takes many times as long
    #[arg(long)]
    pub lines: bool,
    /// Only changes in this file, such as engine.rs
    #[arg(long, value_name = "FILE")]
    pub file: Option<String>,
    /// Print the changes, and try none
    #[arg(long)]
    pub list: bool,
}

/// A chapter's `unnoticed.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unnoticed {
    unnoticed: Vec<Explained>,
}

/// A change that no test notices, and why that is all right.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Explained {
    /// Where, under `src`.
    file: String,
    /// A part of one of its lines.
    line: String,
    /// Why no test notices.
    reason: String,
}

/// Tries all changes. `false` means that nobody notices when one of them is missing, and that nobody says why.
///
/// # Errors
/// When there is no such chapter, or its tests fail as it is.
pub fn run(args: &MutantsArgs) -> Result<Verdict, MeasureError> {
    let (root, catalogue) = (chapters::repository(), chapters::catalogue()?);
    let chapter = catalogue.find_engine(&args.chapter)?;
    let Some(before) = catalogue.engine_before(chapter) else {
        return Err(MeasureError::Unusable(format!("{} is the first chapter: it changes none", chapter.folder)));
    };
    let source = Source { root: &root, chapter, before };
    let changes = asked(changes(&source, args.lines)?, args.file.as_deref(), chapter)?;
    if args.list {
        changes.iter().try_for_each(|change| print(format_args!("{change}\n")))?;
        return Ok(Verdict::Yes);
    }
    let explained = explained(&source, chapter)?;
    tell(format_args!("{}: {} changes to leave out", chapter.folder, changes.len()));
    let trials = Trials::begin(&source)?;
    let (mut unbuilt, mut noticed, mut accepted, mut unnoticed) = (0, 0, 0, 0);
    for (at, change) in changes.iter().enumerate() {
        let place = format!("{} of {}: src/{}:{}", at + 1, changes.len(), change.file, change.line);
        match trials.try_without(change)? {
            Trial::DoesNotCompile => {
                unbuilt += 1;
                print(format_args!("{place}: does not compile without\n"))?;
            }
            Trial::Noticed(test) => {
                noticed += 1;
                print(format_args!("{place}: {test}\n"))?;
            }
            Trial::Passes => match explained.iter().find(|explained| explained.is_about(change)) {
                Some(Explained { reason, .. }) => {
                    accepted += 1;
                    print(format_args!("{place}: not noticed, for a reason: {reason}\n"))?;
                }
                None => {
                    unnoticed += 1;
                    print(format_args!("{place}: NOT NOTICED\n{change}\n"))?;
                }
            },
        }
    }
    print(format_args!(
        "{}: {} changes; {noticed} noticed, {unbuilt} do not compile without, {accepted} not noticed for a reason, \
         {unnoticed} not noticed\n",
        chapter.folder,
        changes.len()
    ))?;
    Ok((unnoticed == 0).into())
}

/// The changes in `file`, or all.
fn asked(changes: Vec<Change>, file: Option<&str>, chapter: &Chapter) -> Result<Vec<Change>, MeasureError> {
    let Some(file) = file else { return Ok(changes) };
    let file = file.strip_prefix("src/").unwrap_or(file);
    let (found, others): (Vec<_>, Vec<_>) = changes.into_iter().partition(|change| change.file == file);
    if found.is_empty() {
        let mut files: Vec<String> = others.into_iter().map(|change| change.file).collect();
        files.dedup();
        let files = files.join(", ");
        return Err(MeasureError::Unusable(format!("{} changes no {file}; it changes {files}", chapter.folder)));
    }
    Ok(found)
}

/// What stands in the chapter's `unnoticed.toml`, if there is one.
fn explained(source: &Source<'_>, chapter: &Chapter) -> Result<Vec<Explained>, MeasureError> {
    let path = source.to().join("unnoticed.toml");
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        text => text.map_err(|error| MeasureError::disk("read", &path, &error))?,
    };
    let wrong = |why: &dyn Display| MeasureError::Unusable(format!("{}/unnoticed.toml: {why}", chapter.folder));
    let Unnoticed { unnoticed } = toml::from_str(&text).map_err(|error| wrong(&error))?;
    // Part of every line, it would excuse all changes of its file.
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
