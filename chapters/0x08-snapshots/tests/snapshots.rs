//! Snapshots: what is loaded is what a replay of the whole log comes to, or it is not loaded.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::sync::Arc;

use ch08::Chapter;
use ch08::shadow::Shadow;
use ch08::start::Start;
use contract::fixture::TIME;
use contract::folder::Folder;
use contract::harness::{check_ledger, check_state, run};
use contract::oracle::Oracle;
use contract::streams::Random;
use contract::{Faults, Rounds, SimDisk};
use keeping::once::snapshot;
use market::log::{HEADER_BYTES, ShardOf};
use market::log_chain::segments;
use market::log_reader::Place;
use market::model::Model;
use market::snapshot::{AccountRecord, MarketRecord, OrderRecord, SnapshotHeader, file_name, list};
use market::snapshot_file::SnapshotWriter;
use market::{Command, Disk as _, LogId, Options, Sequence, Stamp};

type Engine = <Chapter as runner::Chapter>::Engine;

fn commands(oracle: &Oracle, from: usize, to: usize) -> Vec<Command> {
    oracle.steps(0)[from..to].iter().map(|step| step.command).collect()
}

fn snapshots(disk: &SimDisk, folder: &Folder) -> Vec<PathBuf> {
    list(disk, folder.path(), ShardOf::ONLY).unwrap().into_iter().map(|(_, path)| path).collect()
}

/// A folder with a log of 240 commands in segments, and snapshots behind 100 and 170 of them.
fn two_snapshots(seed: u64) -> (SimDisk, Folder, Oracle) {
    let (disk, oracle) = (SimDisk::new(seed, Faults::default()), Oracle::of(&Random::new(seed).stream(300)));
    let mut folder = Folder::new(disk.clone());
    folder.options.segment_commands = Some(64);
    for (from, to) in [(0, 100), (100, 170), (170, 240)] {
        run::<Engine>(&folder.options, &commands(&oracle, from, to), 7).unwrap();
        if to < 240 {
            snapshot::<Shadow>(&folder.options).unwrap();
        }
    }
    (disk, folder, oracle)
}

/// How many commands are behind the snapshot that a start uses, 0 for none. Its state has to be the oracle's there.
fn starts_behind(options: &Options, oracle: &Oracle) -> Result<(usize, Vec<String>), String> {
    let start = Start::find(options, ShardOf::ONLY).map_err(|error| error.to_string())?;
    let count = start.origin.next().0 as usize - 1;
    check_state(&oracle.state(count), &start.exchange.state())?;
    Ok((count, start.origin.passed_over))
}

/// Any stream, snapshots at any place in it: a start from the last is a replay of everything, and the ledger's parts
/// are the ledger.
#[test]
fn any_stream_and_any_place() {
    let (mut from_snapshot, mut resolved) = (0, 0);
    let seeds = Rounds::asked().pick(500, 2_000);
    for seed in 0..seeds {
        let mut random = Random::new(seed);
        let length = 10 + random.below(140) as usize;
        let stream = random.stream(length);
        let (disk, mut model) = (SimDisk::new(seed, Faults::default()), Model::default());
        let mut folder = Folder::new(disk.clone());
        folder.options.segment_commands = random.one_in(2).then_some(16);
        folder.options.batch_max = random.pick(&[1, 5, 64]);
        let (mut events, mut done) = (Vec::new(), 0);
        while done < length {
            let to = (done + 1 + random.below(60) as usize).min(length);
            let part = &stream[done..to];
            let went = run::<Engine>(&folder.options, part, 9).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            part.iter().for_each(|command| events.extend(model.apply(command)));
            let same = check_state(&model.state(), &went.closed.state);
            same.unwrap_or_else(|error| panic!("seed {seed}, {to} commands: {error}"));
            check_ledger(events.iter(), folder.path(), 1).unwrap_or_else(|error| panic!("seed {seed}, {to}: {error}"));
            if random.one_in(2) {
                snapshot::<Shadow>(&folder.options).unwrap();
            }
            done = to;
        }
        let options = &folder.options;
        let again = run::<Engine>(options, &[], 1).unwrap();
        check_state(&model.state(), &again.closed.state).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        from_snapshot += u64::from(Start::find(options, ShardOf::ONLY).unwrap().origin.place.is_some());
        resolved += model.state().markets.values().filter(|market| market.closed).count() as u64;
        // The same log without its snapshots.
        let bare = disk.copy();
        snapshots(&disk, &folder).iter().for_each(|path| bare.remove(path).unwrap());
        let replayed = run::<Engine>(&Options { disk: Arc::new(bare), ..options.clone() }, &[], 1).unwrap();
        assert_eq!(replayed.closed.state, again.closed.state, "seed {seed}: replayed, and from a snapshot");
    }
    assert!(
        from_snapshot > seeds / 2 && resolved > seeds / 20,
        "{from_snapshot} starts from a snapshot, {resolved} closed markets"
    );
}

