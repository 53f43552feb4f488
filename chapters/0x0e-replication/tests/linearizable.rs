//! What clients saw of a venue whose primary is killed, stopped and cut off again and again is judged by the checker of 0x0b.
//! While one machine replaces the other, some of the clients still ask the one, and some ask the other already.
//!
//! The clients of an account tell each other how far the logs were, and each read asks with `at_least=` for no less. Without that
//! their history would not have to be linearizable: a machine that was replaced, and has not heard of it, answers reads from what it
//! knew.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]
#![cfg(unix)]

#[path = "../../0x0b-exactly-once/tests/linearizable/history.rs"]
mod history;
#[path = "support/pair.rs"]
#[allow(dead_code)]
mod pair;
#[path = "../../0x0b-exactly-once/tests/linearizable/porcupine.rs"]
mod porcupine;
#[path = "../../0x0b-exactly-once/measure/src/proxy.rs"]
mod proxy;
mod support;
#[path = "../../0x0b-exactly-once/tests/linearizable/trader.rs"]
mod trader;

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use contract::streams::Random;
use history::History;
use pair::{Fault, Pair};
use porcupine::Judge;
use program::rounds::Rounds;
use proxy::Proxy;
use serde_json::json;
use support::{client, servers};
use trader::{Account, Trader};

/// How many accounts there are: each has a history of its own.
const ACCOUNTS: u64 = 3;

/// Traders of each account, each with a connection of its own.
const TRADERS_EACH: u64 = 3;

/// What each account has in each market at the beginning.
const CASH: u64 = 1_000;

/// What makes no progress for so long is stuck. No measurement.
const STUCK: Duration = Duration::from_secs(90);

/// Each ends with another primary.
const TAKEOVERS: [Fault; 4] = [Fault::Cut(true, true), Fault::StopPrimary, Fault::Hand, Fault::KillPrimary];

/// What the clients of a venue saw that moved from machine to machine so often.
fn moves(seed: u64, count: u64, shards: u16) -> Option<History> {
    let (_kept, mut servers) = servers()?;
    let mut random = Random::new(seed);
    let mut pair = Pair::start(&servers, shards, &["--play-money", &CASH.to_string()]);
    let operator = pair.machine(0).operator();
    let mut client = pair.machine(0).client().with_key(&operator);
    for _ in trader::MARKETS {
        let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
        assert_eq!(client.post("/v1/markets", &question).unwrap().status, 201);
    }
    let account = |_| Arc::new(Account::make(&mut client, &operator).that_knows(shards));
    let accounts: Vec<_> = (0..ACCOUNTS).map(account).collect();
    let proxy = Proxy::start(pair.machine(0).address(), seed).unwrap();
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
    for (round, fault) in (0..count).zip(TAKEOVERS.iter().cycle()) {
        let (before, began) = (answered(&accounts), Instant::now());
        let enough = 1 + random.below(100);
        while answered(&accounts) < before + enough {
            assert!(began.elapsed() < STUCK, "takeover {round}: no client gets an answer\n{}", pair.said());
            pair.look(&proxy);
            thread::sleep(Duration::from_millis(1));
        }
        pair.suffer(*fault, &mut servers, &proxy, &mut random);
    }
    accounts.iter().for_each(|account| account.stop());
    while !traders.iter().all(thread::JoinHandle::is_finished) {
        pair.look(&proxy);
        thread::sleep(Duration::from_millis(1));
    }
    let mut operations: Vec<_> = traders.into_iter().flat_map(|trader| trader.join().expect("a trader")).collect();
    // What is still on its way arrives now, or never. Then each account looks again.
    proxy.calm();
    pair.look(&proxy);
    operations.extend(accounts.iter().flat_map(|account| trader(account, TRADERS_EACH).look()));
    let history = History { cash: CASH, markets: trader::MARKETS.collect(), operations };
    println!("seed {seed}: {count} takeovers, shards: {shards}; {} connections were cut: {history}", proxy.cuts());
    Some(history)
}

fn answered(accounts: &[Arc<Account>]) -> u64 {
    accounts.iter().map(|account| account.answered()).sum()
}

fn are_judged(seed: u64, count: u64, shards: u16) {
    let Some(judge) = Judge::built() else { return };
    let Some(history) = moves(seed, count, shards) else { return };
    judge.hold(&history, seed);
}

#[test]
fn what_clients_saw_is_linearizable_across_takeovers() {
    are_judged(1, Rounds::asked().pick(3, 8), 1);
}

#[test]
fn what_clients_saw_is_linearizable_across_takeovers_with_shards() {
    are_judged(2, Rounds::asked().pick(2, 4), 2);
}

/// Why the clients say how much they know.
#[test]
fn a_machine_that_has_not_heard_that_it_was_replaced_answers_reads_from_what_it_knew() {
    let Some((_kept, servers)) = servers() else { return };
    let mut pair = Pair::start(&servers, 1, &["--play-money", &CASH.to_string()]);
    let operator = pair.machine(0).operator();
    let mut old = pair.machine(0).client().with_key(&operator);
    let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
    assert_eq!(old.post("/v1/markets", &question).unwrap().status, 201);
    let made = old.post("/v1/accounts", &json!({ "name": "trader" })).unwrap().json();
    let key = made["key"].as_str().unwrap();
    let mut old = old.with_key(key);
    pair.wires[0].cut(true, true);
    let mut new = pair.machine(1).client().with_key(key);
    let order = json!({ "market": 1, "intent": "buy-yes", "price": 1, "quantity": 1 });
    let placed = new.post("/v1/orders", &order).unwrap().json();
    let orders = |client: &mut client::Client, query: &str| client.get(&format!("/v1/orders{query}")).unwrap();
    assert_eq!(orders(&mut new, "").json()["orders"][0]["order"], placed["order"]);
    assert_eq!(orders(&mut old, "").json()["orders"], json!([]), "it has not heard of it");
    let refused = orders(&mut old, &format!("?at_least={}", placed["sequence"]));
    assert_eq!((refused.status, &refused.json()["reason"]), (503, &json!("behind")));
    pair.wires[0].mend();
    let (status, said) = pair.machines[0].take().unwrap().end();
    assert_eq!(status.code(), Some(3), "{said}");
}
