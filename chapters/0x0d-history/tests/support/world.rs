//! A venue with three markets and three accounts, and what it answers of the past.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::Client;
use super::server::Server;

/// Rows that do not come in this time never do. No measurement.
const STUCK: Duration = Duration::from_secs(60);

pub struct World {
    pub server: Server,
    pub operator: String,
    pub keys: Vec<(u64, String)>,
    _folder: tempfile::TempDir,
}

impl World {
    pub fn new(shards: &str) -> World {
        let folder = tempfile::tempdir().unwrap();
        let flags =
            ["--shards", shards, "--snapshot-every", "50", "--orders-per-second", "0", "--play-money", "1000000"];
        let server = Server::start(folder.path(), &flags);
        let operator = server.operator.clone().unwrap();
        let mut client = server.client().with_key(&operator);
        for _ in 0..3 {
            let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
            assert_eq!(client.post("/v1/markets", &question).unwrap().status, 201);
        }
        let mut make = || {
            let made = client.post("/v1/accounts", &json!({})).unwrap().json();
            (made["account"].as_u64().unwrap(), made["key"].as_str().unwrap().to_owned())
        };
        let keys = (0..3).map(|_| make()).collect();
        World { server, operator, keys, _folder: folder }
    }

    pub fn client(&self, which: usize) -> Client {
        self.server.client().with_key(&self.keys[which].1)
    }

    /// The first account buys of the second, so often.
    pub fn trade(&self, market: u64, times: usize) {
        let order = |intent, price| json!({ "market": market, "intent": intent, "price": price, "quantity": 2 });
        for _ in 0..times {
            for (which, order) in [(1, order("buy-no", 40)), (0, order("buy-yes", 60))] {
                assert_eq!(self.client(which).post("/v1/orders", &order).unwrap().status, 200, "{order}");
            }
        }
    }

    /// Asks until the rows have come to what the engine has.
    pub fn ask_when_there(&self, client: &mut Client, path: &str) -> Value {
        let began = Instant::now();
        loop {
            let there = client.get("/v1/account").unwrap().json()["at"].clone();
            let answer = client.get(path).unwrap();
            assert_eq!(answer.status, 200, "{path}: {answer:?}");
            let answer = answer.json();
            let reached = |at: usize| answer["through"][at].as_u64() >= there[at].as_u64();
            if (0..there.as_array().unwrap().len()).all(reached) {
                return answer;
            }
            assert!(began.elapsed() < STUCK, "{path}: {answer}, and the engine has {there}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// All pages of a path, with what `meanwhile` does between two of them.
pub fn pages(client: &mut Client, path: &str, name: &str, mut meanwhile: impl FnMut()) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let answer = client.get(&format!("{path}{cursor}")).unwrap().json();
        all.extend(answer[name].as_array().unwrap_or_else(|| panic!("{answer}")).iter().cloned());
        match answer["next"].as_str() {
            Some(next) => cursor = format!("&before={next}"),
            None => return all,
        }
        meanwhile();
    }
}