/// What a snapshot takes, and that it fits its header.
#[test]
fn a_snapshot_is_small() {
    const { assert!(OrderRecord::BYTES <= 40 && AccountRecord::BYTES <= 48 && MarketRecord::BYTES <= 48) };
    let (disk, folder, _) = two_snapshots(1);
    let bytes = disk.read(&snapshots(&disk, &folder)[0]).unwrap().len();
    let state = Start::find(&folder.options, ShardOf::ONLY).unwrap().exchange.state();
    let orders: usize = state.markets.values().map(|market| market.bids.len() + market.asks.len()).sum();
    let accounts: usize = state.markets.values().map(|market| market.accounts.len()).sum();
    assert!(orders > 0 && accounts > 0);
    assert_eq!(
        bytes,
        256 + 48 * state.markets.len() + 40 * accounts + 24 * orders + 8,
        "bytes of a snapshot of one block"
    );
}

/// Its bytes are the same on every machine, also where words have 32 bits: Fletcher's sums of them are pinned. Others mean
/// another format.
#[test]
fn bytes_are_pinned() {
    let (disk, folder, _) = two_snapshots(1);
    let sums = |path: &PathBuf| {
        let bytes = disk.read(path).unwrap();
        let (mut once, mut twice) = (0_u64, 0_u64);
        for &byte in &bytes {
            once += u64::from(byte);
            twice += once;
        }
        (bytes.len(), once, twice)
    };
    let all: Vec<_> = snapshots(&disk, &folder).iter().map(sums).collect();
    assert_eq!(all, [(1_008, 9_489, 6_269_273), (936, 8_880, 5_411_607)]);
}

/// Every bit of the newest snapshot flipped, every length cut, and bytes behind it: it is passed over, with its name.
#[test]
fn damage_is_passed_over() {
    let (disk, folder, oracle) = two_snapshots(2);
    let newest = snapshots(&disk, &folder).remove(0);
    let whole = disk.read(&newest).unwrap();
    assert_eq!(starts_behind(&folder.options, &oracle), Ok((170, Vec::new())));
    let passed_over = |what: String, bytes: &[u8]| {
        disk.rot(&newest, bytes);
        let (behind, words) = starts_behind(&folder.options, &oracle).unwrap_or_else(|error| panic!("{what}: {error}"));
        let named = words.len() == 1 && words[0].contains(&newest.display().to_string());
        assert!(behind == 100 && named, "{what}: it began after command {behind}, and said {words:?}");
    };
    for byte in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[byte] ^= 1 << bit;
            passed_over(format!("bit {bit} of byte {byte} flipped"), &bytes);
        }
    }
    for length in 0..whole.len() {
        passed_over(format!("cut to {length} bytes"), &whole[..length]);
    }
    passed_over("a byte longer".into(), &[&whole[..], &[0]].concat());
    // The engine as a whole: it says which one it passed over, and what it did instead.
    let went = run::<Engine>(&folder.options, &[], 1).unwrap();
    check_state(&oracle.state(240), &went.closed.state).unwrap();
    let words = went.recovery.remarks.join("\n");
    assert!(
        words.contains("passed over a snapshot") && words.contains("after command 100 and replayed 140"),
        "{words}"
    );
    // And without any: the whole log.
    snapshots(&disk, &folder).iter().for_each(|path| disk.rot(path, &whole[..40]));
    let went = run::<Engine>(&folder.options, &[], 1).unwrap();
    check_state(&oracle.state(240), &went.closed.state).unwrap();
    assert!(went.recovery.remarks.join("\n").contains("all 240 commands were replayed"), "{:?}", went.recovery);
    check_ledger(oracle.events(240), folder.path(), 1).unwrap();
}

