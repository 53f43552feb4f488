//! Bots that trade like people do: slowly, with opinions, over connections of their own.
//!
//! All markets have a hidden probability that wanders. Each bot believes something near it, and now and then does one of
//! three things: it takes an offer that it finds cheap, it rests an order a little below what it believes, or it cancels what
//! it had resting. It knows of the venue what a stranger knows: a key, the HTTP interface, and a
//! [`BookView`] that it keeps from the messages of a WebSocket.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use hyper::Method;
use market::MarketId;
use market_data::{BookView, Freshness, Message};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};

use crate::client::{ClientError, Http, Stream};
use crate::projection::MarketStatus;
use crate::venue::Venue;

/// How many markets the bots trade in: those with the lowest numbers.
const MARKETS_MAX: usize = 8;

/// How long a bot waits between two things that it does, in milliseconds: from and to.
const WAIT_MS: (u32, u32) = (300, 3_000);

/// How long a bot whose connection broke waits until it comes back.
const BACK: Duration = Duration::from_secs(2);

/// The hidden probabilities, in hundredths of a cent.
type Hidden = Arc<Vec<(MarketId, AtomicU32)>>;

/// Lets so many bots trade, until the venue ends.
pub async fn trade(address: SocketAddr, venue: Arc<Venue>, bots: u32) {
    let open = venue
        .projection()
        .markets()
        .filter(|(_, market)| market.status == MarketStatus::Open)
        .map(|(id, _)| id)
        .take(MARKETS_MAX)
        .collect::<Vec<_>>();
    let mut random = Random::new(u64::from(address.port()));
    let hidden: Hidden =
        Arc::new(open.into_iter().map(|id| (id, AtomicU32::new(random.between(2_500, 7_500)))).collect());
    for number in 1..=bots {
        // A bot that was here before gets its account again.
        let name = format!("bot {number}");
        let before = venue.names.named(&name);
        let key = before.and_then(|account| venue.names.new_key(account).ok()).map(|key| key.reveal().to_owned());
        let random = Random::new(u64::from(address.port()) << 32 | u64::from(number));
        tokio::spawn(live(Bot { address, name, key: key.unwrap_or_default(), random, hidden: Arc::clone(&hidden) }));
    }
    loop {
        sleep(Duration::from_secs(1)).await;
        for (_, hidden) in hidden.iter() {
            let step = random.between(0, 160) as i32 - 80;
            let now = hidden.load(Ordering::Relaxed) as i32;
            hidden.store((now + step).clamp(500, 9_500) as u32, Ordering::Relaxed);
        }
    }
}

struct Bot {
    address: SocketAddr,
    name: String,
    key: String,
    random: Random,
    hidden: Hidden,
}

async fn live(mut bot: Bot) {
    loop {
        // A venue that drains, a connection that broke: a bot comes back, as people do.
        let _ = bot.session().await;
        sleep(BACK).await;
    }
}

impl Bot {
    async fn session(&mut self) -> Result<(), ClientError> {
        let mut http = Http::connect(self.address).await?;
        if self.key.is_empty() {
            let made =
                http.json(Method::POST, "/v1/accounts", "", &json!({ "name": self.name, "code": false })).await?;
            self.key = made["key"].as_str().unwrap_or_default().to_owned();
        }
        let mut stream = Stream::connect(self.address, "/v1/stream").await?;
        let markets: Vec<u32> = self.hidden.iter().map(|(market, _)| market.0).collect();
        stream.say(json!({ "id": 1, "do": "watch", "markets": markets }).to_string()).await?;
        let mut views: Vec<_> = self.hidden.iter().map(|&(market, _)| BookView::new(market)).collect();
        loop {
            let (from, to) = WAIT_MS;
            let next = Instant::now() + Duration::from_millis(self.random.between(from, to).into());
            while let Ok(heard) = timeout_at(next, stream.hear()).await {
                let Some(text) = heard? else { return Ok(()) };
                // What is no message of the feed is for people.
                if let Ok(message) = Message::read(text.as_bytes()) {
                    let view = views.iter_mut().find(|view| view.market() == message.market());
                    view.map(|view| view.apply(&message));
                }
            }
            let Some(place) = self.random.pick(views.len()) else { return Ok(()) };
            if !matches!(views[place].freshness(), Freshness::Fresh) {
                // It may be a hole, or a market that ended: the whole book says which.
                stream.say(json!({ "id": 2, "do": "watch", "markets": [markets[place]] }).to_string()).await?;
                continue;
            }
            self.act(&mut http, &views[place], place).await?;
        }
    }

    // ANCHOR: act
    async fn act(&mut self, http: &mut Http, view: &BookView, place: usize) -> Result<(), ClientError> {
        let (market, hidden) = &self.hidden[place];
        let market = market.0;
        // Opinions differ by some cents from what is so.
        let belief = (hidden.load(Ordering::Relaxed) / 100 + self.random.between(0, 12)).saturating_sub(6).clamp(2, 98);
        let Some(summary) = view.summary() else { return Ok(()) };
        let cents = |price: Option<market::Price>| price.map(|price| u32::from(price.cents()));
        let (bid, ask) = (cents(summary.best_bid), cents(summary.best_ask));
        let held = http.json(Method::GET, &format!("/v1/account?market={market}"), &self.key, &Value::Null).await?;
        let held = &held["holdings"][0];
        let quantity = self.random.between(1, 40) * 5;
        // In YES cents: on which side, and at which price.
        let (is_bid, price) = match (bid, ask) {
            (_, Some(ask)) if ask < belief => (true, ask),
            (Some(bid), _) if bid > belief => (false, bid),
            _ if self.random.between(0, 4) == 0 => {
                let all = format!("/v1/markets/{market}/orders");
                return http.ask(Method::DELETE, &all, &self.key, hyper::body::Bytes::new()).await.map(drop);
            }
            _ if self.random.between(0, 1) == 0 => (true, belief - self.random.between(1, 5).min(belief - 1)),
            _ => (false, belief + self.random.between(1, 5).min(99 - belief)),
        };
        // Whoever holds the other share sells it instead: that frees cash.
        let has = |share: &str| held[share].as_u64().unwrap_or_default() >= quantity.into();
        let (intent, price) = match is_bid {
            true if has("no") => ("sell-no", 100 - price),
            true => ("buy-yes", price),
            false if has("yes") => ("sell-yes", price),
            false => ("buy-no", 100 - price),
        };
        let order = json!({ "market": market, "intent": intent, "price": price, "quantity": quantity });
        // What is rejected is no error: the money may be gone, the market closed.
        http.ask(Method::POST, "/v1/orders", &self.key, order.to_string().into()).await.map(drop)
    }
    // ANCHOR_END: act
}

/// A seeded source of integers.
struct Random(Pcg64Mcg);

impl Random {
    fn new(seed: u64) -> Random {
        Random(Pcg64Mcg::new(u128::from(seed) << 64 | 0xB075))
    }

    /// An integer from `low` to `high`, both included.
    fn between(&mut self, low: u32, high: u32) -> u32 {
        low + (((self.0.next_u64() >> 32) * u64::from(high - low + 1)) >> 32) as u32
    }

    /// A place in a row of so many, if there is one.
    fn pick(&mut self, count: usize) -> Option<usize> {
        (count > 0).then(|| self.between(0, count as u32 - 1) as usize)
    }
}
