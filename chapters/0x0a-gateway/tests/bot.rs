//! The bot against the program: it quotes around the middle, follows it, and cancels its orders at the end.
#![allow(clippy::unwrap_used)]

mod support;

use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gateway::bot::{AWAY, QUANTITY, quote};
use load::client::ClientError;
use market::MarketId;
use serde_json::{Value, json};
use support::client::Client;
use support::server::Server;
use tempfile::TempDir;
use tokio::sync::oneshot;

/// A bot that has not acted by then never will. Not a measurement.
const STUCK: Duration = Duration::from_secs(60);

/// A market, an account that trades there, and the account of a bot.
struct World {
    server: Server,
    trader: Client,
    bot: Client,
    _folder: TempDir,
}

/// A running bot.
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

    /// The bot's resting orders: the prices of its bids and of its asks, in YES cents.
    fn quotes(&mut self) -> (Vec<u64>, Vec<u64>) {
        let orders = self.bot.get("/v1/orders").unwrap().json()["orders"].as_array().unwrap().clone();
        let prices = |intent: &str, of: fn(u64) -> u64| {
            let own = orders.iter().filter(|order| order["intent"] == *intent);
            own.map(|order| of(order["price"].as_u64().unwrap())).collect::<Vec<_>>()
        };
        (prices("buy-yes", |price| price), prices("buy-no", |price| 100 - price))
    }

    /// Waits until the bot quotes around this middle.
    fn quotes_around(&mut self, bot: &Working, middle: u8) {
        let expected = (vec![u64::from(middle - AWAY)], vec![u64::from(middle + AWAY)]);
        let began = Instant::now();
        while self.quotes() != expected {
            assert!(
                !bot.thread.is_finished(),
                "the bot has ended by itself; see the output above, or what its `end` returns"
            );
            assert!(began.elapsed() < STUCK, "{:?}, and not {expected:?}", self.quotes());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the book shows this. The feed publishes it slightly later than the account's own orders.
    fn shows(&mut self, depth: &Value) {
        let began = Instant::now();
        loop {
            let shown = self.trader.get("/v1/markets/1/book").unwrap().json()["message"]["depth"].clone();
            if shown == *depth {
                return;
            }
            assert!(began.elapsed() < STUCK, "the book shows {shown} instead of {depth}");
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
    // Another account takes the whole ask. The last trade was there, so that is the new middle.
    world.trade("buy-yes", 52, QUANTITY);
    world.quotes_around(&bot, 52);
    world.trade("buy-yes", 54, QUANTITY);
    world.quotes_around(&bot, 54);
    // And the whole bid.
    world.trade("buy-no", 48, QUANTITY);
    world.quotes_around(&bot, 52);
    bot.end().unwrap();
}

#[test]
fn it_takes_back_its_orders_before_it_ends() {
    let mut world = World::new();
    let bot = world.bot(1);
    world.quotes_around(&bot, 50);
    bot.end().unwrap();
    assert_eq!(world.quotes(), (vec![], vec![]));
    world.shows(&json!([]));
}

#[test]
fn it_says_why_it_cannot_continue() {
    let mut world = World::new();
    let unknown = world.bot(7).end().unwrap_err().to_string();
    assert!(unknown.contains("unknown-market"), "{unknown}");
    world.bot = world.server.client().with_key("unknown");
    let refused = world.bot(1).end().unwrap_err().to_string();
    assert!(refused.contains("unauthenticated"), "{refused}");
}
