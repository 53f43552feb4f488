//! `history-of-figures`: the ladder's reference record at each commit that replaced it, read from git. Nothing is
//! measured; the book's page of the same name shows it.

use std::path::Path;

use program::{Verdict, print};
use results::chapters::repository;
use results::error::MeasureError;
use results::record::{HistoryOfFigures, LadderRecord, LadderVersion, Record};

use crate::git::{git, is_whole};

/// The record whose history it is, from the root.
const LADDER: &str = "output/reference/ladder.json";

/// The record that is written, from the root.
pub const HISTORY: &str = "output/reference/history-of-figures.json";

/// Writes the history next to the record.
///
/// # Errors
/// As [`read`], and [`MeasureError::Disk`] when it cannot be written.
pub fn run() -> Result<Verdict, MeasureError> {
    let root = repository();
    let history = read(&root)?;
    history.save(&root.join(HISTORY))?;
    print(format_args!("{HISTORY}: {} versions of {LADDER}\n", history.versions.len()))?;
    Ok(Verdict::Yes)
}

/// Every version of the record in the repository at `root`, the oldest first. The record in the tree is the last one,
/// committed or not, so that a new one and its history can be committed together.
///
/// # Errors
/// [`MeasureError::Unusable`] without git or without all commits, and when a version is not a record of the ladder.
pub fn read(root: &Path) -> Result<HistoryOfFigures, MeasureError> {
    if !is_whole(root)? {
        let message = "this clone is shallow, so it lacks versions of the record; git fetch --unshallow gets them";
        return Err(MeasureError::Unusable(message.into()));
    }
    let mut versions: Vec<LadderVersion> = Vec::new();
    let mut push = |record: LadderRecord| {
        let commit = record.commit.clone();
        let version = LadderVersion::of(&record, None);
        let date = git(root, &["log", "-1", "--format=%cs", version.digits(), "--"]).ok();
        let version = LadderVersion { date: date.map(|date| date.trim().to_owned()), ..version };
        // A record that was written anew in other words is the same version.
        match versions.iter_mut().find(|known| known.commit == commit) {
            Some(known) => *known = version,
            None => versions.push(version),
        }
    };
    for commit in git(root, &["log", "--reverse", "--format=%H", "--", LADDER])?.lines() {
        let text = git(root, &["show", &format!("{commit}:{LADDER}")])?;
        push(LadderRecord::parse(&text, &format!("{LADDER} at {commit}"))?);
    }
    push(LadderRecord::load(&root.join(LADDER))?);
    Ok(HistoryOfFigures { versions })
}
