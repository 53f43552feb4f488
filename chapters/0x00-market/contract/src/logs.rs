//! One format for all: any engine reads what any other wrote, and a file that is no such log is refused with
//! a message that says what it is.

use std::collections::BTreeSet;

use crate::fixture::{Fixture, Framing, header, unsynced_disk};
use crate::folder::Folder;
use crate::harness::{ledgers, run};
use crate::oracle::Oracle;
use crate::streams::Random;
use market::log::{HEADER_BYTES, ShardOf};
use market::{Command, Engine, EngineError, LogError, read_log};

/// Files that are no log, or not this engine's: each is refused with its own message, which names the file.
pub fn files_that_are_no_log<E: Engine>() {
    let folder = Folder::new(unsynced_disk());
    let whole = Fixture::new(&Random::new(1).stream(20), Framing::Many(5), ShardOf::ONLY).bytes;
    let other_version = {
        let mut bytes = whole.clone();
        bytes[8] = 3;
        bytes
    };
    let other_shard = [&header(ShardOf { shard: 1, shards: 2 }).encode(), &whole[HEADER_BYTES..]].concat();
    let mut texts = BTreeSet::new();
    let mut refused = |bytes: &[u8], kind: fn(&LogError) -> bool| {
        folder.put_log(bytes);
        let error = folder.refusal::<E>().unwrap();
        let text = error.to_string();
        assert!(matches!(&error, EngineError::Log(error) if kind(error)), "another error was expected than: {text}");
        assert!(text.contains(&folder.log().display().to_string()), "the file is not named: {text}");
        assert_eq!(std::fs::read(folder.log()).unwrap(), bytes, "the engine changed a file that it refused");
        texts.insert(text)
    };
    assert!(refused(b"", |error| matches!(error, LogError::Empty { .. })));
    assert!(refused(&other_version, |error| matches!(error, LogError::UnknownVersion { found: 3, .. })));
    assert!(refused(&other_shard, |error| matches!(error, LogError::OtherShard { .. })));
    assert!(refused(b"sequence,command\n1,open market 7\n", |error| matches!(error, LogError::Foreign { .. })));
    assert!(refused(&whole[..HEADER_BYTES - 1], |error| matches!(error, LogError::Foreign { .. })));
    for length in 1..HEADER_BYTES - 1 {
        // A crash never leaves these: a log appears with its complete header.
        assert!(!refused(&whole[..length], |error| matches!(error, LogError::Foreign { .. })));
    }
}

/// Whatever an engine refuses, no file of the directory has changed by a byte, including the ledger.
pub fn a_refusal_changes_nothing<E: Engine>() {
    let folder = Folder::new(unsynced_disk());
    run::<E>(&folder.options, &Random::new(7).stream(400), 20).unwrap();
    let whole = std::fs::read(folder.log()).unwrap();
    // The magic bytes, the version, the first frame, and a frame in the middle of acknowledged commands.
    for at in [3, 9, 30, whole.len() / 2] {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        folder.put_log(&damaged);
        let before = folder.files();
        assert!(before.len() > 1, "there is no ledger");
        let error = folder.refusal::<E>().unwrap();
        assert!(folder.files() == before, "a bit of byte {at} flipped, the engine refused, but files changed: {error}");
    }
}

/// A data directory with another number of shards is refused, and nothing is created in it.
pub fn another_number_of_shards<E: Engine>() {
    let folder = Folder::new(unsynced_disk());
    for shard in 0..2 {
        let shard = ShardOf { shard, shards: 2 };
        std::fs::write(folder.path().join(shard.file_name()), header(shard).encode()).unwrap();
    }
    let error = folder.refusal::<E>().unwrap();
    let text = error.to_string();
    assert!(matches!(error, EngineError::Log(LogError::OtherShards { found: 2, asked: 1, .. })), "{text}");
    assert!(text.contains(&folder.path().display().to_string()), "the folder is not named: {text}");
    assert!(!folder.log().exists(), "a log was made beside those of two shards");
}

/// A log in any chapter's framing, with or without reserved space, is replayed and continued.
pub fn every_framing_replays<E: Engine>() {
    let oracle = Oracle::of(&Random::new(3).stream(1_200));
    let commands: Vec<Command> = oracle.steps(0)[..1_100].iter().map(|step| step.command).collect();
    for framing in [Framing::One, Framing::Many(2), Framing::Many(1_024), Framing::Mixed(1_024), Framing::Mixed(30)] {
        for reserved in [0, 24, 1_000_000] {
            let folder = Folder::new(unsynced_disk());
            let log = Fixture::new(&commands, framing, ShardOf::ONLY).reserved(reserved);
            folder.put_log(&log.bytes);
            let went = folder.recovers::<E>(&oracle, commands.len());
            went.and_then(|_| folder.goes_on::<E>(&oracle, commands.len(), 100))
                .unwrap_or_else(|error| panic!("{framing:?}, {reserved} bytes reserved: {error}"));
        }
    }
}

/// The format's own reader reads back what the engine wrote, command by command.
pub fn its_log_is_read_by_the_format<E: Engine>() {
    for (batch_max, flush_every, reserve_commands) in [(1, 1, 0), (7, 3, 10), (1_024, 100, 10_000), (1_024, 5_000, 0)] {
        let mut folder = Folder::new(unsynced_disk());
        folder.options.batch_max = batch_max;
        folder.options.reserve_commands = reserve_commands;
        let (first, second) = (Random::new(4).stream(1_500), Random::new(5).stream(300));
        for commands in [&first, &second] {
            run::<E>(&folder.options, commands, flush_every).unwrap();
        }
        let mut read = Vec::new();
        let judged = read_log::<LogError>(&folder.options, ShardOf::ONLY, |stamp, command| {
            read.push(command);
            assert_eq!(stamp.sequence.0, read.len() as u64, "the number of a command in the log");
            Ok(())
        });
        let torn = judged.map(|log| log.recovery().torn_bytes).map_err(|error| error.to_string());
        assert_eq!(torn, Ok(0), "bytes of a torn frame that the engine left behind");
        assert!(read == [first, second].concat(), "the log does not hold what was submitted");
    }
}

/// The ledger is derived data: whatever happened to the file, opening rebuilds it byte for byte.
pub fn ledger_is_rebuilt<E: Engine>() {
    let folder = Folder::new(unsynced_disk());
    let oracle = Oracle::of(&Random::new(6).stream(400));
    folder.goes_on::<E>(&oracle, 0, 400).unwrap();
    let [ledger] = &ledgers(folder.path())[..] else {
        panic!("there is not one ledger in {}", folder.path().display());
    };
    let written = std::fs::read(ledger).unwrap();
    assert!(!written.is_empty(), "the ledger is empty after 400 commands");
    let longer = [&written[..], &[7; 1_000]].concat();
    for changed in [None, Some(&b""[..]), Some(&written[..written.len() / 2 + 3]), Some(&longer)] {
        match changed {
            None => std::fs::remove_file(ledger).unwrap(),
            Some(bytes) => std::fs::write(ledger, bytes).unwrap(),
        }
        folder.recovers::<E>(&oracle, 400).unwrap();
        assert!(std::fs::read(ledger).unwrap() == written, "the ledger was not rebuilt as it was");
    }
}
