//! Programs with a mistake, derived from the recording of a program without one: the steps are those that such a
//! program would have taken. It would have read back the same bytes in each case, so nothing else would differ.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::steps::Step;

/// A mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mistake {
    /// No log is synced after it was created.
    FileSync,
    /// The data directory is never synced, so names in it are not durable.
    DirectorySync,
    /// The folders above the data directory are never synced.
    ParentSync,
    /// A new log gets its name before it is synced.
    RenameBeforeSync,
    /// The ledger is emptied before the log is judged, and written where it stands.
    LedgerFirst,
    /// The old logs are removed before anything says that the new ones count.
    OldSetFirst,
    /// The watermark says that a frame is on disk before the sync that makes it so.
    WatermarkFirst,
}

impl Mistake {
    /// All of them.
    pub const ALL: [Mistake; 7] = [
        Mistake::FileSync,
        Mistake::DirectorySync,
        Mistake::ParentSync,
        Mistake::RenameBeforeSync,
        Mistake::LedgerFirst,
        Mistake::OldSetFirst,
        Mistake::WatermarkFirst,
    ];

    /// The mistake of this name.
    pub fn named(name: &str) -> Option<Mistake> {
        Mistake::ALL.into_iter().find(|mistake| format!("{mistake:?}") == name)
    }

    /// The same program with this mistake, if its steps give an opportunity for it; `data_dir` is relative to the
    /// disk's root.
    pub fn plant(self, steps: &[Step], data_dir: &Path) -> Vec<Step> {
        match self {
            Mistake::FileSync => without_syncs(steps, |_, data_only| data_only),
            Mistake::DirectorySync => without_syncs(steps, |path, _| path == data_dir),
            Mistake::ParentSync => without_syncs(steps, |path, _| data_dir.starts_with(path) && path != data_dir),
            Mistake::RenameBeforeSync => rename_before_sync(steps),
            Mistake::LedgerFirst => ledger_first(steps),
            Mistake::OldSetFirst => old_set_first(steps),
            Mistake::WatermarkFirst => watermark_first(steps),
        }
    }
}

/// The name under which each handle was opened.
fn opened(steps: &[Step]) -> BTreeMap<u64, &Path> {
    let opened = steps.iter().filter_map(|step| match step {
        Step::Open { handle, path, .. } => Some((*handle, path.as_path())),
        _ => None,
    });
    opened.collect()
}

/// Leaves out the syncs that `which` selects by the file's name when it was opened, and by whether the sync is
/// `fdatasync`.
fn without_syncs(steps: &[Step], which: impl Fn(&Path, bool) -> bool) -> Vec<Step> {
    let opened = opened(steps);
    let mut left_out = Vec::new();
    let kept = steps.iter().filter(|step| match step {
        Step::SyncBegins { handle, sync, data_only } => {
            let goes = opened.get(handle).is_some_and(|path| which(path, *data_only));
            left_out.extend(goes.then_some(*sync));
            !goes
        }
        Step::SyncEnds { sync } => !left_out.contains(sync),
        _ => true,
    });
    kept.cloned().collect()
}

/// Write, name, sync: the name is given before the contents are durable.
fn rename_before_sync(steps: &[Step]) -> Vec<Step> {
    let mut planted: Vec<Step> = Vec::new();
    for step in steps {
        if let Step::Rename { from, .. } = step {
            let opened = opened(&planted);
            let begins = planted.iter().rposition(
                |step| matches!(step, Step::SyncBegins { handle, .. } if opened.get(handle) == Some(&from.as_path())),
            );
            if let Some(at) = begins {
                planted.insert(at, step.clone());
                continue;
            }
        }
        planted.push(step.clone());
    }
    planted
}

