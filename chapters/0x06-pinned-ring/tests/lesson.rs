//! The lesson of 0x06: while the disk syncs, commands are accepted; none is acknowledged before it is durable. This
//! test fails on the engine of 0x05 and passes when the exercise is done.

use std::time::{Duration, Instant};

use ch06::Chapter;
use contract::folder::Folder;
use contract::harness::Acks;
use contract::{Faults, SimDisk};
use market::{Command, Engine as _, MarketId};

type Engine = <Chapter as runner::Chapter>::Engine;

#[test]
fn commands_are_taken_while_the_disk_syncs() {
    const SYNC: Duration = Duration::from_millis(500);
    let disk = SimDisk::new(1, Faults::default());
    let mut folder = Folder::new(disk.clone());
    folder.options.batch_max = 100;
    let acks = Acks::default();
    let (mut engine, _) = Engine::open(&folder.options, &mut acks.receivers()).expect("opened");
    disk.set_faults(Faults { sync_delay: SYNC, ..Faults::default() });

    let began = Instant::now();
    (0..400).try_for_each(|market| engine.submit(Command::Open { market: MarketId(market) }).map(drop)).expect("taken");
    // An engine that waits for its disk would need four syncs for this.
    assert!(began.elapsed() < 2 * SYNC, "the caller waited for the disk");
    assert!(acks.seen().len() < 400, "acknowledged before the disk can have synced");

    disk.set_faults(Faults::default());
    engine.flush().expect("flushed");
    assert_eq!(acks.seen().len(), 400, "acknowledgements after a flush of 400 commands");
}
