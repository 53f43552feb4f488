//! The venue is killed again and again, and a proxy cuts connections at any byte and delays what it forwards. Each client
//! sends a request again until it has an answer. In the end, nothing was done twice, nothing that was answered is missing, a
//! repeat had the first answer, and each account has read each of its notices once and in order.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]

#[path = "../../0x0a-gateway/tests/support/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "kills/judge.rs"]
mod judge;
#[path = "../measure/src/proxy.rs"]
mod proxy;
#[path = "kills/reader.rs"]
mod reader;
#[path = "../../0x0a-gateway/tests/support/server.rs"]
#[allow(dead_code)]
mod server;
#[path = "kills/trader.rs"]
mod trader;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use contract::streams::Random;
use program::rounds::Rounds;
use serde_json::json;
use server::Server;

use proxy::Proxy;
use reader::Reader;
use trader::{Account, Trader};

/// Traders of each account: they share its lanes, and each has connections of its own.
const TRADERS_EACH: u64 = 2;

/// A life of the server that makes no progress for so long is stuck. No measurement.
const STUCK: Duration = Duration::from_secs(60);

/// All rounds for this chapter's own program. Those of later chapters run these tests too, in few rounds.
fn rounds() -> Rounds {
    Rounds::asked_at("ch0b", env!("CARGO_PKG_NAME"))
}

fn start(folder: &Path, shards: u16, engine: &str) -> Server {
    let shards = shards.to_string();
    let flags = ["--engine", engine, "--shards", &shards, "--snapshot-every", "17", "--orders-per-second", "0"];
    Server::start(folder, &[&flags[..], &["--play-money", "1000000"]].concat())
}

fn lives(seed: u64, kills: u64, shards: u16, engines: &[&str]) {
    println!("seed {seed}: {kills} kills with {shards} shards");
    let (folder, mut random) = (tempfile::tempdir().unwrap(), Random::new(seed));
    let server = start(folder.path(), shards, engines[0]);
    let operator = server.operator.clone().unwrap();
    let mut client = server.client().with_key(&operator);
    for _ in 0..trader::MARKETS {
        let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
        assert_eq!(client.post("/v1/markets", &question).unwrap().status, 201);
    }
    let accounts: Vec<_> = (0..3).map(|_| Arc::new(Account::make(&mut client))).collect();
    let proxy = Proxy::start(server.address, seed).unwrap();
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
    let mut server = Some(server);
    for (kill, engine) in (0..kills).zip(engines.iter().cycle().skip(1)) {
        let (before, began) = (answered(&accounts), Instant::now());
        let enough = 1 + random.below(60) as usize;
        while answered(&accounts) < before + enough {
            assert!(began.elapsed() < STUCK, "kill {kill}: no client gets an answer");
            thread::sleep(Duration::from_millis(1));
        }
        server.take().unwrap().kill();
        let next = start(folder.path(), shards, engine);
        proxy.turn_to(next.address);
        server = Some(next);
    }
    stop.store(true, Ordering::Relaxed);
    let histories: Vec<_> = traders.into_iter().map(|trader| trader.join().expect("a trader")).collect();
    // What is still on its way arrives now, or never.
    proxy.calm();
    let server = server.unwrap();
    let mut client = server.client().with_key(&operator);
    let ends: Vec<_> = accounts.iter().map(|account| account.end(&mut client, shards)).collect();
    let read: Vec<_> = readers.into_iter().zip(&ends).map(|(reader, end)| reader.read_to(end)).collect();
    let all = accounts.iter().zip(&ends).map(|(account, end)| Reader::start(account, server.address).read_to(end));
    let again: Vec<_> = all.collect();
    server.kill();
    let log = judge::Log::read(folder.path(), shards);
    histories.iter().flatten().for_each(|intent| log.check(intent));
    for ((account, read), again) in accounts.iter().zip(&read).zip(&again) {
        log.check_notices(account.number, read, "as they came");
        log.check_notices(account.number, again, "all at once");
    }
    log.report(&histories, &read, proxy.cuts());
}

fn answered(accounts: &[Arc<Account>]) -> usize {
    accounts.iter().map(|account| account.answered.load(Ordering::Relaxed)).sum()
}

#[test]
fn nothing_is_done_twice_and_nothing_is_lost() {
    lives(1, rounds().pick(12, 50), 1, &["0x08", "0x01", "0x03"]);
}

#[test]
fn nothing_is_done_twice_and_nothing_is_lost_with_shards() {
    lives(2, rounds().pick(8, 40), 3, &["0x08", "0x07"]);
}

/// `KILLS=1000 cargo test -p ch0b --test kills a_thousand` takes some minutes.
#[test]
fn nothing_is_done_twice_or_lost_in_a_thousand_kills() {
    let Ok(kills) = std::env::var("KILLS") else {
        println!("skipped: KILLS=1000 asks for so many");
        return;
    };
    lives(3, kills.parse().expect("KILLS is a number"), 2, &["0x08", "0x08", "0x07"]);
}
