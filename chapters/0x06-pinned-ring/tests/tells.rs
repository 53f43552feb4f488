//! What an engine reports about its threads when it closes.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use ch06::metrics::Metrics;
use ch06::{Chapter, engine};
use contract::folder::Folder;
use contract::harness::Acks;
use contract::{Faults, SimDisk};
use market::engine::Stage;
use market::{
    AccountId, Acknowledge, Cents, Closed, Command, Engine as _, Event, MarketId, Sequence, StageTimes, Stamp,
};

type Engine = <Chapter as runner::Chapter>::Measured;

/// How long no command comes, before each of three commands.
const PAUSE: Duration = Duration::from_millis(200);

/// How long each of their syncs takes. Three of them are longer than one pause.
const SYNC: Duration = Duration::from_millis(100);

/// Three frames with a pause before each, on a slow disk. Neither the pauses nor the waits for the disk count as a
/// stage of the market.
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
    // Enough entries even for a clock that is too coarse for one.
    disk.set_faults(Faults::default());
    let deposit = |request| Command::Deposit { market: MarketId(1), account: AccountId(1), amount: Cents(1), request };
    (0..1_000).try_for_each(|request| engine.submit(deposit(request)).map(drop)).expect("taken");
    engine.flush().expect("acknowledged");
    let stages = engine.close().expect("closed").stages.expect("a measured engine has stages");
    let [append, sync] = [Stage::LogAppend, Stage::LogSync].map(|stage| stages.of(stage));
    assert!(!append.is_zero(), "no time was measured in {}", Stage::LogAppend.key());
    assert!(sync > append, "syncs of {SYNC:?} took {sync:?}, and what is written to memory {append:?}");
    let [settlement, ledger] = [Stage::Settlement, Stage::Ledger].map(|stage| stages.of(stage));
    assert!(!settlement.is_zero(), "markets were opened, but it took no time");
    assert!(!ledger.is_zero(), "a thousand deposits went into the ledger, but it took no time");
    let busy = busy(&stages);
    assert!(
        busy < PAUSE,
        "the market was busy for {busy:?}: that includes pauses between commands, or waits for the disk"
    );
}

/// What the market's stages took, together.
fn busy(stages: &StageTimes) -> Duration {
    [Stage::BalanceCheck, Stage::Matching, Stage::Settlement, Stage::Ledger].map(|stage| stages.of(stage)).iter().sum()
}

/// Is slow with the first command, and with three of those that leave at once.
struct Ponders;

impl Acknowledge for Ponders {
    fn acknowledge(&mut self, Stamp { sequence, .. }: Stamp, _events: &[Event]) {
        if matches!(sequence, Sequence(1 | 600..=602)) {
            thread::sleep(PAUSE);
        }
    }
}

/// A stopwatch that counts how often settlement ended.
#[derive(Default)]
struct Settled;

static SETTLED: AtomicU32 = AtomicU32::new(0);

impl Metrics for Settled {
    fn lap(&mut self, stage: Stage) {
        if stage == Stage::Settlement {
            SETTLED.fetch_add(1, Relaxed);
        }
    }
}

/// A command that waits for the disk is settled once, and so is one that is durable before it is matched.
#[test]
fn every_command_is_settled_in_its_time() {
    many_markets::<engine::Engine<Settled>>();
    assert_eq!(SETTLED.load(Relaxed), MARKETS, "how often settlement ended");
}

/// More than are matched before the next check of what is durable.
const MARKETS: u32 = 1_000;

/// Opens markets. The first is matched while the disk syncs it, and its receiver is slow. Meanwhile the others come
/// to a fast disk. Some of them are matched while still waiting for it; all others need not wait.
fn many_markets<E: market::Engine>() -> Closed {
    let disk = SimDisk::new(1, Faults::default());
    let folder = Folder::new(disk.clone());
    let (mut engine, _) = E::open(&folder.options, &mut |_| Box::new(Ponders)).expect("opened");
    disk.set_faults(Faults { sync_delay: SYNC, ..Faults::default() });
    let open = |market| Command::Open { market: MarketId(market) };
    engine.submit(open(1)).and_then(|_| engine.poll()).expect("taken");
    thread::sleep(SYNC + SYNC / 2);
    disk.set_faults(Faults::default());
    (2..=MARKETS).try_for_each(|market| engine.submit(open(market)).map(drop)).expect("taken");
    engine.flush().expect("acknowledged");
    engine.close().expect("closed")
}

/// The receiver is slow, and commands that leave as soon as they are matched have not begun by
/// then.
#[test]
fn the_receivers_time_is_not_the_markets() {
    let stages = many_markets::<Engine>().stages.expect("a measured engine has stages");
    let busy = busy(&stages);
    assert!(busy < PAUSE, "the market was busy for {busy:?}: that includes the receiver's time");
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
        remarks.split(' ').next().and_then(|count| count.parse().ok()).expect("the remark begins with the frames");
    assert!((10..=100).contains(&frames), "{remarks}");
}
