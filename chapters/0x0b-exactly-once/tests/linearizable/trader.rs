//! Clients that act for one account together, and write down what they asked, what they were told, and when.

use std::io;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use contract::streams::Random;
use market::MarketId;
use market::log::ShardOf;
use serde_json::{Value, json};

use crate::client::Client;
use crate::history::Operation;

pub const MARKETS: RangeInclusive<u32> = 1..=2;

/// Lanes of each kind in which the account's traders count together.
const LANES: u64 = 2;

/// How many of the account's last requests may be repeated: fewer than a window remembers.
const REPEATED: usize = 60;

/// A request with a number.
#[derive(Clone)]
struct Request {
    /// For the judge.
    asked: Value,
    method: &'static str,
    path: String,
    body: Value,
    /// Deposits and withdrawals are the operator's.
    is_operators: bool,
    is_answered: bool,
}

/// An account, and what its traders know together.
pub struct Account {
    pub number: u32,
    keys: [String; 2],
    /// Of orders, cancellations and money, by lane.
    counters: [[AtomicU64; LANES as usize]; 3],
    requests: Mutex<Vec<Request>>,
    /// Orders that were placed: market and number. Some of them are cancelled already.
    placed: Mutex<Vec<(u64, u64)>>,
    /// Up to where they know the log of each shard; none where they read without saying so.
    known: Option<Mutex<Vec<u64>>>,
    answered: AtomicU64,
    is_over: AtomicBool,
}

