//! Makes a feed fail: an order that trades with more orders than its ring can hold laps it, and the log it needs to
//! catch up has been renamed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::client::Client;
use super::server::Server;

/// More than the feed's ring of a shard can hold.
pub const ORDERS: u64 = 17_000;

/// Orders per list.
const LIST: u64 = 1_000;

pub fn order(intent: &str, price: u64, quantity: u64) -> Value {
    json!({ "market": 1, "intent": intent, "price": price, "quantity": quantity })
}

/// Two accounts in market 1. The first has [`ORDERS`] orders resting at 1, and the second can pay for all of them. The
/// server has no limit on orders per second.
pub fn two_accounts(server: &Server, operator: &str) -> [Client; 2] {
    let mut operator = server.client().with_key(operator);
    let [mut one, other] = [0, 1].map(|_| {
        let made = operator.post("/v1/accounts", &json!({})).unwrap().json();
        let cash = json!({ "account": made["account"], "amount": 100 * ORDERS });
        assert_eq!(operator.post("/v1/markets/1/deposits", &cash).unwrap().status, 200);
        server.client().with_key(made["key"].as_str().unwrap())
    });
    for _ in 0..ORDERS / LIST {
        let list: Vec<_> = (0..LIST).map(|_| order("buy-yes", 1, 1)).collect();
        assert_eq!(one.post("/v1/orders", &json!(list)).unwrap().status, 200);
    }
    [one, other]
}

/// The log's files under other names. The engine has them open; a program that opens them now finds none.
pub struct Hidden(Vec<(PathBuf, PathBuf)>);

/// Ends the feed: the second account trades with all orders of the first.
pub fn end_the_feed(folder: &Path, other: &mut Client) -> Hidden {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let logs = paths.filter(|path| path.extension().is_some_and(|kind| kind == "log"));
    let hidden: Vec<_> = logs.map(|path| (path.clone(), path.with_extension("hidden"))).collect();
    hidden.iter().for_each(|(from, to)| fs::rename(from, to).unwrap());
    assert!(!hidden.is_empty(), "there is a log");
    let met = other.post("/v1/orders", &order("buy-no", 99, ORDERS)).unwrap();
    assert_eq!((met.status, &met.json()["filled"]), (200, &json!(ORDERS)));
    Hidden(hidden)
}

impl Hidden {
    /// Restores what the next feed needs.
    pub fn give_back(self) {
        self.0.iter().for_each(|(from, to)| fs::rename(to, from).unwrap());
    }
}
