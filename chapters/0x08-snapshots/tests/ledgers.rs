//! The ledger behind snapshots: a start never leaves a hole in it, and trimming never takes what only the log could
//! write again.
#![allow(clippy::unwrap_used)]

use std::fs::{self, OpenOptions};
use std::path::Path;

use ch08::Chapter;
use ch08::shadow::Shadow;
use contract::folder::Folder;
use contract::harness::{check_ledger, check_state, run};
use contract::oracle::Oracle;
use contract::streams::Random;
use keeping::Shadow as _;
use keeping::ledger_parts::{Part, reach, sync};
use keeping::once::snapshot;
use keeping::trim::{Kept, trim};
use market::log::ShardOf;
use market::log_chain::segments;
use market::snapshot::list;
use market::{Command, EngineError, Event, RealDisk, Sequence};

type Engine = <Chapter as runner::Chapter>::Engine;

fn commands(oracle: &Oracle, from: usize, to: usize) -> Vec<Command> {
    oracle.steps(0)[from..to].iter().map(|step| step.command).collect()
}

/// A folder with segments of about 20 commands, a log of 200, and snapshots behind 100 and 200 of them.
fn two_snapshots() -> (Folder, Oracle) {
    let oracle = Oracle::of(&Random::new(7).stream(300));
    let mut folder = Folder::on_disk(RealDisk);
    folder.options.segment_commands = Some(20);
    for (from, to) in [(0, 100), (100, 200)] {
        run::<Engine>(&folder.options, &commands(&oracle, from, to), 5).unwrap();
        snapshot::<Shadow>(&folder.options).unwrap();
    }
    (folder, oracle)
}

/// Leaves so many entries in the ledger, as a kill before a buffer was written does.
fn cut_ledger(folder: &Folder, entries: usize) {
    for entry in fs::read_dir(folder.path()).unwrap().flatten() {
        if let Some(part) = entry.file_name().to_str().and_then(Part::of_file_name) {
            let length = (entries as u64).saturating_sub(part.entry) * Event::BYTES as u64;
            let file = OpenOptions::new().write(true).open(entry.path()).unwrap();
            file.set_len(length.min(file.metadata().unwrap().len())).unwrap();
        }
    }
}

/// How many segments are removed because no snapshot needs them.
fn trims(folder: &Folder, archive: Option<&Path>) -> Result<usize, EngineError> {
    let kept = Kept::find(&RealDisk, folder.path(), ShardOf::ONLY, Sequence(u64::MAX))?;
    trim(&RealDisk, folder.path(), archive, ShardOf::ONLY, &kept)
}

/// How many entries the ledger has behind so many commands.
fn entries(oracle: &Oracle, commands: usize) -> usize {
    oracle.events(commands).filter(|event| event.moves_value()).count()
}

/// The ledger is cut anywhere: the start goes back to a snapshot that it reaches, or to the first command, says so, and in the end
/// the ledger is whole.
#[test]
fn a_start_leaves_no_hole() {
    let (_, oracle) = two_snapshots();
    let [first, second] = [100, 200].map(|behind| entries(&oracle, behind));
    assert!(0 < first && first < second);
    for (left, behind) in
        [(0, None), (first - 1, None), (first, Some(100)), (second - 1, Some(100)), (second, Some(200))]
    {
        let (folder, oracle) = two_snapshots();
        cut_ledger(&folder, left);
        assert_eq!(reach(ShardOf::ONLY, folder.path(), second as u64, 0).unwrap(), left == second);
        let went = run::<Engine>(&folder.options, &commands(&oracle, 200, 300), 5).unwrap();
        let replayed = 200 - behind.unwrap_or(0);
        assert_eq!(went.recovery.replayed, replayed, "{left} entries: {:?}", went.recovery.remarks);
        let said = went.recovery.remarks.join("; ");
        assert_eq!(said.contains("the ledger does not have all"), left < second, "{left} entries: {said}");
        check_ledger(oracle.events(300), folder.path(), 1).unwrap();
    }
}

