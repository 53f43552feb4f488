//! Accounts: which keys and numbers they have, and that each has its play money in each market.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::client::Answer;
use crate::support::server::{PROGRAM, Server};
use serde_json::{Value, json};

/// A longer wait means that something is stuck. Not a measurement.
const STUCK: Duration = Duration::from_secs(30);

fn question() -> Value {
    json!({ "question": { "en": "Will it?", "zh": "会吗？" } })
}

fn key_of(made: &Answer) -> String {
    made.json()["key"].as_str().unwrap_or_else(|| panic!("no key: {made:?}")).to_owned()
}

/// The cash of the account with this key in each market.
fn cash(server: &Server, key: &str) -> Vec<u64> {
    let held = server.client().with_key(key).get("/v1/account").unwrap().json();
    held["holdings"].as_array().unwrap().iter().map(|held| held["cash"].as_u64().unwrap()).collect()
}

#[test]
fn bots_take_no_persons_account() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let person = server.client().post("/v1/accounts", &json!({ "name": "bot 1" })).unwrap();
    let key = key_of(&person);
    server.kill();
    // The first run with bots makes their accounts, and the second finds them.
    for _ in 0..2 {
        let mut command = Command::new(PROGRAM);
        command.args(["--bots", "2", "--data-dir"]).arg(folder.path());
        let server = Server::of(&mut command);
        let began = Instant::now();
        let has_orders = |market: u32| {
            let book = server.client().get(&format!("/v1/markets/{market}/book")).unwrap().json();
            book["message"]["depth"].as_array().is_some_and(|depth| !depth.is_empty())
        };
        while !(1..=3).any(has_orders) {
            assert!(began.elapsed() < STUCK, "the bots do not trade");
            std::thread::sleep(Duration::from_millis(20));
        }
        let orders = server.client().with_key(&key).get("/v1/orders").unwrap();
        assert_eq!((orders.status, orders.json()["orders"].clone()), (200, json!([])));
        server.kill();
    }
    let server = Server::start(folder.path(), &[]);
    let next = server.client().post("/v1/accounts", &json!({})).unwrap().json();
    assert_eq!(next["account"].as_u64(), person.json()["account"].as_u64().map(|person| person + 3), "two bots");
}

#[test]
fn accounts_that_open_beside_markets_have_their_play_money_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let is_over = AtomicBool::new(false);
    let make = || {
        let (mut client, mut keys) = (server.client(), Vec::new());
        while !is_over.load(Ordering::Relaxed) {
            keys.push(key_of(&client.post("/v1/accounts", &json!({})).unwrap()));
        }
        keys
    };
    let keys: Vec<String> = std::thread::scope(|scope| {
        let makers = [(); 8].map(|()| scope.spawn(make));
        let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
        for _ in 0..10 {
            assert_eq!(operator.post("/v1/markets", &question()).unwrap().status, 201);
        }
        is_over.store(true, Ordering::Relaxed);
        makers.into_iter().flat_map(|maker| maker.join().unwrap()).collect()
    });
    let wrong: Vec<_> = keys.iter().map(|key| cash(&server, key)).filter(|cash| *cash != [100_000; 10]).collect();
    assert!(!keys.is_empty() && wrong.is_empty(), "{} of {}: {wrong:?}", wrong.len(), keys.len());
}

#[test]
fn a_mistyped_number_makes_no_account() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
    assert_eq!(operator.post("/v1/markets", &question()).unwrap().status, 201);
    let last = u32::MAX;
    for answer in [
        operator.post(&format!("/v1/accounts/{last}/key"), &json!({})).unwrap(),
        operator.post("/v1/markets/1/deposits", &json!({ "account": last, "amount": 5 })).unwrap(),
    ] {
        assert_eq!((answer.status, answer.reason()), (404, "not-found".to_owned()), "{answer:?}");
    }
    let made = operator.post("/v1/accounts", &json!({})).unwrap();
    assert_eq!((made.status, &made.json()["account"]), (201, &json!(1_000)));
}

#[test]
fn no_account_takes_the_operators_key_and_a_repeated_key_keeps_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let operator = server.operator.as_ref().unwrap();
    let mut anyone = server.client();
    let refused = anyone.post("/v1/accounts", &json!({ "key": operator })).unwrap();
    assert_eq!((refused.status, refused.reason()), (403, "forbidden".to_owned()), "{refused:?}");
    assert_eq!(server.client().with_key(operator).post("/v1/markets", &question()).unwrap().status, 201);
    let key = format!("nnc_{}", "ab".repeat(32));
    let mut make = |name: &str| anyone.post("/v1/accounts", &json!({ "name": name, "key": key })).unwrap().json();
    let first = make("Ann");
    assert_eq!((make("Ben"), &first["name"]), (first.clone(), &json!("Ann")));
}
