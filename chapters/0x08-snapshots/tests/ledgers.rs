//! The ledger behind snapshots: a start never leaves a hole in it, and trimming never takes what only the log could
//! write again.
#![allow(clippy::unwrap_used)]

use std::fs::{self, OpenOptions};

use ch08::Chapter;
use ch08::ledger_parts::{Part, reach};
use ch08::once::snapshot;
use ch08::trim::trim;
use contract::folder::Folder;
use contract::harness::{check_ledger, check_state, run};
use contract::oracle::Oracle;
use contract::streams::Random;
use market::log::ShardOf;
use market::log_chain::segments;
use market::{Command, Event, RealDisk};

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
        snapshot(&folder.options).unwrap();
    }
    (folder, oracle)
}

/// Leaves so many entries in the ledger, as a kill does that comes before a buffer was written.
fn cut_ledger(folder: &Folder, entries: usize) {
    for entry in fs::read_dir(folder.path()).unwrap().flatten() {
        if let Some(part) = entry.file_name().to_str().and_then(Part::of_file_name) {
            let length = (entries as u64).saturating_sub(part.entry) * Event::BYTES as u64;
            let file = OpenOptions::new().write(true).open(entry.path()).unwrap();
            file.set_len(length.min(file.metadata().unwrap().len())).unwrap();
        }
    }
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
        assert_eq!(reach(ShardOf::ONLY, folder.path(), second as u64).unwrap(), left == second);
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
    assert_eq!((trim(&RealDisk, folder.path(), None, ShardOf::ONLY, 2).unwrap(), begins()), (0, 1));
    run::<Engine>(&folder.options, &[], 5).unwrap();
    assert!(trim(&RealDisk, folder.path(), None, ShardOf::ONLY, 2).unwrap() > 0 && begins() > 60);
    // Now nothing can write it again: somebody removes it, and the start goes on and says what is missing.
    for entry in fs::read_dir(folder.path()).unwrap().flatten() {
        if entry.file_name().to_str().and_then(Part::of_file_name).is_some() {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    let went = run::<Engine>(&folder.options, &[], 5).unwrap();
    check_state(&oracle.state(200), &went.closed.state).unwrap();
    assert!(went.recovery.remarks.join("; ").contains("the ledger does not have all"), "{:?}", went.recovery);
}