/// Segments stay while the ledger lacks what they lead to, and go when it has it.
#[test]
fn trimming_waits_for_the_ledger() {
    let (folder, oracle) = two_snapshots();
    let first = entries(&oracle, 100);
    let begins = || segments(&RealDisk, folder.path(), ShardOf::ONLY).unwrap()[0].first.0;
    cut_ledger(&folder, first - 1);
    assert_eq!((trims(&folder, None).unwrap(), begins()), (0, 1));
    // It is written again, and synced when the next snapshot is.
    run::<Engine>(&folder.options, &commands(&oracle, 200, 300), 5).unwrap();
    assert_eq!((trims(&folder, None).unwrap(), begins()), (0, 1));
    snapshot::<Shadow>(&folder.options).unwrap();
    assert!(trims(&folder, None).unwrap() > 0 && begins() > 60);
    // Now nothing can write it again: a file of it is removed, and the start goes on and reports what
    // is missing.
    for entry in fs::read_dir(folder.path()).unwrap().flatten() {
        if entry.file_name().to_str().and_then(Part::of_file_name).is_some() {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    let went = run::<Engine>(&folder.options, &[], 5).unwrap();
    check_state(&oracle.state(300), &went.closed.state).unwrap();
    assert!(went.recovery.remarks.join("; ").contains("the ledger does not have all"), "{:?}", went.recovery);
}

/// A snapshot records how much of the ledger was on disk before it, and segments are removed because of that: so
/// there is none before the ledger was synced. One of its parts here is a folder, which can't be opened to be synced.
#[test]
fn no_snapshot_before_the_ledger_is_synced() {
    let (folder, oracle) = two_snapshots();
    run::<Engine>(&folder.options, &commands(&oracle, 200, 250), 5).unwrap();
    let behind = Part { shard: ShardOf::ONLY, first: Sequence(1_000), entry: 1_000_000 };
    fs::create_dir(folder.path().join(behind.file_name())).unwrap();
    assert!(snapshot::<Shadow>(&folder.options).is_err(), "nothing tried to sync the ledger");
    assert_eq!(list(&RealDisk, folder.path(), ShardOf::ONLY).unwrap()[0].0, Sequence(201));
}

/// What was written to the ledger behind the last sync is zeros after the power failed: a start goes back to where that is
/// written again.
#[test]
fn zeros_are_no_entries() {
    let (folder, oracle) = two_snapshots();
    run::<Engine>(&folder.options, &commands(&oracle, 200, 250), 5).unwrap();
    let [synced, wanted] = [200, 250].map(|behind| entries(&oracle, behind));
    cut_ledger(&folder, synced);
    snapshot::<Shadow>(&folder.options).unwrap();
    let last = fs::read_dir(folder.path())
        .unwrap()
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str().and_then(Part::of_file_name)?.entry, entry.path())));
    let (entry, path) = last.max().unwrap();
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_len((wanted as u64 - entry) * Event::BYTES as u64).unwrap();
    let went = run::<Engine>(&folder.options, &commands(&oracle, 250, 300), 5).unwrap();
    assert_eq!(went.recovery.replayed, 50, "{:?}", went.recovery.remarks);
    check_ledger(oracle.events(300), folder.path(), 1).unwrap();
}

/// The parts of the ledger, and what they hold.
fn ledger(folder: &Folder) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder.path()).unwrap().flatten();
    let parts = entries.filter(|entry| entry.file_name().to_str().and_then(Part::of_file_name).is_some());
    parts.map(|entry| (entry.path(), fs::read(entry.path()).unwrap())).collect()
}

/// A start that passes over a snapshot writes again what that one says is on disk. Until this is synced, a power failure
/// may leave zeros there: no later start believes the snapshot.
#[test]
fn what_is_written_again_is_not_taken_for_synced() {
    let (folder, oracle) = two_snapshots();
    let first = entries(&oracle, 100);
    cut_ledger(&folder, first);
    let went = run::<Engine>(&folder.options, &[], 5).unwrap();
    assert_eq!(went.recovery.replayed, 100, "{:?}", went.recovery.remarks);
    let mut parts = ledger(&folder);
    parts.sort();
    assert_eq!(parts.len(), 2, "the start began no part");
    let again = parts.iter().find(|(path, _)| path.to_string_lossy().contains(".from-")).unwrap();
    fs::write(&again.0, vec![0; again.1.len()]).unwrap();
    run::<Engine>(&folder.options, &commands(&oracle, 200, 300), 5).unwrap();
    check_ledger(oracle.events(300), folder.path(), 1).unwrap();
}

