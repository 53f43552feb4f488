//! A venue whose log was trimmed, and the answers of one that has the whole log.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use contract::streams::Random;
use contract::traced::copy;
use exactly_once::once::Once;
use gateway::front::{Fronts, layers};
use gateway::layer::carried;
use market::log::ShardOf;
use market::log_chain::segments;
use market::{
    AccountId, Acknowledge, Cents, Command, Engine as _, Event, MarketId, Options, RealDisk, Receivers, Stamp,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::listener::{Heard, assert_same, between, has_come_to, listen};
use super::server::{PROGRAM, Server, ended};

const MARKETS: u32 = 3;

fn start(folder: &Path, shards: u16, more: &[&str]) -> Server {
    let shards = shards.to_string();
    let flags = ["--shards", &shards, "--snapshot-every", "90", "--orders-per-second", "0", "--play-money", "1000000"];
    Server::start(folder, &[&flags[..], more].concat())
}

/// Opens markets and accounts; returns the operator's key and the accounts' keys.
fn begin(server: &Server) -> (String, Vec<String>) {
    let key = server.operator.clone().unwrap();
    let mut operator = server.client().with_key(&key);
    for _ in 0..MARKETS {
        let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
        assert_eq!(operator.post("/v1/markets", &question).unwrap().status, 201);
    }
    let mut make = || operator.post("/v1/accounts", &json!({})).unwrap().json()["key"].as_str().unwrap().to_owned();
    let keys = (0..3).map(|_| make()).collect();
    (key, keys)
}

/// Each account sends a list of orders, which trade, rest, are cancelled at once or rejected, and cancels some.
pub fn trade(server: &Server, keys: &[String], random: &mut Random, lists: usize) {
    for _ in 0..lists {
        for key in keys {
            let mut client = server.client().with_key(key);
            let mut one = || {
                let intent = random.pick(&["buy-yes", "buy-no", "sell-yes", "sell-no"]);
                json!({
                    "market": 1 + random.below(u64::from(MARKETS)), "intent": intent, "price": 30 + random.below(41),
                    "quantity": 1 + random.below(20), "time_in_force": random.pick(&["gtc", "gtc", "gtc", "ioc", "fok"]),
                })
            };
            let orders: Value = (0..14).map(|_| one()).collect();
            assert!(client.post("/v1/orders", &orders).unwrap().status < 300);
            let open = client.get("/v1/orders").unwrap().json()["orders"].clone();
            for order in open.as_array().unwrap().iter().take(1) {
                let path = format!("/v1/markets/{}/orders/{}", order["market"], order["order"]);
                assert!(client.delete(&path).unwrap().status < 500);
            }
        }
    }
}

/// How far each shard is.
pub fn end(server: &Server, key: &str) -> Vec<u64> {
    let at = server.client().with_key(key).get("/v1/account").unwrap().json()["at"].clone();
    serde_json::from_value(at).unwrap()
}

struct Deaf;

impl Acknowledge for Deaf {
    fn acknowledge(&mut self, _: Stamp, _: &[Event]) {}
}

/// Goes on with the log in segments and snapshots, and puts what is before the last snapshots into the archive.
fn trim(folder: &Path, shards: u16, archive: &Path) {
    let fronts: Fronts = Arc::new([Once::new(shards)]);
    let options = Options {
        shards,
        segment_commands: Some(8),
        trim_log: true,
        archive: Some(archive.to_path_buf()),
        ..Options::new(folder)
    };
    let options = carried(&options, &layers(&fronts));
    for _ in 0..3 {
        let mut receivers = |_: u16| Box::new(Deaf) as Box<dyn Acknowledge>;
        let (mut engine, _) =
            ch08::Engine::<ch08::metrics::Unmeasured>::open(&options, &mut receivers as &mut Receivers<'_>).unwrap();
        for number in 0..40 {
            let (market, account) = (MarketId(1 + number % MARKETS), AccountId(1 + number % 3));
            engine.submit(Command::Deposit { market, account, amount: Cents(7), request: 0 }).unwrap();
            engine.flush().unwrap();
        }
        engine.close().unwrap();
        // The rows go as far as the log does before its beginning goes.
        let output = ended(std::process::Command::new(PROGRAM).args(["follow", "--once", "--data-dir"]).arg(folder));
        assert!(output.status.success(), "{output:?}");
        keeping::once::snapshot::<ch08::shadow::Shadow>(&options).unwrap();
    }
    for shard in 0..shards {
        let first = segments(&RealDisk, folder, ShardOf { shard, shards }).unwrap()[0].first;
        assert!(first.0 > 60, "shard {shard} begins with command {first}: too little was trimmed");
    }
}

/// The amount of the last deposit before the log is trimmed, and of the last one of all.
const HERE: u64 = 777_776;
pub const LAST: u64 = 777_777;

/// Whether the last notice is a deposit of this amount.
pub fn is_last(notices: &[Value], amount: u64) -> bool {
    notices.last().is_some_and(|notice| notice["event"]["amount"] == amount)
}

/// The operator deposits this amount to each account.
pub fn deposit(server: &Server, operator: &str, keys: &[String], amount: u64) {
    let mut operator = server.client().with_key(operator);
    for key in keys {
        let account = server.client().with_key(key).get("/v1/account").unwrap().json()["account"].clone();
        let deposit = json!({ "account": account, "amount": amount });
        assert!(operator.post("/v1/markets/1/deposits", &deposit).unwrap().status < 300);
    }
}

fn words(notices: &[Value]) -> BTreeSet<&str> {
    notices.iter().map(|notice| notice["event"]["event"].as_str().unwrap()).collect()
}

/// A venue that has traded, and whose log was trimmed.
pub struct Trimmed {
    site: TempDir,
    pub shards: u16,
    pub operator: String,
    pub keys: Vec<String>,
    /// What a venue with the whole log and no history says: each account's notices, and the cursor after them.
    pub all: Vec<Heard>,
}

impl Trimmed {
    pub fn new(shards: u16) -> Trimmed {
        let site = tempfile::tempdir().unwrap();
        let [folder, whole, archive] = ["venue", "whole", "archive"].map(|name| site.path().join(name));
        let mut random = Random::new(u64::from(shards));
        let server = start(&folder, shards, &[]);
        let (operator, keys) = begin(&server);
        trade(&server, &keys, &mut random, 6);
        let resolve = format!("/v1/markets/{MARKETS}/resolve");
        let outcome = json!({ "outcome": "yes" });
        assert!(server.client().with_key(&operator).post(&resolve, &outcome).unwrap().status < 300);
        trade(&server, &keys, &mut random, 1);
        let here = |heard: &Heard| is_last(&heard.notices, HERE);
        deposit(&server, &operator, &keys, HERE);
        let live: Vec<Heard> = keys.iter().map(|key| listen(server.address, key, "first", here)).collect();
        assert_eq!(server.interrupt().0.code(), Some(0));
        trim(&folder, shards, &archive);
        copy(&folder, &whole).unwrap();
        copy(&archive, &whole).unwrap();
        let server = start(&whole, shards, &["--no-history"]);
        let hear = |key: &String| listen(server.address, key, "first", has_come_to(&end(&server, key)));
        let all: Vec<Heard> = keys.iter().map(hear).collect();
        for (live, all) in live.iter().zip(&all) {
            let seen = words(&live.notices);
            for word in ["accepted", "traded", "cancelled", "deposited", "resolved"] {
                assert!(seen.contains(word), "nothing was {word}: {seen:?}");
            }
            let to = Some(&*live.cursor);
            let [live, all] = [live, all].map(|heard| between(&heard.notices, "first", to, shards));
            assert_same(&live, &all, "the whole log, and a reader that was there");
        }
        assert!(all.iter().any(|all| words(&all.notices).contains("paid")));
        Trimmed { site, shards, operator, keys, all }
    }

    pub fn start(&self, more: &[&str]) -> Server {
        start(&self.site.path().join("venue"), self.shards, more)
    }

    /// A cursor that some reader of this account may have.
    pub fn cursor(&self, random: &mut Random, account: usize) -> String {
        let notices = &self.all[account].notices;
        match random.below(6) {
            0 => "first".into(),
            _ => notices[random.below(notices.len() as u64) as usize]["cursor"].as_str().unwrap().to_owned(),
        }
    }
}
