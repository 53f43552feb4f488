//! The bot, against the program: it quotes around the middle, follows it, and takes back what it left.
#![allow(clippy::unwrap_used)]

mod support;

use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gateway::bot::{AWAY, QUANTITY, quote};
use gateway::client::ClientError;
use market::MarketId;
use serde_json::{Value, json};
use support::client::Client;
use support::server::Server;
use tempfile::TempDir;
use tokio::sync::oneshot;

/// A bot that has not done it by then does not do it. No measurement.
const STUCK: Duration = Duration::from_secs(60);

/// A market, somebody who trades there, and the account of a bot.
struct World {
    server: Server,
    trader: Client,
    bot: Client,
    _folder: TempDir,
}

/// A bot at work.
struct Working {
    over: oneshot::Sender<()>,
    thread: JoinHandle<Result<(), ClientError>>,
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(folder.path(), &[]);
        let mut operator = server.client().with_key(server.operator.as_ref().unwrap());
        operator.post("/v1/markets", &json!({ "question": { "en": "Will it?", "zh": "会吗？" } })).unwrap();
        let [trader, bot] = [0, 1].map(|_| {
            let made = operator.post("/v1/accounts", &json!({})).unwrap().json();
            server.client().with_key(made["key"].as_str().unwrap())
        });
        World { server, trader, bot, _folder: folder }
    }

    fn bot(&self, market: u32) -> Working {
        let (over, is_over) = oneshot::channel();
        let (address, key) = (self.server.address, self.bot.key.clone().unwrap());
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(quote(address, &key, MarketId(market), async move { drop(is_over.await) }))
        });
        Working { over, thread }
    }

    fn trade(&mut self, intent: &str, price: u8, quantity: u32) {
        let order = json!({ "market": 1, "intent": intent, "price": price, "quantity": quantity });
        assert_eq!(self.trader.post("/v1/orders", &order).unwrap().status, 200);
    }

    /// What the bot has resting: the prices of its bids and of its asks, in YES cents.
    fn quotes(&mut self) -> (Vec<u64>, Vec<u64>) {
        let orders = self.bot.get("/v1/orders").unwrap().json()["orders"].as_array().unwrap().clone();
        let prices = |intent: &str, of: fn(u64) -> u64| {
            let own = orders.iter().filter(|order| order["intent"] == *intent);
            own.map(|order| of(order["price"].as_u64().unwrap())).collect::<Vec<_>>()
        };
        (prices("buy-yes", |price| price), prices("buy-no", |price| 100 - price))
    }

    /// Waits until it quotes around this middle.
    fn quotes_around(&mut self, bot: &Working, middle: u8) {
        let expected = (vec![u64::from(middle - AWAY)], vec![u64::from(middle + AWAY)]);
        let began = Instant::now();
        while self.quotes() != expected {
            assert!(!bot.thread.is_finished(), "the bot has ended by itself; why stands above, or its `end` says it");
            assert!(began.elapsed() < STUCK, "{:?}, and not {expected:?}", self.quotes());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the book shows this. It comes from the feed, so a moment after what the account's own orders say.
    fn shows(&mut self, depth: &Value) {
        let began = Instant::now();
        loop {
            let shown = self.trader.get("/v1/markets/1/book").unwrap().json()["message"]["depth"].clone();
            if shown == *depth {
                return;
            }
            assert!(began.elapsed() < STUCK, "the book shows {shown}, and not {depth}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Working {
    fn end(self) -> Result<(), ClientError> {
        let _ = self.over.send(());
        self.thread.join().unwrap()
    }
}

#[test]
fn it_quotes_around_the_middle() {
    let mut world = World::new();
    world.trade("buy-yes", 20, 50);
    world.trade("buy-no", 60, 50);
    let bot = world.bot(1);
    world.quotes_around(&bot, 30);
    world.shows(&json!([[20, 50], [28, QUANTITY], [32, -i64::from(QUANTITY)], [40, -50]]));
    bot.end().unwrap();
}

#[test]
fn it_begins_at_fifty_and_follows() {
    let mut world = World::new();
    let bot = world.bot(1);
    world.quotes_around(&bot, 50);
    // Somebody takes all of its ask. The last trade was there, so that is where the middle is.
    world.trade("buy-yes", 52, QUANTITY);
    world.quotes_around(&bot, 52);
    world.trade("buy-yes", 54, QUANTITY);
    world.quotes_around(&bot, 54);
    // And all of its bid.
    world.trade("buy-no", 48, QUANTITY);
    world.quotes_around(&bot, 52);
    bot.end().unwrap();
}

#[test]
fn it_takes_back_what_rests_before_it_ends() {
    let mut world = World::new();
    let bot = world.bot(1);
    world.quotes_around(&bot, 50);
    bot.end().unwrap();
    assert_eq!(world.quotes(), (vec![], vec![]));
    world.shows(&json!([]));
}

#[test]
fn it_says_why_it_can_not_go_on() {
    let mut world = World::new();
    let unknown = world.bot(7).end().unwrap_err().to_string();
    assert!(unknown.contains("unknown-market"), "{unknown}");
    world.bot = world.server.client().with_key("nobody's");
    let refused = world.bot(1).end().unwrap_err().to_string();
    assert!(refused.contains("unauthenticated"), "{refused}");
}
