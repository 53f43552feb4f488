//! Folders with segments and snapshots, and checks of them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use ch08::shadow::Shadow;
use ch08::start::Start;
use contract::folder::Folder;
use contract::harness::run;
use contract::oracle::Oracle;
use contract::streams::Random;
use contract::{Faults, SimDisk};
use keeping::ledger_parts::parts;
use keeping::once::snapshot;
use market::log::ShardOf;
use market::log_chain::segments;
use market::log_merge::LogMerge;
use market::{Clock, Command, Event, MarketId, Sequence, UnixMs};

use crate::Engine;

pub fn commands(oracle: &Oracle, from: usize, to: usize) -> Vec<Command> {
    oracle.steps(0)[from..to].iter().map(|step| step.command).collect()
}

pub fn shards_of(shards: u16) -> impl Iterator<Item = ShardOf> {
    (0..shards).map(move |shard| ShardOf { shard, shards })
}

/// A folder whose engines make short segments, trim them if asked to, and read a clock that advances by a millisecond
/// each `ticks`th time.
pub fn folder(disk: &SimDisk, shards: u16, trims: bool, ticks: u64) -> Folder {
    let (mut folder, looks) = (Folder::new(disk.clone()), AtomicU64::new(0));
    let options = &mut folder.options;
    (options.shards, options.segment_commands, options.trim_log) = (shards, Some(16), trims);
    options.clock = Clock::new(move || UnixMs(1_000 + looks.fetch_add(1, Ordering::Relaxed) / ticks));
    folder
}

/// The shards whose logs have lost their beginning.
pub fn trimmed(disk: &SimDisk, folder: &Folder, shards: u16) -> Vec<ShardOf> {
    let first = |shard| segments(disk, folder.path(), shard).unwrap().first().map(|segment| segment.first);
    shards_of(shards).filter(|&shard| first(shard).is_some_and(|first| first > Sequence::FIRST)).collect()
}

pub fn is_trimmed(disk: &SimDisk, folder: &Folder, shards: u16) -> bool {
    !trimmed(disk, folder, shards).is_empty()
}

/// How many commands are in the logs.
pub fn logged(disk: &SimDisk, folder: &Folder, shards: u16) -> usize {
    let mut count = 0;
    let places: Vec<_> =
        shards_of(shards).map(|shard| Start::find(&folder.options, shard).unwrap().origin.place).collect();
    let mut logs = LogMerge::open(disk, folder.path(), &places).unwrap();
    while logs.next_command().unwrap().is_some() {
        count += 1;
    }
    count
}

/// The ledgers of both numbers of shards hold these events, market by market: the old ones end where the new ones begin.
pub fn check_ledgers<'a>(
    events: impl Iterator<Item = &'a Event>,
    folder: &Folder,
    counts: &[u16],
) -> Result<(), String> {
    let mut by_market: BTreeMap<MarketId, Vec<Event>> = BTreeMap::new();
    for shard in counts.iter().flat_map(|&count| shards_of(count)) {
        for (_, path, _) in parts(shard, folder.path()).unwrap() {
            let bytes = std::fs::read(path).unwrap();
            let (entries, rest) = bytes.as_chunks();
            assert!(rest.is_empty());
            let entries = entries.iter().map(|entry| Event::decode(entry).unwrap());
            entries.for_each(|entry| by_market.entry(entry.market()).or_default().push(entry));
        }
    }
    let mut expected: BTreeMap<MarketId, Vec<Event>> = BTreeMap::new();
    events
        .filter(|event| event.moves_value())
        .for_each(|event| expected.entry(event.market()).or_default().push(*event));
    if by_market == expected { Ok(()) } else { Err(format!("the ledgers hold {by_market:?} and not {expected:?}")) }
}

/// A folder with a log of 160 commands and two snapshots of each shard, the last commands behind them; trimmed or not.
pub fn two_snapshots(seed: u64, shards: u16, trims: bool) -> (SimDisk, Folder, Oracle) {
    let (disk, oracle) = (SimDisk::new(seed, Faults::default()), Oracle::of(&Random::new(5).stream(220)));
    let folder = folder(&disk, shards, trims, 1);
    for (from, to) in [(0, 60), (60, 120), (120, 160)] {
        run::<Engine>(&folder.options, &commands(&oracle, from, to), 5).unwrap();
        if to < 160 {
            snapshot::<Shadow>(&folder.options).unwrap();
        }
    }
    assert_eq!(is_trimmed(&disk, &folder, shards), trims);
    (disk, folder, oracle)
}