/// The ledger is opened under its own name where it was opened as a draft, and never renamed or removed.
fn ledger_first(steps: &[Step]) -> Vec<Step> {
    let ledger = |path: &Path| -> Option<PathBuf> {
        let name = path.file_name()?.to_str()?.strip_suffix(".draft")?;
        name.starts_with("ledger").then(|| path.with_extension("bin"))
    };
    let planted = steps.iter().filter_map(|step| match step {
        Step::Open { handle, path, creates, empties } => {
            let path = ledger(path).unwrap_or_else(|| path.clone());
            Some(Step::Open { handle: *handle, path, creates: *creates, empties: *empties })
        }
        Step::Rename { from: path, .. } | Step::Remove { path } if ledger(path).is_some() => None,
        _ => Some(step.clone()),
    });
    planted.collect()
}

/// Each removal of a log, up to the end of the sync that makes it durable, comes before the mark that says which set
/// counts.
fn old_set_first(steps: &[Step]) -> Vec<Step> {
    let is_log = |path: &Path| path.extension().is_some_and(|extension| extension == "log");
    let is_mark = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("SWITCH-TO-"));
    let marks = |step: &Step| matches!(step, Step::Open { path, .. } if is_mark(&path.with_extension("")));
    let Some(first) = steps.iter().position(marks) else { return steps.to_vec() };
    let (mut early, mut late, mut removing) = (Vec::new(), Vec::new(), false);
    for step in &steps[first..] {
        removing |= matches!(step, Step::Remove { path } if is_log(path));
        if removing {
            early.push(step.clone())
        } else {
            late.push(step.clone())
        }
        removing &= !matches!(step, Step::SyncEnds { .. });
    }
    [&steps[..first], &early, &late].concat()
}

/// Each write to a watermark moves before the sync of its own log's frames that it followed, if the watermark was
/// open by then. Other shards sync theirs in between.
fn watermark_first(steps: &[Step]) -> Vec<Step> {
    let opened = opened(steps);
    let is_watermark = |path: &&Path| path.extension().is_some_and(|extension| extension == "watermark");
    // A log is opened under its draft's name, and a segment has a number more.
    let log = |handle: u64| opened.get(&handle).and_then(|path| path.file_stem()?.to_str()?.split("-from-").next());
    let mut planted: Vec<Step> = Vec::new();
    for step in steps {
        let mut place = planted.len();
        if let Step::Write { handle, .. } = step
            && opened.get(handle).is_some_and(is_watermark)
        {
            let its = |step: &Step| match step {
                Step::SyncBegins { handle: of, data_only: true, .. } => log(*of) == log(*handle),
                _ => false,
            };
            let is_open = |step: &Step| matches!(step, Step::Open { handle: of, .. } if of == handle);
            let open = planted.iter().rposition(is_open);
            place = planted.iter().rposition(its).filter(|sync| open < Some(*sync)).unwrap_or(place);
        }
        planted.insert(place, step.clone());
    }
    planted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two shards sync at the same time; the second one's sync begins later, and the first one's ends first.
    #[test]
    fn a_watermark_comes_before_the_sync_of_its_own_log() {
        let open = |handle, name: &str| Step::Open { handle, path: name.into(), creates: true, empties: false };
        let begins = |handle, sync| Step::SyncBegins { handle, sync, data_only: true };
        let write = Step::Write { handle: 2, at: 0, bytes: vec![1] };
        let steps = [
            open(1, "commands-0-of-2-from-00000000000000000009.log"),
            open(2, "commands-0-of-2.watermark"),
            open(3, "commands-1-of-2.log"),
            begins(1, 1),
            begins(3, 2),
            Step::SyncEnds { sync: 1 },
            write.clone(),
        ];
        let planted = watermark_first(&steps);
        assert_eq!(planted.iter().position(|step| *step == write), Some(3), "{planted:?}");
        // A watermark that is opened only after its log's sync can't move.
        let late = [&steps[..1], &steps[2..6], &steps[1..2], &steps[6..]].concat();
        assert_eq!(watermark_first(&late), late);
    }
}
