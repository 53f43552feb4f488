//! Clients that number their requests, and send each again until it has an answer.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use contract::streams::Random;
use market::MarketId;
use market::log::ShardOf;
use serde_json::{Value, json};

use crate::client::Client;

/// Lanes of an account that its traders count in together.
const LANES: u64 = 3;

/// How many markets there are.
pub const MARKETS: u32 = 3;

/// An account, its key, and how far its lanes were counted.
pub struct Account {
    pub number: u32,
    pub key: String,
    counters: [AtomicU64; 2 * LANES as usize],
    /// How many answers its traders have.
    pub answered: AtomicUsize,
}

impl Account {
    pub fn make(client: &mut Client) -> Account {
        let made = client.post("/v1/accounts", &json!({ "name": "trader" })).unwrap().json();
        let number = made["account"].as_u64().unwrap() as u32;
        let key = made["key"].as_str().unwrap().to_owned();
        Account { number, key, counters: Default::default(), answered: AtomicUsize::new(0) }
    }

    /// Gives it a cent in each market, and returns the account's last command in each shard's log.
    pub fn end(&self, operator: &mut Client, shards: u16) -> Vec<u64> {
        let mut end = vec![0; usize::from(shards)];
        for market in 1..=MARKETS {
            let deposit = json!({ "account": self.number, "amount": 1 });
            let done = operator.post(&format!("/v1/markets/{market}/deposits"), &deposit).unwrap().json();
            end[usize::from(ShardOf::market(MarketId(market), shards).shard)] = done["sequence"].as_u64().unwrap();
        }
        end
    }
}

/// What a client wanted to be done once, and the answers to it.
#[derive(Clone, Debug)]
pub struct Intent {
    pub account: u32,
    pub method: &'static str,
    pub path: String,
    pub body: Value,
    /// Whether it is an order.
    pub is_order: bool,
    pub lane: u64,
    pub number: u64,
    /// Status and answer, if it has one.
    pub answer: Option<(u16, Value)>,
    pub attempts: u32,
}

pub struct Trader {
    account: std::sync::Arc<Account>,
    address: SocketAddr,
    client: Option<Client>,
    random: Random,
    done: Vec<Intent>,
    which: u64,
}

impl Trader {
    pub fn new(account: std::sync::Arc<Account>, which: u64, address: SocketAddr, random: Random) -> Trader {
        Trader { account, address, client: None, random, done: Vec::new(), which }
    }

    /// Trades until `stop` is set; the request that is under way then is completed.
    pub fn go(mut self, stop: &AtomicBool) -> Vec<Intent> {
        while !stop.load(Ordering::Relaxed) {
            if !self.done.is_empty() && self.random.below(4) == 0 {
                self.repeat();
            } else {
                let intent = self.next_intent();
                let intent = self.bring_to_its_end(intent);
                self.done.push(intent);
                self.account.answered.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.done
    }

    fn next_intent(&mut self) -> Intent {
        let (lane, is_order) = (self.random.below(LANES), self.random.below(4) > 0);
        let counter = &self.account.counters[(lane + if is_order { 0 } else { LANES }) as usize];
        let number = counter.fetch_add(1, Ordering::Relaxed) + 1;
        let market = 1 + self.random.below(u64::from(MARKETS));
        let account = self.account.number;
        let (method, path, body) = if is_order {
            let intent = self.random.pick(&["buy-yes", "sell-yes", "buy-no", "sell-no"]);
            // Some are rejected: a rejection has used its number as well.
            let price = if self.random.below(20) == 0 { 0 } else { 45 + self.random.below(10) };
            let body = json!({
                "market": market, "intent": intent, "price": price, "quantity": 1 + self.random.below(5),
                "lane": lane, "number": number,
            });
            ("POST", "/v1/orders".to_owned(), body)
        } else {
            let order = 1 + self.random.below(60);
            let path = format!("/v1/markets/{market}/orders/{order}?lane={lane}&number={number}");
            ("DELETE", path, Value::Null)
        };
        Intent { account, method, path, body, is_order, lane, number, answer: None, attempts: 0 }
    }

    fn bring_to_its_end(&mut self, mut intent: Intent) -> Intent {
        loop {
            intent.attempts += 1;
            match self.ask(&intent) {
                // Nothing was done, or the venue does not know: sending the same request again
                // finds out.
                Ok((503 | 429, _)) => thread::sleep(Duration::from_millis(2)),
                Ok(answer) => {
                    intent.answer = Some(answer);
                    return intent;
                }
                Err(_) => {
                    self.client = None;
                    thread::sleep(Duration::from_micros(200 + self.random.below(3_000) + self.which));
                }
            }
        }
    }

    /// Sends one of the last requests again, and wants the answer that it had.
    fn repeat(&mut self) {
        let back = 1 + self.random.below(self.done.len().min(40) as u64) as usize;
        let first = self.done[self.done.len() - back].clone();
        let again = self.bring_to_its_end(Intent { answer: None, ..first.clone() });
        assert_eq!(again.answer, first.answer, "another answer to the same request: {first:?}");
    }

    fn ask(&mut self, intent: &Intent) -> io::Result<(u16, Value)> {
        let client = match &mut self.client {
            Some(client) => client,
            None => self.client.insert(Client::connect(self.address)?.with_key(&self.account.key)),
        };
        let body = if intent.body.is_null() { String::new() } else { intent.body.to_string() };
        let answer = client.ask(intent.method, &intent.path, &body)?;
        let value = serde_json::from_slice(&answer.body).map_err(io::Error::other)?;
        Ok((answer.status, value))
    }
}