/// A whole snapshot of another log, of a log that went another way, ahead of the log, or under another name.
#[test]
fn a_snapshot_that_does_not_fit_is_passed_over() {
    let (disk, folder, oracle) = two_snapshots(3);
    let (other_disk, other, _) = two_snapshots(4);
    let newest = snapshots(&disk, &folder).remove(0);
    let whole = disk.read(&newest).unwrap();
    let foreign = other_disk.read(&snapshots(&other_disk, &other)[0]).unwrap();
    let name = newest.with_file_name(file_name(ShardOf::ONLY, Sequence(172)));
    let older = disk.read(&snapshots(&disk, &folder)[1]).unwrap();
    let expect = |words: &str| {
        let (behind, said) = starts_behind(&folder.options, &oracle).unwrap();
        assert!(behind == 100 && said.join("\n").contains(words), "{words} was expected: behind {behind}, {said:?}");
    };
    disk.rot(&newest, &foreign);
    expect("does not fit the log");
    disk.rot(&newest, &older);
    expect("name different places");
    disk.remove(&newest).unwrap();
    disk.rot(&name, &whole);
    expect("name different places");
    disk.remove(&name).unwrap();
    disk.rot(&newest, &whole);

    // At the beginning of a segment there is no frame to tell by. Its log's identity does.
    let first = segments(&disk, folder.path(), ShardOf::ONLY).unwrap().pop().unwrap().first;
    let bytes = HEADER_BYTES as u64;
    let place = Place { segment: first, last: (bytes, bytes), crc: 0, next: Stamp { sequence: first, time: TIME } };
    let header = SnapshotHeader {
        shard: ShardOf::ONLY,
        log: LogId(5),
        place,
        ledger_entries: 0,
        ledger_on_disk: 0,
        sections: Vec::new(),
    };
    SnapshotWriter::create(&disk, folder.path(), header).unwrap().finish().unwrap();
    let (behind, said) = starts_behind(&folder.options, &oracle).unwrap();
    assert!(behind == 170 && said.join("\n").contains("it is of another log"), "behind {behind}, {said:?}");
    disk.remove(&newest.with_file_name(file_name(ShardOf::ONLY, first))).unwrap();

    // The log without its last segments: the snapshot is ahead of it. The watermark would refuse that, and is
    // gone, so the snapshot is the only witness, and nothing goes on before an operator has moved it away.
    let chain = segments(&disk, folder.path(), ShardOf::ONLY).unwrap();
    let last = &chain[chain.len() - 2..];
    assert!(last[0].first < Sequence(171), "the snapshot is not ahead of what is left: {chain:?}");
    last.iter().for_each(|segment| disk.remove(&segment.path).unwrap());
    market::watermark::remove(&disk, &folder.log()).unwrap();
    expect("there is no segment");
    let words = folder.refusal::<Engine>().unwrap().to_string();
    assert!(words.contains("but command 170 was on disk once"), "{words}");
    let ahead = disk.read(&newest).unwrap();
    disk.remove(&newest).unwrap();
    // It goes another way from there, and gets as long again: the frame that the snapshot names is another.
    let there = last[0].first.0 as usize - 1;
    let stream = [commands(&oracle, 0, there), Random::new(77).stream(200)].concat();
    run::<Engine>(&folder.options, &stream[there..], 7).unwrap();
    disk.rot(&newest, &ahead);
    let start = Start::find(&folder.options, ShardOf::ONLY).unwrap();
    assert_eq!(start.origin.next(), Sequence(101), "{:?}", start.origin.passed_over);
    let went = run::<Engine>(&folder.options, &[], 1).unwrap();
    check_state(&Oracle::of(&stream).state(stream.len()), &went.closed.state).unwrap();
}