/// A snapshot of a shadow that lagged says that more of the ledger is on disk than leads to it. A start from it cuts that
/// off and writes it again, so the next snapshots can't count on it, and it stays.
#[test]
fn what_an_older_snapshot_says_of_the_disk_is_not_believed() {
    let oracle = Oracle::of(&Random::new(7).stream(200));
    let folder = Folder::on_disk(RealDisk);
    run::<Engine>(&folder.options, &commands(&oracle, 0, 200), 5).unwrap();
    let mut shadow = Shadow::begin(&folder.options, ShardOf::ONLY).unwrap();
    let mut write_behind = |command| {
        shadow.follow(Sequence(command), |_, _, _| ()).unwrap();
        shadow.write().unwrap();
    };
    write_behind(100);
    let written = ledger(&folder);
    cut_ledger(&folder, entries(&oracle, 100));
    [130, 160].into_iter().for_each(write_behind);
    written.into_iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
    let kept = Kept::find(&RealDisk, folder.path(), ShardOf::ONLY, Sequence(u64::MAX)).unwrap();
    let behind: Vec<u64> = kept.snapshots.iter().map(|(next, _)| next.0 - 1).collect();
    assert_eq!(behind, [160, 130, 100], "snapshots that are kept");
}

/// The ledger is behind the two newest snapshots, as it is while an engine works: the newest that it has come to stays as
/// well, and the log from there on, so that a start after a kill leaves no hole.
#[test]
fn a_snapshot_that_the_ledger_has_come_to_stays() {
    let (mut folder, oracle) = two_snapshots();
    folder.options.trim_log = true;
    let kept = || -> Vec<u64> {
        let snapshots = list(&RealDisk, folder.path(), ShardOf::ONLY).unwrap();
        snapshots.iter().map(|(next, _)| next.0 - 1).collect()
    };
    let left = entries(&oracle, 200);
    for (to, wanted) in [(220, vec![220, 200]), (240, vec![240, 220, 200]), (260, vec![260, 240, 200])] {
        run::<Engine>(&folder.options, &commands(&oracle, to - 20, to), 5).unwrap();
        cut_ledger(&folder, left);
        snapshot::<Shadow>(&folder.options).unwrap();
        assert_eq!(kept(), wanted, "snapshots that are kept");
        let begins = segments(&RealDisk, folder.path(), ShardOf::ONLY).unwrap()[0].first.0;
        assert!((176..=201).contains(&begins), "the log begins with {begins}, and 201 is needed");
    }
    let went = run::<Engine>(&folder.options, &commands(&oracle, 260, 300), 5).unwrap();
    assert_eq!(went.recovery.replayed, 60, "{:?}", went.recovery.remarks);
    check_ledger(oracle.events(300), folder.path(), 1).unwrap();
    // The ledger has come to all of them by now, and is not synced yet.
    let found = Kept::find(&RealDisk, folder.path(), ShardOf::ONLY, Sequence(u64::MAX)).unwrap();
    assert_eq!(found.snapshots.len(), 3, "snapshots that are kept before the ledger is synced");
    snapshot::<Shadow>(&folder.options).unwrap();
    assert_eq!(kept(), [300, 260], "snapshots that are kept when the ledger is whole");
}

/// A start may remove a part while another looks at them: what is gone needs no sync. Here it is a link that leads nowhere.
#[cfg(unix)]
#[test]
fn a_part_that_is_gone_needs_no_sync() {
    let (folder, _) = two_snapshots();
    let gone = Part { shard: ShardOf::ONLY, first: Sequence(1_000), entry: 1_000_000 };
    std::os::unix::fs::symlink("nowhere", folder.path().join(gone.file_name())).unwrap();
    sync(ShardOf::ONLY, folder.path()).unwrap();
}

/// The archive's folder need not be there, nor those above it.
#[test]
fn an_archive_is_made() {
    let (folder, _) = two_snapshots();
    let archive = folder.path().join("cold/archive");
    let went = trims(&folder, Some(&archive)).unwrap();
    assert!(went > 0 && segments(&RealDisk, &archive, ShardOf::ONLY).unwrap().len() == went);
}
