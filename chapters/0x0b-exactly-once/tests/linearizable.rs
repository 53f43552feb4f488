//! What clients saw of a venue that is killed again and again is judged by a checker that others wrote: Porcupine. Several
//! traders of one account place, cancel, deposit, withdraw, repeat each other's requests, give up, and look at their orders
//! and their money, all at once. Their history is linearizable if a venue that does one thing at a time could have given
//! the same answers, each request done at one moment between its call and its return.
//!
//! The checker is a small program in Go, in `linearizable/judge`: `model.go` says what such a venue is.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]

#[path = "linearizable/by_hand.rs"]
mod by_hand;
#[path = "../../0x0a-gateway/tests/support/client.rs"]
#[allow(dead_code)]
mod client;
#[path = "linearizable/history.rs"]
mod history;
#[path = "linearizable/porcupine.rs"]
mod porcupine;
#[path = "../measure/src/proxy.rs"]
#[allow(dead_code)]
mod proxy;
#[path = "../../0x0a-gateway/tests/support/server.rs"]
#[allow(dead_code)]
mod server;
#[path = "linearizable/trader.rs"]
mod trader;

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use contract::streams::Random;
use program::rounds::Rounds;
use serde_json::json;
use server::Server;

use history::History;
use porcupine::{Judge, Verdict};
use proxy::Proxy;
use trader::{Account, Trader};

/// How many accounts there are: each has a history of its own.
const ACCOUNTS: u64 = 3;

/// Traders of each account, each with a connection of its own.
const TRADERS_EACH: u64 = 3;

/// What each account has in each market: so little that often there is not enough.
const CASH: u64 = 1_000;

/// A life of the server that makes no progress for so long is stuck. No measurement.
const STUCK: Duration = Duration::from_secs(60);

fn start(folder: &Path, shards: u16, engine: &str) -> Server {
    let (shards, cash) = (shards.to_string(), CASH.to_string());
    let flags = ["--engine", engine, "--shards", &shards, "--snapshot-every", "17", "--orders-per-second", "0"];
    Server::start(folder, &[&flags[..], &["--play-money", &cash]].concat())
}

/// What the clients of a venue saw that was killed so often.
fn lives(seed: u64, kills: u64, shards: u16, engines: &[&str]) -> History {
    let (folder, mut random) = (tempfile::tempdir().unwrap(), Random::new(seed));
    let mut server = start(folder.path(), shards, engines[0]);
    let operator = server.operator.clone().unwrap();
    let mut client = server.client().with_key(&operator);
    for _ in trader::MARKETS {
        let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
        assert_eq!(client.post("/v1/markets", &question).unwrap().status, 201);
    }
    let accounts: Vec<_> = (0..ACCOUNTS).map(|_| Arc::new(Account::make(&mut client, &operator))).collect();
    let proxy = Proxy::start(server.address, seed).unwrap();
    let began = Instant::now();
    let trader = |account: &Arc<Account>, which| {
        let random = Random::new(seed * 1_000 + u64::from(account.number) * 10 + which);
        Trader::new(Arc::clone(account), proxy.address, random, began)
    };
    let traders: Vec<_> = accounts
        .iter()
        .flat_map(|account| (0..TRADERS_EACH).map(move |which| (account, which)))
        .map(|(account, which)| trader(account, which))
        .map(|trader| thread::spawn(|| trader.go()))
        .collect();
    for (kill, engine) in (0..kills).zip(engines.iter().cycle().skip(1)) {
        let (before, began) = (answered(&accounts), Instant::now());
        let enough = 1 + random.below(150);
        while answered(&accounts) < before + enough {
            assert!(began.elapsed() < STUCK, "kill {kill}: no client gets an answer");
            thread::sleep(Duration::from_millis(1));
        }
        server.kill();
        server = start(folder.path(), shards, engine);
        proxy.turn_to(server.address);
    }
    accounts.iter().for_each(|account| account.stop());
    let mut operations: Vec<_> = traders.into_iter().flat_map(|trader| trader.join().expect("a trader")).collect();
    // What is still on its way arrives now, or never. Then each account looks again.
    proxy.calm();
    operations.extend(accounts.iter().flat_map(|account| trader(account, TRADERS_EACH).look()));
    server.kill();
    let history = History { cash: CASH, markets: trader::MARKETS.collect(), operations };
    println!("seed {seed}: {kills} kills with {shards} shards, {} connections were cut: {history}", proxy.cuts());
    history
}

fn answered(accounts: &[Arc<Account>]) -> u64 {
    accounts.iter().map(|account| account.answered()).sum()
}

fn are_judged(seed: u64, kills: u64, shards: u16, engines: &[&str]) {
    let Some(judge) = Judge::built() else { return };
    let history = lives(seed, kills, shards, engines);
    judge.hold(&history, seed);
}

#[test]
fn what_clients_saw_is_linearizable() {
    are_judged(1, Rounds::asked().pick(6, 16), 1, &["0x08", "0x01", "0x03"]);
}

#[test]
fn what_clients_saw_is_linearizable_with_shards() {
    are_judged(2, Rounds::asked().pick(5, 12), 3, &["0x08", "0x07"]);
}

/// The judge finds flaws: each of these histories has one, and would be linearizable without it.
#[test]
fn broken_histories_are_found() {
    let Some(judge) = Judge::built() else { return };
    for (name, history) in by_hand::good() {
        assert_eq!(judge.of(&history), Verdict::Linearizable, "{name}");
    }
    for (name, history) in by_hand::broken() {
        assert!(matches!(judge.of(&history), Verdict::Not(_)), "{name}: it was taken for linearizable");
    }
}
