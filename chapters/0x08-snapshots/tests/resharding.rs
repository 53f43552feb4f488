//! Resharding trusts nothing: not a log's name, not its tail, not its own writing. What it refuses, it leaves
//! unchanged.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use ch08::Chapter;
use ch08::reshard::reshard;
use contract::fixture::{TIME, header};
use contract::folder::Folder;
use contract::harness::run;
use contract::streams::Random;
use contract::through::{Forger, Meddle, Through};
use contract::{Faults, SimDisk, traced};
use market::log::{RECORD_BYTES, ShardOf, encode_log};
use market::log_reader::LogReader;
use market::{Command, Disk as _, EngineError, LogError, LogFile, MarketId};

type Engine = <Chapter as runner::Chapter>::Engine;

/// A data directory with two shards.
fn two_shards() -> (SimDisk, Folder) {
    let disk = SimDisk::new(0, Faults::default());
    let mut folder = Folder::new(disk.clone());
    folder.options.shards = 2;
    run::<Engine>(&folder.options, &Random::new(6).stream(300), 50).unwrap();
    (disk, folder)
}

fn log(folder: &Folder, shard: u16, shards: u16) -> PathBuf {
    folder.path().join(ShardOf { shard, shards }.file_name())
}

/// All logs, and what is in them.
fn logs(disk: &SimDisk) -> Vec<(PathBuf, Vec<u8>)> {
    let logs = disk.paths().into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "log"));
    logs.map(|path| (path.clone(), disk.read(&path).unwrap())).collect()
}

/// Resharding fails with a message that contains `part`, and no log has changed.
fn refused(disk: &SimDisk, folder: &Folder, shards: u16, part: &str) -> EngineError {
    let (before, ledgers) = (logs(disk), folder.files());
    let error = reshard(disk, folder.path(), shards).expect_err("it went on");
    assert!(error.to_string().contains(part), "the error does not say {part}: {error}");
    assert_eq!(logs(disk), before, "resharding refused, but logs changed: {error}");
    assert_eq!(folder.files(), ledgers, "resharding refused, but ledgers changed: {error}");
    error
}

#[test]
fn a_copied_log_is_refused() {
    let (disk, folder) = two_shards();
    disk.put(&log(&folder, 1, 2), &disk.read(&log(&folder, 0, 2)).unwrap());
    let error = refused(&disk, &folder, 4, "shard 0 of 2, but shard 1 of 2 was asked for");
    assert!(matches!(error, EngineError::Log(LogError::OtherShard { .. })), "{error}");
}

#[test]
fn a_command_in_a_foreign_log_is_refused() {
    let (disk, folder) = two_shards();
    let commands: Vec<Command> = Random::new(7).stream(20);
    disk.put(&log(&folder, 1, 2), &encode_log(&header(ShardOf { shard: 1, shards: 2 }), TIME, &commands));
    refused(&disk, &folder, 4, "which belongs to shard 0");
}

#[test]
fn a_torn_log_is_refused_until_it_was_opened() {
    let (disk, mut folder) = two_shards();
    let path = log(&folder, 1, 2);
    let bytes = disk.read(&path).unwrap();
    disk.put(&path, &bytes[..bytes.len() - RECORD_BYTES]);
    refused(&disk, &folder, 4, "--shards 2");
    run::<Engine>(&folder.options, &[], 1).unwrap();
    reshard(&disk, folder.path(), 4).unwrap();
    folder.options.shards = 4;
    run::<Engine>(&folder.options, &[], 1).unwrap();
}

/// After a whole frame nothing shows that there was one more command: only the watermark does.
#[test]
fn a_log_that_lost_its_last_command_is_refused() {
    let (disk, folder) = two_shards();
    let path = log(&folder, 1, 2);
    run::<Engine>(&folder.options, &[Command::Open { market: MarketId(1) }], 1).unwrap();
    let bytes = disk.read(&path).unwrap();
    disk.rot(&path, &bytes[..bytes.len() - 2 * RECORD_BYTES]);
    refused(&disk, &folder, 4, "was on disk once");
}

/// A resharding leaves one set, wherever it is interrupted. If there are two, it can't be known
/// which is right.
#[test]
fn two_sets_are_refused() {
    let (disk, folder) = two_shards();
    disk.put(&log(&folder, 0, 1), &encode_log(&header(ShardOf::ONLY), TIME, &Random::new(8).stream(300)));
    for shards in [1, 2] {
        refused(&disk, &folder, shards, "nothing was removed");
    }
}

