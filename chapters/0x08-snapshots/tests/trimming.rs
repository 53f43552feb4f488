//! Trimming: only what is not needed is removed, at whatever moment the power fails.
#![allow(clippy::unwrap_used)]

use std::process::Command as Process;
use std::sync::Arc;

use ch08::Chapter;
use ch08::shadow::Shadow;
use contract::folder::Folder;
use contract::harness::{check_ledger, check_state, run};
use contract::oracle::Oracle;
use contract::streams::Random;
use contract::{Faults, SimDisk};
use keeping::once::snapshot;
use keeping::trim::{Kept, trim};
use market::log::ShardOf;
use market::log_chain::{Segment, segments};
use market::snapshot::list;
use market::{Command, LogError, Options, Sequence, read_log};

type Engine = <Chapter as runner::Chapter>::Engine;

fn commands(oracle: &Oracle, from: usize, to: usize) -> Vec<Command> {
    oracle.steps(0)[from..to].iter().map(|step| step.command).collect()
}

/// The first command of each segment.
fn firsts(disk: &SimDisk, folder: &Folder) -> Vec<u64> {
    segments(disk, folder.path(), ShardOf::ONLY).unwrap().iter().map(|segment| segment.first.0).collect()
}

/// A folder with segments of about 20 commands, a log of 200 of them, and a snapshot behind 100; a second one is due.
fn one_snapshot(seed: u64) -> (SimDisk, Folder, Oracle) {
    let (disk, oracle) = (SimDisk::new(seed, Faults::default()), Oracle::of(&Random::new(7).stream(400)));
    let mut folder = Folder::new(disk.clone());
    (folder.options.segment_commands, folder.options.trim_log) = (Some(20), true);
    run::<Engine>(&folder.options, &commands(&oracle, 0, 100), 5).unwrap();
    snapshot::<Shadow>(&folder.options).unwrap();
    run::<Engine>(&folder.options, &commands(&oracle, 100, 200), 5).unwrap();
    (disk, folder, oracle)
}

/// With one snapshot nothing is removed; with two, the segments before the older one's are. The log goes on, the
/// ledger's parts are the ledger, and a reader that needs the beginning reports that it is gone.
#[test]
fn segments_that_no_snapshot_needs_are_removed() {
    let (disk, folder, oracle) = one_snapshot(1);
    assert_eq!(firsts(&disk, &folder)[0], 1, "something was removed with one snapshot");
    for at in [200, 250, 300, 350, 400] {
        if at > 200 {
            let went = run::<Engine>(&folder.options, &commands(&oracle, at - 50, at), 5).unwrap();
            assert_eq!(went.recovery.commands, at as u64 - 50);
            check_state(&oracle.state(at), &went.closed.state).unwrap();
        }
        snapshot::<Shadow>(&folder.options).unwrap();
        let (first, kept) = (firsts(&disk, &folder)[0], list(&disk, folder.path(), ShardOf::ONLY).unwrap());
        assert_eq!(kept.len(), 2, "{kept:?}");
        let needed = kept[1].0.0;
        assert!(
            (needed.saturating_sub(25)..=needed).contains(&first),
            "the log begins with {first}; {needed} is needed"
        );
        check_ledger(oracle.events(at), folder.path(), 1).unwrap();
    }
    let first = firsts(&disk, &folder)[0];
    let read = read_log::<LogError>(&folder.options, ShardOf::ONLY, |_, _| Ok(()));
    let error = read.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains(&format!("begins with command {first}")) && error.contains("snapshot"), "{error}");
}

/// When one of the two is damaged, everything stays.
#[test]
fn a_damaged_snapshot_keeps_all_segments() {
    for damaged in [0, 1] {
        let (disk, mut folder, oracle) = one_snapshot(2);
        folder.options.trim_log = false;
        snapshot::<Shadow>(&folder.options).unwrap();
        let (_, path) = list(&disk, folder.path(), ShardOf::ONLY).unwrap().remove(damaged);
        let mut bytes = disk.read(&path).unwrap();
        let last = bytes.len() - 9;
        bytes[last] ^= 1;
        disk.rot(&path, &bytes);
        let kept = Kept::find(&disk, folder.path(), ShardOf::ONLY, Sequence(u64::MAX)).unwrap();
        trim(&disk, folder.path(), None, ShardOf::ONLY, &kept).unwrap();
        assert_eq!(firsts(&disk, &folder)[0], 1, "segments went although snapshot {damaged} is damaged");
        let went = run::<Engine>(&folder.options, &[], 1).unwrap();
        check_state(&oracle.state(200), &went.closed.state).unwrap();
    }
}

/// With an archive, removed segments are kept: the archive and the rest are the whole log. A crash between copy and
/// removal is repaired, and a segment of another log is not taken for one of this.
#[test]
fn removed_segments_are_archived() {
    let (disk, mut folder, oracle) = one_snapshot(3);
    let archive = folder.path().join("archive");
    let segment = segments(&disk, folder.path(), ShardOf::ONLY).unwrap().remove(0).path;
    let aside = archive.join(segment.file_name().unwrap());
    folder.options.archive = Some(archive.clone());
    disk.put(&aside, b"another's");
    let error = snapshot::<Shadow>(&folder.options).unwrap_err().to_string();
    assert!(error.contains("an archive of its own") && firsts(&disk, &folder)[0] == 1, "{error}");
    disk.put(&aside, &disk.read(&segment).unwrap());
    run::<Engine>(&folder.options, &commands(&oracle, 200, 250), 5).unwrap();
    snapshot::<Shadow>(&folder.options).unwrap();
    let first = firsts(&disk, &folder)[0];
    assert!(first > 60, "nothing was trimmed: {first}");

    for Segment { path, .. } in segments(&disk, &archive, ShardOf::ONLY).unwrap() {
        disk.put(&folder.path().join(path.file_name().unwrap()), &disk.read(&path).unwrap());
    }
    let mut read = Vec::new();
    let each = |_, command| {
        read.push(command);
        Ok(())
    };
    read_log::<LogError>(&folder.options, ShardOf::ONLY, each).unwrap();
    assert_eq!(read, commands(&oracle, 0, 250));
}