impl Account {
    pub fn make(client: &mut Client, operator: &str) -> Account {
        let made = client.post("/v1/accounts", &json!({ "name": "trader" })).unwrap().json();
        let key = made["key"].as_str().unwrap().to_owned();
        Account {
            number: made["account"].as_u64().unwrap() as u32,
            keys: [key, operator.to_owned()],
            counters: Default::default(),
            requests: Mutex::default(),
            placed: Mutex::default(),
            known: None,
            answered: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    /// Its traders tell each other how far the log of each shard was in every answer, and ask with `at_least=` for no less.
    #[allow(dead_code, reason = "where the venue may move to another machine")]
    pub fn that_knows(self, shards: u16) -> Account {
        Account { known: Some(Mutex::new(vec![0; shards.into()])), ..self }
    }

    /// What an answer says about how long the logs are: a command's about its market's, and a read's about all.
    fn learn(&self, market: &Value, answer: &Value) {
        let Some(known) = &self.known else { return };
        let mut known = known.lock().unwrap();
        let shards = known.len() as u16;
        let of = |market: u64| usize::from(ShardOf::market(MarketId(market as u32), shards).shard);
        let one = market.as_u64().map(of).zip(answer.get("sequence"));
        let all = answer["at"].as_array().into_iter().flatten().enumerate();
        for (shard, sequence) in one.into_iter().chain(all) {
            known[shard] = known[shard].max(sequence.as_u64().unwrap_or(0));
        }
    }

    /// How many answers its traders have.
    pub fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// Its traders stop when what they have under way is answered or given up.
    pub fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

pub struct Trader {
    account: Arc<Account>,
    address: SocketAddr,
    /// With the account's key, and with the operator's.
    clients: [Option<Client>; 2],
    random: Random,
    /// When the clock began.
    began: Instant,
    seen: Vec<Operation>,
}

impl Trader {
    pub fn new(account: Arc<Account>, address: SocketAddr, random: Random, began: Instant) -> Trader {
        Trader { account, address, clients: [None, None], random, began, seen: Vec::new() }
    }

    /// Acts for the account until it is told to stop.
    pub fn go(mut self) -> Vec<Operation> {
        while !self.account.is_over.load(Ordering::Relaxed) {
            match self.random.below(16) {
                0..4 => self.repeat(),
                4..8 => drop(self.read()),
                _ => self.ask_anew(),
            }
        }
        self.seen
    }

    /// Looks at the account's orders and its money, when nothing is in its way.
    pub fn look(mut self) -> Vec<Operation> {
        self.read_orders().unwrap();
        self.read_money().unwrap();
        self.seen
    }

    /// Asks for something new, under the next number.
    fn ask_anew(&mut self) {
        let request = match self.random.below(12) {
            0..7 => self.place(),
            7..10 => self.cancel(),
            10 => self.transfer("deposit", "deposits"),
            _ => self.transfer("withdraw", "withdrawals"),
        };
        let mut requests = self.account.requests.lock().unwrap();
        requests.push(request);
        let at = requests.len() - 1;
        drop(requests);
        self.bring_to_its_end(at);
    }

    /// A lane, and the next number in it.
    fn numbered(&mut self, kind: usize) -> (u64, u64) {
        let lane = self.random.below(LANES);
        (lane, self.account.counters[kind][lane as usize].fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// All orders buy YES, so none meets another.
    fn place(&mut self) -> Request {
        let (lane, number) = self.numbered(0);
        let (market, price, quantity) =
            (1 + self.random.below(2), 1 + self.random.below(20), 1 + self.random.below(20));
        let mut asked =
            json!({ "market": market, "price": price, "quantity": quantity, "lane": lane, "number": number });
        let mut body = asked.clone();
        (body["intent"], asked["do"]) = ("buy-yes".into(), "place".into());
        Request { asked, method: "POST", path: "/v1/orders".into(), body, is_operators: false, is_answered: false }
    }

    /// While there is nothing to cancel, an order.
    fn cancel(&mut self) -> Request {
        let Some((market, order)) = self.one_that_was_placed() else { return self.place() };
        let (lane, number) = self.numbered(1);
        let asked = json!({ "do": "cancel", "market": market, "order": order, "lane": lane, "number": number });
        let path = format!("/v1/markets/{market}/orders/{order}?lane={lane}&number={number}");
        Request { asked, method: "DELETE", path, body: Value::Null, is_operators: false, is_answered: false }
    }

    fn transfer(&mut self, how: &str, to: &str) -> Request {
        let (lane, number) = self.numbered(2);
        let (market, amount) = (1 + self.random.below(2), 1 + self.random.below(300));
        let asked = json!({ "do": how, "market": market, "amount": amount, "lane": lane, "number": number });
        let body = json!({ "account": self.account.number, "amount": amount, "lane": lane, "number": number });
        let path = format!("/v1/markets/{market}/{to}");
        Request { asked, method: "POST", path, body, is_operators: true, is_answered: false }
    }

    /// An order to cancel. Sometimes another trader takes the same.
    fn one_that_was_placed(&mut self) -> Option<(u64, u64)> {
        let mut placed = self.account.placed.lock().unwrap();
        let at = self.random.below(placed.len().max(1) as u64) as usize;
        let is_last = self.random.below(4) > 0;
        if is_last && at < placed.len() { Some(placed.swap_remove(at)) } else { placed.get(at).copied() }
    }

    /// Sends one of the account's last requests again, whichever trader sent it first and whether it has an answer or
    /// not. Those that have none are repeated more often.
    fn repeat(&mut self) {
        let requests = self.account.requests.lock().unwrap();
        let first = requests.len().saturating_sub(REPEATED);
        let open: Vec<_> = (first..requests.len()).filter(|&at| !requests[at].is_answered).collect();
        let all: Vec<_> = (first..requests.len()).collect();
        drop(requests);
        let from = if open.is_empty() || self.random.below(2) == 0 { all } else { open };
        let which = self.random.below(from.len().max(1) as u64) as usize;
        if let Some(&at) = from.get(which) {
            self.bring_to_its_end(at);
        }
    }

    /// Sends a request until it is answered; sometimes it gives up at once, as a client does when it is closed.
    fn bring_to_its_end(&mut self, at: usize) {
        let request = self.account.requests.lock().unwrap()[at].clone();
        let (call, mut attempts) = (self.now(), 0);
        let told = loop {
            attempts += 1;
            match self.send(&request) {
                // The venue may not know: sending the same request again finds out.
                Ok((503 | 429, _)) => thread::sleep(Duration::from_millis(2)),
                Ok((status, answer)) => {
                    // Before the call ends, because a read that begins after its end has to know.
                    self.account.learn(&request.asked["market"], &answer);
                    break Some((self.now(), told(status, &answer)));
                }
                Err(_) => thread::sleep(Duration::from_micros(200 + self.random.below(3_000))),
            }
            if attempts == 1 && self.random.below(4) == 0 {
                break None;
            }
        };
        if let Some((_, told)) = &told {
            self.hear(at, &request, told);
        }
        self.seen.push(Operation { call, told, account: self.account.number, asked: request.asked, attempts });
    }

    /// What an answer tells all traders of the account.
    fn hear(&self, at: usize, request: &Request, told: &Value) {
        let was_answered = std::mem::replace(&mut self.account.requests.lock().unwrap()[at].is_answered, true);
        if let (false, Some(order @ 1..)) = (was_answered, told["order"].as_u64()) {
            self.account.placed.lock().unwrap().push((request.asked["market"].as_u64().unwrap(), order));
        }
        self.account.answered.fetch_add(1, Ordering::Relaxed);
    }

    fn read(&mut self) -> io::Result<()> {
        if self.random.below(2) == 0 { self.read_orders() } else { self.read_money() }
    }

    fn read_orders(&mut self) -> io::Result<()> {
        self.read_list("orders", "/v1/orders", "orders", |order| {
            assert_eq!(order["intent"], json!("buy-yes"), "it cannot meet another");
            json!({ "market": order["market"], "order": order["order"], "price": order["price"], "quantity": order["left"] })
        })
    }

    fn read_money(&mut self) -> io::Result<()> {
        self.read_list(
            "money",
            "/v1/account",
            "holdings",
            |held| json!({ "market": held["market"], "cash": held["cash"], "locked": held["cash_locked"] }),
        )
    }

    /// A read that has no answer says nothing, and is not written down.
    fn read_list(&mut self, what: &str, path: &str, field: &str, of: fn(&Value) -> Value) -> io::Result<()> {
        let (call, mut path) = (self.now(), path.to_owned());
        if let Some(known) = &self.account.known {
            let known: Vec<_> = known.lock().unwrap().iter().map(u64::to_string).collect();
            path += &format!("?at_least={}", known.join(","));
        }
        let (status, answer) = self.exchange(false, "GET", &path, "")?;
        if status != 200 {
            return Err(io::Error::other(format!("{status}: {answer}")));
        }
        self.account.learn(&Value::Null, &answer);
        let list: Vec<_> = answer[field].as_array().unwrap().iter().map(of).collect();
        let (told, asked) = (Some((self.now(), json!({ what: list }))), json!({ "do": what }));
        self.seen.push(Operation { call, told, account: self.account.number, asked, attempts: 1 });
        Ok(())
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_nanos() as u64
    }

    fn send(&mut self, request: &Request) -> io::Result<(u16, Value)> {
        let body = if request.body.is_null() { String::new() } else { request.body.to_string() };
        self.exchange(request.is_operators, request.method, &request.path, &body)
    }

    /// Asks once. A connection on which something went wrong is not used again.
    fn exchange(&mut self, as_operator: bool, method: &str, path: &str, body: &str) -> io::Result<(u16, Value)> {
        let which = usize::from(as_operator);
        let mut client = match self.clients[which].take() {
            Some(client) => client,
            None => Client::connect(self.address)?.with_key(&self.account.keys[which]),
        };
        let answer = client.ask(method, path, body)?;
        self.clients[which] = Some(client);
        let value = serde_json::from_slice(&answer.body).map_err(io::Error::other)?;
        Ok((answer.status, value))
    }
}

/// An answer, as the judge reads it.
fn told(status: u16, answer: &Value) -> Value {
    let reason = answer["reason"].as_str().unwrap_or_default();
    json!({ "reason": reason, "order": answer["order"].as_u64().unwrap_or(0), "text": format!("{status} {answer}") })
}
