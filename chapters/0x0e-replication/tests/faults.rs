//! Random faults, again and again: primaries are killed, stopped and cut off, and so are the servers of the stream; a standby takes
//! over, and the machine that it replaced comes back. Meanwhile clients number their requests and send each again until it has an
//! answer, through a proxy that breaks connections too. In the end nothing that was answered is lost, nothing was done twice, each
//! account has read each of its notices once and in order, and all logs hold the same bytes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]
#![cfg(unix)]

#[path = "../../0x0b-exactly-once/tests/kills/judge.rs"]
mod judge;
#[path = "support/pair.rs"]
mod pair;
#[path = "../../0x0b-exactly-once/measure/src/proxy.rs"]
mod proxy;
#[path = "../../0x0b-exactly-once/tests/kills/reader.rs"]
mod reader;
mod support;
#[path = "../../0x0b-exactly-once/tests/kills/trader.rs"]
mod trader;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use contract::streams::Random;
use market::log::ShardOf;
use pair::{FAULTS, Pair};
use program::rounds::Rounds;
use proxy::Proxy;
use reader::Reader;
use serde_json::json;
use support::client;
use support::servers;
use tempfile::TempDir;
use trader::{Account, Trader};

/// Traders of each account: they share its lanes, and each has connections of its own.
const TRADERS_EACH: u64 = 2;

/// What makes no progress for so long is stuck. No measurement.
const STUCK: Duration = Duration::from_secs(90);

fn rounds(seed: u64, count: u64, shards: u16, durable: &str) {
    let Some((_kept, mut servers)) = servers() else { return };
    println!("seed {seed}: {count} faults, shards: {shards}, durable: {durable}");
    let mut random = Random::new(seed);
    let mut pair = Pair::start(&servers, shards, &["--play-money", "1000000", "--durable", durable]);
    let (operator, address) = (pair.machine(0).operator(), pair.machine(0).address());
    let accounts = accounts(address, &operator);
    let proxy = Proxy::start(address, seed).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = accounts.iter().map(|account| Reader::start(account, proxy.address)).collect();
    let traders: Vec<_> = accounts
        .iter()
        .flat_map(|account| (0..TRADERS_EACH).map(move |which| (Arc::clone(account), which)))
        .map(|(account, which)| {
            let (address, stop) = (proxy.address, Arc::clone(&stop));
            let random = Random::new(seed * 1_000 + u64::from(account.number) * 10 + which);
            thread::spawn(move || Trader::new(account, which, address, random).go(&stop))
        })
        .collect();
    let mut seen = Vec::new();
    for round in 0..count {
        let (before, began) = (answered(&accounts), Instant::now());
        while answered(&accounts) < before + 1 + random.below(40) as usize {
            assert!(
                began.elapsed() < STUCK,
                "round {round}, after {seen:?}: no client gets an answer\n{}",
                pair.said()
            );
            pair.look(&proxy);
            thread::sleep(Duration::from_millis(1));
        }
        // Each once, and then any.
        let fault = FAULTS.get(round as usize).copied().unwrap_or_else(|| random.pick(&FAULTS));
        pair.suffer(fault, &mut servers, &proxy, &mut random);
        seen.push((fault, began.elapsed().as_millis()));
    }
    println!("{seen:?}");
    stop.store(true, Ordering::Relaxed);
    while !traders.iter().all(thread::JoinHandle::is_finished) {
        pair.look(&proxy);
        thread::sleep(Duration::from_millis(1));
    }
    let histories: Vec<_> = traders.into_iter().map(|trader| trader.join().expect("a trader")).collect();
    // What is still on its way arrives now, or never.
    proxy.calm();
    pair.look(&proxy);
    let mut client = pair.machines[pair.primary].as_mut().unwrap().client().with_key(&operator);
    let ends: Vec<_> = accounts.iter().map(|account| account.end(&mut client, shards)).collect();
    let read: Vec<_> = readers.into_iter().zip(&ends).map(|(reader, end)| reader.read_to(end)).collect();
    (0..shards).for_each(|shard| wait_until_equal(&pair.folders, ShardOf { shard, shards }));
    pair.machines.iter_mut().for_each(|machine| drop(machine.take()));
    for folder in &pair.folders {
        let log = judge::Log::read(folder.path(), shards);
        histories.iter().flatten().for_each(|intent| log.check(intent));
        for (account, read) in accounts.iter().zip(&read) {
            log.check_notices(account.number, read, "as they came");
        }
        log.report(&histories, &read, proxy.cuts());
    }
}

/// Opens the markets, and makes accounts.
fn accounts(address: SocketAddr, operator: &str) -> Vec<Arc<Account>> {
    let mut client = client::Client::connect(address).unwrap().with_key(operator);
    for _ in 0..trader::MARKETS {
        let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
        assert_eq!(client.post("/v1/markets", &question).unwrap().status, 201);
    }
    (0..3).map(|_| Arc::new(Account::make(&mut client))).collect()
}

fn answered(accounts: &[Arc<Account>]) -> usize {
    accounts.iter().map(|account| account.answered.load(Ordering::Relaxed)).sum()
}

/// Waits until both logs of a shard hold the same bytes.
fn wait_until_equal([one, other]: &[TempDir; 2], shard: ShardOf) {
    let began = Instant::now();
    let log = |folder: &TempDir| std::fs::read(folder.path().join(shard.file_name())).unwrap();
    while log(one) != log(other) {
        assert!(began.elapsed() < STUCK, "the logs stay different");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn nothing_is_lost_and_nothing_is_done_twice() {
    rounds(1, Rounds::asked().pick(4, 11), 1, "both");
}

/// Each shard has a stream and a fence of its own, and a takeover takes all of them. No acknowledgement waits for the disk here.
#[test]
fn nothing_is_lost_and_nothing_is_done_twice_with_two_shards() {
    rounds(3, Rounds::asked().pick(2, 9), 2, "majority");
}

/// `FAULTS=300 cargo test -p ch0e --test faults three_hundred` takes half an hour.
#[test]
fn nothing_is_lost_or_done_twice_in_three_hundred_faults() {
    let Some(count) = std::env::var("FAULTS").ok().and_then(|count| count.parse::<u64>().ok()) else {
        println!("skipped: FAULTS=300 asks for so many");
        return;
    };
    rounds(2, count / 2, 1, "both");
    rounds(4, count.div_ceil(2), 2, "majority");
}
