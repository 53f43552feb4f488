//! The lesson of 0x07: markets are divided among shards, each with its own log and its own count of
//! commands. This test fails on the engine of 0x06 and passes when the exercise is done.

use std::collections::BTreeSet;

use ch07::Chapter;
use contract::folder::Folder;
use contract::harness::Acks;
use contract::{Faults, SimDisk};
use market::log::ShardOf;
use market::{Command, Engine as _, Event, MarketId};

type Engine = <Chapter as runner::Chapter>::Engine;

#[test]
fn four_shards_share_the_markets() {
    let disk = SimDisk::new(1, Faults::default());
    let mut folder = Folder::new(disk.clone());
    folder.options.shards = 4;
    let acks = Acks::default();
    let (mut engine, _) = Engine::open(&folder.options, &mut acks.receivers()).expect("opened");
    (0..100).try_for_each(|market| engine.submit(Command::Open { market: MarketId(market) }).map(drop)).expect("taken");
    engine.close().expect("closed");

    let seen = acks.seen();
    assert_eq!(seen.len(), 100, "acknowledgements of 100 commands");
    let shards: BTreeSet<u16> = seen.iter().map(|ack| ack.shard).collect();
    assert_eq!(shards, (0..4).collect(), "the shards that acknowledged something");
    for ack in seen {
        let Event::Opened { market } = ack.events[0] else { panic!("{ack:?}") };
        assert_eq!(ShardOf::market(market, 4).shard, ack.shard, "market {market} was in another shard");
    }
    let logs = disk.paths().iter().filter(|path| path.extension().is_some_and(|extension| extension == "log")).count();
    assert_eq!(logs, 4, "a log for each shard: {:?}", disk.paths());
}
