//! What an engine tells of its threads at its end.

use std::thread;
use std::time::Duration;

use ch06::Chapter;
use contract::folder::Folder;
use contract::harness::Acks;
use contract::{Faults, SimDisk};
use market::engine::Stage;
use market::{AccountId, Acknowledge, Cents, Command, Engine as _, Event, MarketId, Sequence, StageTimes, Stamp};

type Engine = <Chapter as runner::Chapter>::Measured;

/// How long nothing comes, before each of three commands.
const PAUSE: Duration = Duration::from_millis(200);

/// How long each of their syncs takes. Three of them are longer than one pause.
const SYNC: Duration = Duration::from_millis(100);

/// Three frames with a pause before each, on a disk that takes its time. Neither the pauses nor the wait for the disk
/// belong to a stage of the market.
#[test]
fn a_frame_takes_the_disks_time_and_not_the_markets() {
    let disk = SimDisk::new(1, Faults::default());
    let folder = Folder::new(disk.clone());
    let (mut engine, _) = Engine::open(&folder.options, &mut Acks::default().receivers()).expect("opened");
    disk.set_faults(Faults { sync_delay: SYNC, ..Faults::default() });
    for market in 1..=3 {
        thread::sleep(PAUSE);
        engine.submit(Command::Open { market: MarketId(market) }).and_then(|_| engine.flush()).expect("acknowledged");
    }
    // Enough for a clock that is too coarse for one entry of the ledger.
    disk.set_faults(Faults::default());
    let deposit = |request| Command::Deposit { market: MarketId(1), account: AccountId(1), amount: Cents(1), request };
    (0..1_000).try_for_each(|request| engine.submit(deposit(request)).map(drop)).expect("taken");
    engine.flush().expect("acknowledged");
    let stages = engine.close().expect("closed").stages.expect("a measured engine has stages");
    let [append, sync] = [Stage::LogAppend, Stage::LogSync].map(|stage| stages.of(stage));
    assert!(!append.is_zero(), "no time was measured in {}", Stage::LogAppend.key());
    assert!(sync > append, "syncs of {SYNC:?} took {sync:?}, and what is written to memory {append:?}");
    let [settlement, ledger] = [Stage::Settlement, Stage::Ledger].map(|stage| stages.of(stage));
    assert!(!settlement.is_zero(), "markets were opened, which took no time");
    assert!(!ledger.is_zero(), "a thousand deposits went into the ledger, which took no time");
    let busy = busy(&stages);
    assert!(
        busy < PAUSE,
        "the market was busy for {busy:?}: pauses between commands, or waits for the disk, are in it"
    );
}

/// What the market's stages took, together.
fn busy(stages: &StageTimes) -> Duration {
    [Stage::BalanceCheck, Stage::Matching, Stage::Settlement, Stage::Ledger].map(|stage| stages.of(stage)).iter().sum()
}

/// Takes its time over the first three commands.
struct Ponders;

impl Acknowledge for Ponders {
    fn acknowledge(&mut self, Stamp { sequence, .. }: Stamp, _events: &[Event]) {
        if sequence <= Sequence(3) {
            thread::sleep(PAUSE);
        }
    }
}

/// Who is told ponders, while the commands after it come to the disk: they leave as soon as they are matched. What
/// they find when they come to their turn is no time of theirs.
#[test]
fn the_receivers_time_is_not_the_markets() {
    let folder = Folder::new(SimDisk::new(1, Faults::default()));
    let (mut engine, _) = Engine::open(&folder.options, &mut |_| Box::new(Ponders)).expect("opened");
    let open = |market| Command::Open { market: MarketId(market) };
    (1..=10).try_for_each(|market| engine.submit(open(market)).map(drop)).expect("taken");
    engine.flush().expect("acknowledged");
    let stages = engine.close().expect("closed").stages.expect("a measured engine has stages");
    let busy = busy(&stages);
    assert!(busy < PAUSE, "the market was busy for {busy:?}: the receiver's time is in it");
}

#[test]
fn a_frame_is_counted() {
    let disk = SimDisk::new(1, Faults::default());
    let mut folder = Folder::new(disk);
    folder.options.batch_max = 10;
    let (mut engine, _) = Engine::open(&folder.options, &mut Acks::default().receivers()).expect("opened");
    (0..100).try_for_each(|market| engine.submit(Command::Open { market: MarketId(market) }).map(drop)).expect("taken");
    engine.flush().expect("flushed");
    let remarks = engine.close().expect("closed").remarks.join("; ");
    let frames: u32 =
        remarks.split(' ').next().and_then(|count| count.parse().ok()).expect("it begins with the frames");
    assert!((10..=100).contains(&frames), "{remarks}");
}
