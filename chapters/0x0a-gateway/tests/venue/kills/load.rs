//! Clients that do a bit of everything, and remember what they were told.

use std::io;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use contract::streams::Random;
use market::{AccountId, Cents, Command, Intent, MarketId, OrderId, Outcome, Place, TimeInForce};
use serde_json::{Value, json};

use crate::support::client::{Answer, Client};
use crate::support::server::Server;

/// What a client was told about a command.
#[derive(Debug)]
pub struct Told {
    pub command: Command,
    pub status: u16,
    pub answer: Value,
}

/// Everything that the clients know together, over all runs of the server.
#[derive(Default)]
pub struct Load {
    told: Mutex<Vec<Told>>,
    count: AtomicUsize,
    accounts: Mutex<Vec<(AccountId, String)>>,
    operator: Mutex<String>,
    orders: AtomicUsize,
    newest_market: AtomicU32,
}

impl Load {
    /// The first markets and accounts.
    pub fn set_up(&self, server: &Server, traders: u64) {
        let operator = server.operator.clone().expect("the first start shows the operator's key");
        let mut client = server.client().with_key(&operator);
        *self.operator.lock().unwrap() = operator;
        for _ in 0..3 {
            self.open(&mut client).unwrap();
        }
        (0..traders).for_each(|_| self.new_account(&mut client).unwrap());
    }

