//! The lesson of 0x03: many commands share a sync, none is acknowledged before it, and a lone command
//! waits about one interval. This test fails on the engine of 0x02 and passes when the exercise is
//! done.

use std::time::{Duration, Instant};

use ch03::Chapter;
use contract::folder::Folder;
use contract::harness::{Acks, check_ledger};
use contract::oracle::Oracle;
use contract::streams::Random;
use contract::{Faults, SimDisk};
use market::{Command, Engine as _, MarketId};

type Engine = <Chapter as runner::Chapter>::Engine;

fn open(market: u32) -> Command {
    Command::Open { market: MarketId(market) }
}

#[test]
fn a_thousand_commands_share_a_sync() {
    let disk = SimDisk::new(1, Faults::default());
    let mut folder = Folder::new(disk.clone());
    folder.options.batch_max = 1_000;
    folder.options.batch_interval = Duration::from_secs(3_600);
    let acks = Acks::default();
    let (mut engine, _) = Engine::open(&folder.options, &mut acks.receivers()).expect("opened");
    let before = disk.counts().syncs;
    (0..999).try_for_each(|market| engine.submit(open(market)).map(drop)).expect("taken");
    assert_eq!((disk.counts().syncs - before, acks.seen().len()), (0, 0), "the batch is not full");
    engine.submit(open(999)).expect("taken");
    assert_eq!((disk.counts().syncs - before, acks.seen().len()), (1, 1_000), "the batch is full");
}

#[test]
fn a_burst_does_not_keep_its_first_command_waiting() {
    let mut folder = Folder::new(SimDisk::new(1, Faults::default()));
    folder.options.batch_max = 100_000_000;
    folder.options.batch_interval = Duration::from_millis(1);
    let acks = Acks::default();
    let (mut engine, _) = Engine::open(&folder.options, &mut acks.receivers()).expect("opened");
    let began = Instant::now();
    // The test never calls `poll` while commands follow each other.
    for market in 0.. {
        engine.submit(open(market)).expect("taken");
        if market % 1_000 == 0 && !acks.seen().is_empty() {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{market} commands came, but the first still waits");
    }
}

#[test]
fn a_lone_command_waits_for_the_interval_and_not_for_others() {
    let mut folder = Folder::new(SimDisk::new(1, Faults::default()));
    let interval = Duration::from_millis(20);
    folder.options.batch_interval = interval;
    let acks = Acks::default();
    let (mut engine, _) = Engine::open(&folder.options, &mut acks.receivers()).expect("opened");
    for number in 1..=2 {
        // The interval begins with the command, however long the engine was idle before it.
        std::thread::sleep(interval);
        let began = Instant::now();
        engine.submit(open(number)).expect("taken");
        assert_eq!(acks.seen().len() as u32, number - 1, "it waits for others");
        while acks.seen().len() < number as usize {
            engine.poll().expect("polled");
            assert!(began.elapsed() < Duration::from_secs(60), "it must not wait forever");
        }
        assert!(began.elapsed() >= interval, "command {number} was acknowledged before its interval was over");
    }
}

#[test]
fn a_ledger_is_whole_when_it_takes_its_place() {
    let folder = Folder::new(SimDisk::new(1, Faults::default()));
    let oracle = Oracle::of(&Random::new(6).stream(400));
    folder.goes_on::<Engine>(&oracle, 0, 400).expect("logged");
    let _engine = Engine::open(&folder.options, &mut Acks::default().receivers()).expect("opened");
    // Nothing has been submitted, polled or flushed since.
    check_ledger(oracle.events(400), folder.path(), 1).expect("what was replayed is in the file");
}