/// With its beginning gone the log starts from a snapshot, and without one it is refused, with a reason; nothing is
/// made.
#[test]
fn a_log_without_its_beginning() {
    let (disk, folder, oracle) = two_snapshots(5);
    let chain = segments(&disk, folder.path(), ShardOf::ONLY).unwrap();
    disk.remove(&chain[0].path).unwrap();
    let went = run::<Engine>(&folder.options, &commands(&oracle, 240, 300), 7).unwrap();
    assert_eq!(went.recovery.commands, 240);
    check_state(&oracle.state(300), &went.closed.state).unwrap();
    for path in snapshots(&disk, &folder) {
        disk.rot(&path, b"no snapshot");
    }
    let before = (disk.contents(), folder.files());
    let words = folder.refusal::<Engine>().unwrap().to_string();
    let first = chain[1].first.to_string();
    for word in ["a start needs a snapshot", "passed over a snapshot", "restore one", &first] {
        assert!(words.contains(word), "{word} was expected: {words}");
    }
    snapshots(&disk, &folder).iter().for_each(|path| disk.remove(path).unwrap());
    assert!(folder.refusal::<Engine>().unwrap().to_string().contains("there is none"));
    assert!(before.1 == folder.files(), "a refusal changed a file");
    // Without any log the snapshots say that there was one.
    let (empty, all) = (disk.copy(), disk.contents());
    for path in all.keys().filter(|path| path.extension().is_some_and(|end| end == "log")) {
        empty.remove(path).unwrap();
    }
    let newest = folder.path().join(file_name(ShardOf::ONLY, Sequence(171)));
    empty.rot(&newest, b"whatever it holds");
    let options = Options { disk: Arc::new(empty), ..folder.options.clone() };
    let refused = run::<Engine>(&options, &[], 1).err().unwrap_or_default();
    assert!(refused.contains("there is a snapshot and no log"), "{refused}");
    assert!(
        disk.contents().iter().all(|(path, bytes)| before.0.get(path) == Some(bytes)),
        "a refusal changed the disk"
    );
}

/// The disk fails in each operation of making a snapshot, in one way after the other: the log is as it was, the start
/// uses a whole snapshot, and the next one is made.
#[test]
fn a_crash_in_each_operation() {
    let faults: [fn(u64) -> Faults; 4] = [
        |at| Faults { power_fails_at: Some(at), ..Faults::default() },
        |at| Faults { sync_fails_at: Some(at), ..Faults::default() },
        |at| Faults { write_fails_at: Some(at), ..Faults::default() },
        |at| Faults { names_sync_fails_at: Some(at), ..Faults::default() },
    ];
    let mut used = [0; 3];
    for (way, fault) in faults.into_iter().enumerate() {
        for seed in 0..12 {
            for at in 1.. {
                let (disk, folder, oracle) = two_snapshots(6);
                // The seed of the disk says what a crash leaves.
                let disk = {
                    disk.set_faults(Faults::default());
                    (0..seed).fold(disk, |disk, _| disk.copy())
                };
                disk.set_faults(fault(at));
                let options = Options { disk: Arc::new(disk.clone()), ..folder.options.clone() };
                let made = snapshot::<Shadow>(&options);
                let struck = disk.counts().failures > 0;
                assert_eq!(made.is_err(), struck, "way {way}, operation {at}: {made:?}");
                let left = if at % 2 == 0 { disk.crash() } else { disk.kill() };
                let options = Options { disk: Arc::new(left.clone()), ..folder.options.clone() };
                let (behind, said) = starts_behind(&options, &oracle).unwrap();
                let place = [100, 170, 240].iter().position(|&there| there == behind);
                used[place.unwrap_or_else(|| panic!("it began after command {behind}"))] += 1;
                assert!(said.is_empty(), "a half-written snapshot has a name: {said:?}");
                let went = run::<Engine>(&options, &commands(&oracle, 240, 260), 7).unwrap();
                check_state(&oracle.state(260), &went.closed.state).unwrap();
                snapshot::<Shadow>(&options).unwrap();
                assert_eq!(starts_behind(&options, &oracle), Ok((260, Vec::new())));
                let kept = list(&left, folder.path(), ShardOf::ONLY).unwrap();
                assert_eq!(kept.len(), 2, "the last two are kept: {kept:?}");
                let drafts = left.paths().into_iter().filter(|path| path.extension().is_some_and(|end| end == "draft"));
                assert_eq!(drafts.count(), 0, "a draft was left");
                if !struck {
                    break;
                }
            }
        }
    }
    assert!(used[1] > 20 && used[2] > 20, "starts behind 100, 170 and 240 commands: {used:?}");
}