#[test]
fn a_directory_in_use_is_refused() {
    let (disk, folder) = two_shards();
    let held = market::DataDir::open(&disk, folder.path()).unwrap();
    refused(&disk, &folder, 4, "in use by process");
    drop(held);
    reshard(&disk, folder.path(), 4).unwrap();
}

/// New ledgers replace the old ones. A ledger that is already gone is no problem.
#[test]
fn the_ledgers_of_the_old_set_go() {
    for gone in 0..2 {
        let (disk, folder) = two_shards();
        let ledgers: Vec<PathBuf> = folder.files().into_keys().collect();
        assert_eq!(ledgers.len(), 2, "{ledgers:?}");
        ledgers[..gone].iter().for_each(|ledger| fs::remove_file(ledger).unwrap());
        reshard(&disk, folder.path(), 4).unwrap();
        assert!(folder.files().is_empty(), "{:?}", folder.files().keys());
    }
}

#[test]
fn a_ledger_that_stays_is_an_error() {
    let (disk, folder) = two_shards();
    let (ledger, before) = (folder.files().into_keys().next().unwrap(), logs(&disk));
    fs::remove_file(&ledger).unwrap();
    fs::create_dir(&ledger).unwrap();
    let error = reshard(&disk, folder.path(), 4).expect_err("it went on");
    assert!(error.to_string().contains("the ledger"), "{error}");
    assert_eq!(logs(&disk), before, "resharding refused, but logs changed: {error}");
    fs::remove_dir(&ledger).unwrap();
    reshard(&disk, folder.path(), 4).unwrap();
}

/// Whatever a crash leaves of a real program's resharding either opens or reports what to do, and a second
/// resharding completes it.
#[test]
fn crash_states_of_resharding() {
    traced::crash_states_of_resharding::<Chapter>(env!("CARGO_BIN_EXE_ch08"), reshard);
}

#[test]
fn planted_mistakes_of_resharding() {
    traced::planted_mistakes_of_resharding::<Chapter>(env!("CARGO_BIN_EXE_ch08"), reshard);
}

/// A disk that writes something else than it was given, with a correct checksum or without: reading it back detects
/// that before anything is removed, and no draft stays.
#[test]
fn a_set_that_does_not_read_back_is_refused() {
    does_not_read_back(Liar);
    does_not_read_back(Forger);
}

fn does_not_read_back(meddle: impl Meddle) {
    let (disk, folder) = two_shards();
    let before = logs(&disk);
    let error = reshard(&Through::new(Arc::new(disk.clone()), meddle), folder.path(), 4).expect_err("it went on");
    assert!(matches!(error, EngineError::Log(_) | EngineError::Unsound { .. }), "{error}");
    assert_eq!(logs(&disk), before, "{error}");
    let is_draft = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "draft");
    assert!(!disk.paths().iter().any(is_draft), "drafts are left over: {:?}", disk.paths());
    assert_eq!(reshard(&disk, folder.path(), 4).map_err(|error| error.to_string()).map(|_| ()), Ok(()));
    assert!(logs(&disk).len() == 4 && disk.paths().len() <= 8, "drafts are left over: {:?}", disk.paths());
}

#[derive(Clone)]
struct Liar;

impl Meddle for Liar {
    fn write_at(&self, file: &mut dyn LogFile, at: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut others = bytes.to_vec();
        others[bytes.len() / 2] ^= 1;
        file.write_at(at, &others)
    }
}

/// Commands with the same time share frames in the new logs, as many as fit, whatever frames they were in
/// before.
#[test]
fn new_logs_have_full_frames() {
    let disk = SimDisk::new(0, Faults::default());
    let folder = Folder::new(disk.clone());
    let commands = Random::new(9).stream(5_000);
    disk.put(&folder.log(), &encode_log(&header(ShardOf::ONLY), TIME, &commands));
    reshard(&disk, folder.path(), 2).unwrap();
    let mut full = 0;
    for path in [0, 1].map(|shard| log(&folder, shard, 2)) {
        let mut file = disk.open(&path).unwrap().unwrap();
        let (mut reader, mut frames) = (LogReader::new(&mut *file, &path).unwrap(), Vec::new());
        while let Some(frame) = reader.next_frame().unwrap() {
            frames.push(frame.count());
        }
        let (last, others) = frames.split_last().unwrap();
        assert!(*last <= 1_024 && others.iter().all(|&count| count == 1_024), "{frames:?}");
        full += others.len();
    }
    assert!(full > 2, "{full} full frames");
}