    /// How many promises there were.
    pub fn told(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Those that were not taken yet.
    pub fn take(&self) -> Vec<Told> {
        std::mem::take(&mut *self.told.lock().unwrap())
    }

    pub fn accounts(&self) -> Vec<(AccountId, String)> {
        self.accounts.lock().unwrap().clone()
    }

    /// All keys that must not appear in any output. The operator's is shown once, so it is not included.
    pub fn keys(&self) -> Vec<String> {
        self.accounts().into_iter().map(|(_, key)| key).collect()
    }

    /// Runs until the server is gone: the first client is the operator, the others are traders.
    pub fn go(&self, who: u64, address: SocketAddr, random: Random) {
        // Any request may find that the server is gone.
        let _ = if who == 0 { self.operate(address, random) } else { self.trade(who, address, random) };
    }

    fn note(&self, command: Command, status: u16, answer: Value) {
        assert!(answer["sequence"].as_u64().is_some(), "no promise: {command:?} {status} {answer}");
        self.told.lock().unwrap().push(Told { command, status, answer });
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    fn new_account(&self, client: &mut Client) -> io::Result<()> {
        let made = client.post("/v1/accounts", &json!({ "name": "trader" }))?;
        assert_eq!(made.status, 201, "{made:?}");
        let (account, key) = (number(&made.json()["account"]), made.json()["key"].as_str().unwrap().to_owned());
        self.accounts.lock().unwrap().push((AccountId(account), key));
        Ok(())
    }

    fn open(&self, client: &mut Client) -> io::Result<()> {
        let question = json!({ "question": { "en": "Will it?", "zh": "会吗？" } });
        let opened = client.post("/v1/markets", &question)?;
        assert_eq!(opened.status, 201, "{opened:?}");
        let market = MarketId(number(&opened.json()["market"]));
        self.newest_market.fetch_max(market.0, Ordering::Relaxed);
        self.note(Command::Open { market }, 201, opened.json());
        Ok(())
    }

    fn operate(&self, address: SocketAddr, mut random: Random) -> io::Result<()> {
        let key = self.operator.lock().unwrap().clone();
        let mut client = Client::connect(address)?.with_key(&key);
        loop {
            let at = random.below(self.accounts.lock().unwrap().len() as u64) as usize;
            let (account, _) = self.accounts.lock().unwrap()[at].clone();
            let (market, amount) = (self.market(&mut random), Cents(1 + random.below(3_000)));
            let transfer = json!({ "account": account.0, "amount": amount.0 });
            let (command, path, body) = match random.below(500) {
                0..6 => {
                    self.open(&mut client)?;
                    continue;
                }
                6..10 => {
                    let outcome = random.pick(Outcome::ALL);
                    (Command::Resolve { market, outcome }, "resolve", json!({ "outcome": outcome.word() }))
                }
                10..250 => (Command::Withdraw { market, account, amount, request: 0 }, "withdrawals", transfer),
                _ => (Command::Deposit { market, account, amount, request: 0 }, "deposits", transfer),
            };
            let answer = client.post(&format!("/v1/markets/{market}/{path}"), &body)?;
            self.note(command, answer.status, answer.json());
        }
    }

    fn trade(&self, who: u64, address: SocketAddr, mut random: Random) -> io::Result<()> {
        let (account, key) = self.accounts()[who as usize - 1].clone();
        let mut client = Client::connect(address)?.with_key(&key);
        let mut own = vec![(MarketId(1), OrderId(1))];
        loop {
            match random.below(100) {
                0..60 => {
                    let (command, body) = self.order(account, &mut random);
                    let answer = client.post("/v1/orders", &body)?;
                    self.note(command, answer.status, answer.json());
                    if answer.status == 200 {
                        own.push((command.market(), OrderId(answer.json()["order"].as_u64().expect("an id"))));
                    }
                    if answer.status == 200 && random.one_in(20) {
                        self.look_for(&mut client, &answer)?;
                    }
                }
                60..70 => {
                    let count = 1 + random.below(8);
                    let (commands, bodies): (Vec<_>, Vec<_>) =
                        (0..count).map(|_| self.order(account, &mut random)).unzip();
                    let answers = client.post("/v1/orders", &Value::Array(bodies))?.json();
                    let answers = answers.as_array().expect("a list for a list").clone();
                    assert_eq!(answers.len(), commands.len());
                    for (command, answer) in commands.into_iter().zip(answers) {
                        let status = answer["status"].as_u64().map_or(200, |status| status as u16);
                        self.note(command, status, answer);
                    }
                }
                70..90 => {
                    let (market, mut order) = own[random.below(own.len() as u64) as usize];
                    order.0 += u64::from(random.one_in(10));
                    let answer = client.delete(&format!("/v1/markets/{market}/orders/{order}"))?;
                    let command = Command::Cancel { market, account, order, request: 0 };
                    self.note(command, answer.status, answer.json());
                }
                90..92 => drop(client.delete(&format!("/v1/markets/{}/orders", self.market(&mut random)))?),
                92 => self.new_account(&mut client)?,
                _ => drop(client.get(random.pick(&["/v1/account", "/v1/fills", "/v1/markets", "/v1/orders"]))?),
            }
        }
    }

    /// A client that was told about an order finds it.
    fn look_for(&self, client: &mut Client, placed: &Answer) -> io::Result<()> {
        let placed = placed.json();
        let (shard, sequence) = (placed["shard"].as_u64().unwrap() as usize, &placed["sequence"]);
        let at_least = "0,".repeat(shard) + &sequence.to_string();
        let mut found = false;
        for kind in ["orders", "fills"] {
            let list = client.get(&format!("/v1/{kind}?at_least={at_least}"))?.json();
            let rows = list[kind].as_array().unwrap_or_else(|| panic!("{list}"));
            found |= rows.iter().any(|row| row["order"] == placed["order"] && row["market"] == placed["market"]);
        }
        // The operator may have resolved its market in the meantime.
        let market = client.get("/v1/markets")?.json();
        let market = market["markets"].as_array().unwrap().iter().find(|row| row["market"] == placed["market"]);
        let resolved = market.is_some_and(|market| market["status"] == "resolved");
        assert!(found || placed["status"] == "cancelled" || resolved, "{placed} can't be found");
        Ok(())
    }

    /// One of the newest, usually the third; sometimes one that may not exist.
    fn market(&self, random: &mut Random) -> MarketId {
        let newest = self.newest_market.load(Ordering::Relaxed);
        MarketId(newest + 1 - random.pick(&[0, 1, 2, 3, 3, 3]))
    }

    /// An order, and its request. Its number is used only once.
    fn order(&self, account: AccountId, random: &mut Random) -> (Command, Value) {
        let place = Place {
            market: self.market(random),
            account,
            intent: random.pick(Intent::ALL),
            price: if random.one_in(30) { 100 } else { 40 + random.below(20) as u8 },
            quantity: random.below(15) as u32,
            time_in_force: random.pick(TimeInForce::ALL),
            client_order_id: 1 + self.orders.fetch_add(1, Ordering::Relaxed) as u64,
        };
        let Place { market, intent, price, quantity, time_in_force, client_order_id, .. } = place;
        let body = json!({
            "market": market.0, "intent": intent.word(), "price": price, "quantity": quantity,
            "time_in_force": time_in_force.word(), "client_order_id": client_order_id,
        });
        (Command::Place(place), body)
    }
}

pub fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|number| number.try_into().ok()).unwrap_or_else(|| panic!("no number: {value}"))
}