/// An archive that is the data directory, under whatever name, would be emptied with it: it is refused before anything
/// is done.
#[test]
fn an_archive_in_place_is_refused() {
    for way in [".", "missing/.."] {
        let (disk, mut folder, _) = one_snapshot(5);
        let (before, data_dir) = (disk.contents(), folder.path().to_path_buf());
        let archive = data_dir.join(way);
        folder.options.archive = Some(archive.clone());
        let refused = snapshot::<Shadow>(&folder.options).unwrap_err();
        assert!(refused.to_string().contains("the data directory itself"), "{refused}");
        assert!(before.iter().all(|(path, bytes)| disk.read(path).as_ref() == Some(bytes)), "a segment went to {way}");
        for flags in [&["--snapshot"][..], &["--snapshot-every", "10", "--orders", "10"]] {
            let mut program = Process::new(env!("CARGO_BIN_EXE_ch08"));
            program.args(flags).arg("--archive").arg(&archive).arg("--data-dir").arg(&data_dir);
            let output = program.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(2) && said.contains("the data directory itself"), "{flags:?}: {said}");
        }
    }
}

/// A backup was restored and the market went on with other orders: the archive has the only record of what came after
/// the backup, so a segment of the same name that is not the same is refused, and nothing goes.
#[test]
fn another_past_in_the_archive_stays() {
    let (disk, mut folder, oracle) = one_snapshot(6);
    let archive = folder.path().join("archive");
    folder.options.archive = Some(archive.clone());
    let second = segments(&disk, folder.path(), ShardOf::ONLY).unwrap().remove(1).path;
    let past = archive.join(second.file_name().unwrap());
    let mut bytes = disk.read(&second).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    disk.put(&past, &bytes);
    let refused = snapshot::<Shadow>(&folder.options).unwrap_err().to_string();
    assert!(refused.contains("a past that this log does not have"), "{refused}");
    assert!(disk.read(&past) == Some(bytes), "the archive's record was overwritten");
    assert_eq!(firsts(&disk, &folder)[0], 1, "a segment went");
    let went = run::<Engine>(&folder.options, &[], 1).unwrap();
    check_state(&oracle.state(200), &went.closed.state).unwrap();
}

/// A snapshot that is damaged is none of the two that stay: in a log without its beginning the third is needed.
#[test]
fn a_damaged_snapshot_is_not_counted() {
    let (disk, folder, oracle) = one_snapshot(7);
    snapshot::<Shadow>(&folder.options).unwrap();
    assert!(firsts(&disk, &folder)[0] > 1, "the log was not trimmed");
    let rot = |at: usize| {
        let (_, path) = list(&disk, folder.path(), ShardOf::ONLY).unwrap().remove(at);
        let mut bytes = disk.read(&path).unwrap();
        let last = bytes.len() - 9;
        bytes[last] ^= 1;
        disk.rot(&path, &bytes);
    };
    let second = list(&disk, folder.path(), ShardOf::ONLY).unwrap()[1].0;
    run::<Engine>(&folder.options, &commands(&oracle, 200, 250), 5).unwrap();
    rot(0);
    snapshot::<Shadow>(&folder.options).unwrap();
    let kept = list(&disk, folder.path(), ShardOf::ONLY).unwrap();
    assert!(kept.len() == 2 && kept[1].0 == second, "the damaged one was counted: {kept:?}");
    rot(0);
    let went = run::<Engine>(&folder.options, &[], 1).unwrap();
    check_state(&oracle.state(250), &went.closed.state).unwrap();
}

/// The power fails in each operation: the directory opens with everything, and the next trimming completes the work.
#[test]
fn a_crash_in_each_operation() {
    let mut begins = std::collections::BTreeSet::new();
    for at in 1.. {
        let (disk, folder, oracle) = one_snapshot(at);
        disk.set_faults(Faults { power_fails_at: Some(at), ..Faults::default() });
        let made = snapshot::<Shadow>(&folder.options);
        let left = if at % 2 == 0 { disk.crash() } else { disk.kill() };
        begins.insert(firsts(&left, &folder)[0]);
        let options = Options { disk: Arc::new(left.clone()), ..folder.options.clone() };
        let went = run::<Engine>(&options, &commands(&oracle, 200, 240), 5);
        let went = went.unwrap_or_else(|error| panic!("power failed at {at}: {error}"));
        check_state(&oracle.state(240), &went.closed.state).unwrap();
        snapshot::<Shadow>(&options).unwrap();
        let kept = list(&left, folder.path(), ShardOf::ONLY).unwrap();
        let first = firsts(&left, &folder)[0];
        assert!(
            kept.len() == 2 && Sequence(first) <= kept[1].0 && first > 60,
            "power failed at {at}: {first}, {kept:?}"
        );
        if made.is_ok() {
            break;
        }
    }
    assert!(begins.len() > 2, "the log begins with one of {begins:?}: no crash was between two removals");
}
