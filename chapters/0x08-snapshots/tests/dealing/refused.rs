//! What resharding refuses, and that a refusal changes nothing.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ch08::shadow::Shadow;
use contract::SimDisk;
use contract::faults::Faults;
use contract::folder::Folder;
use contract::harness::{check_state, run};
use contract::through::{Meddle, Through};
use keeping::ledger_parts::parts;
use keeping::reshard::reshard;
use market::data_dir::SnapshotLock;
use market::log::ShardOf;
use market::log_chain::segments;
use market::snapshot::list;
use market::{Disk as _, LogFile, watermark};

use crate::Engine;
use crate::set_up::{shards_of, trimmed, two_snapshots};

/// Resharding fails with a message that contains `part`, and no file changes.
pub fn refused(disk: &SimDisk, folder: &Folder, shards: u16, part: &str) {
    let (before, files) = (disk.contents(), folder.files());
    let error = reshard::<Shadow>(disk, folder.path(), shards).expect_err("it went on").to_string();
    assert!(error.contains(part), "the error does not say {part}: {error}");
    let unlocked = |files: BTreeMap<PathBuf, Vec<u8>>| -> BTreeMap<PathBuf, Vec<u8>> {
        files.into_iter().filter(|(path, _)| !path.to_string_lossy().contains("LOCK")).collect()
    };
    assert!(unlocked(disk.contents()) == unlocked(before), "a file changed in spite of: {error}");
    assert!(folder.files() == files, "a ledger changed in spite of: {error}");
}

/// Snapshots that another process makes or removes can't be relied on.
#[test]
fn a_directory_whose_snapshots_are_being_made_is_refused() {
    let (disk, folder, _) = two_snapshots(5, 2, true);
    let held = SnapshotLock::take(&disk, folder.path()).unwrap();
    refused(&disk, &folder, 3, "is making snapshots here");
    drop(held);
    reshard::<Shadow>(&disk, folder.path(), 3).unwrap();
}

/// A resharding of trimmed logs is interrupted after it was declared, and then a draft of what it made is lost: each new log
/// goes on from a snapshot, and no other file has what came before.
#[test]
fn a_switch_to_files_that_are_gone_is_refused() {
    let mut lost = [0; 2];
    for at in 1.. {
        let (disk, mut folder, _) = two_snapshots(7, 2, true);
        disk.set_faults(Faults { power_fails_at: Some(at), ..Faults::default() });
        let cut_short = reshard::<Shadow>(&disk, folder.path(), 3).is_err();
        let left = disk.kill();
        let is_declared = left.read(&folder.path().join("SWITCH-TO-3")).is_some();
        for draft in
            left.paths().iter().filter(|path| is_declared && path.extension().is_some_and(|kind| kind == "draft"))
        {
            let disk = left.copy();
            disk.remove(draft).unwrap();
            let before = disk.contents();
            (folder.options.disk, folder.options.shards) = (Arc::new(disk.clone()), 3);
            let Err(words) = run::<Engine>(&folder.options, &[], 1) else { panic!("{}: it opened", draft.display()) };
            assert!(words.contains("SWITCH-TO-3"), "{}: {words}", draft.display());
            assert!(disk.contents() == before, "files changed in spite of: {words}");
            lost[usize::from(draft.to_string_lossy().contains("snapshot"))] += 1;
        }
        if !cut_short {
            break;
        }
    }
    assert!(lost.iter().all(|&count| count > 0), "logs and snapshots that were lost: {lost:?}");
}

/// Its header and its last frame, in turn.
pub fn every_segment(disk: &SimDisk, folder: &Folder, shards: u16) {
    let all = shards_of(shards).flat_map(|shard| segments(disk, folder.path(), shard).unwrap());
    for path in all.map(|segment| segment.path) {
        let whole = disk.read(&path).unwrap();
        for byte in [10, whole.len() - 5] {
            let mut bytes = whole.clone();
            bytes[byte] ^= 1;
            disk.rot(&path, &bytes);
            refused(disk, folder, 3, &path.display().to_string());
        }
        disk.rot(&path, &whole);
    }
}

/// A log that ends before one of its snapshots, and has no watermark: the snapshot says what is missing.
#[test]
fn a_log_that_ends_before_a_snapshot_is_refused() {
    for trims in [true, false] {
        let (disk, folder, _) = two_snapshots(4, 2, trims);
        let shard = ShardOf { shard: 0, shards: 2 };
        let kept = list(&disk, folder.path(), shard).unwrap();
        let all = segments(&disk, folder.path(), shard).unwrap();
        all.iter().filter(|segment| segment.first > kept[1].0).for_each(|segment| disk.remove(&segment.path).unwrap());
        watermark::remove(&disk, &all[0].path).unwrap();
        refused(&disk, &folder, 3, &format!("command {} was on disk once", kept[0].0.0 - 1));
    }
}

/// A ledger that lacks what no new log can make again, and one of as many shards from before: refused, with the way out.
#[test]
fn ledgers_without_an_end_or_with_two_are_refused() {
    let (disk, mut folder, oracle) = two_snapshots(2, 2, true);
    let (_, path, bytes) = parts(trimmed(&disk, &folder, 2)[0], folder.path()).unwrap().remove(0);
    assert!(bytes > 0);
    OpenOptions::new().write(true).open(&path).unwrap().set_len(0).unwrap();
    refused(&disk, &folder, 3, "open the logs with `--shards 2` once");
    let (disk, fresh, _) = two_snapshots(2, 2, true);
    folder = fresh;
    reshard::<Shadow>(&disk, folder.path(), 3).unwrap();
    refused(&disk, &folder, 2, "from before an earlier resharding");
    for (_, path, _) in shards_of(2).flat_map(|shard| parts(shard, folder.path()).unwrap()) {
        std::fs::remove_file(path).unwrap();
    }
    reshard::<Shadow>(&disk, folder.path(), 2).unwrap();
    let went = run::<Engine>(&folder.options, &[], 1).unwrap();
    check_state(&oracle.state(160), &went.closed.state).unwrap();
}

/// A disk that writes snapshots differently from what it was given: reading back shows it before anything is removed.
#[test]
fn a_snapshot_that_does_not_read_back_is_refused() {
    let (disk, folder, _) = two_snapshots(3, 2, true);
    let before = disk.contents();
    let error =
        reshard::<Shadow>(&Through::new(Arc::new(disk.clone()), Liar), folder.path(), 3).expect_err("it went on");
    assert!(error.to_string().contains("a new snapshot does not read back"), "{error}");
    let locks = |path: &&PathBuf| !path.to_string_lossy().contains("LOCK");
    assert!(disk.paths().iter().filter(locks).eq(before.keys().filter(locks)), "{:?}", disk.paths());
    reshard::<Shadow>(&disk, folder.path(), 3).unwrap();
}

#[derive(Clone)]
struct Liar;

impl Meddle for Liar {
    fn concerns(&self, path: &Path) -> bool {
        path.to_string_lossy().contains("snapshot")
    }

    fn write_at(&self, file: &mut dyn LogFile, at: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut others = bytes.to_vec();
        others[bytes.len() / 2] ^= 1;
        file.write_at(at, &others)
    }
}
