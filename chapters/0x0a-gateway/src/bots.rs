//! Bots that trade as people do: slowly, with opinions, over their own connections.
//!
//! Each market has a hidden probability that wanders. Each bot believes something close to it, and from time to time
//! does one of three things: it takes an offer that it finds cheap, it places an order a little below its belief, or it
//! cancels a resting order. The venue opens its account; apart from that it knows the venue only as an outside client
//! does: a key, the HTTP interface, and a [`BookView`] that it builds from WebSocket messages. When markets end and
//! others open, it moves on to those.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use hyper::Method;
use market::MarketId;
use market_data::{BookView, Freshness, Message};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};

use crate::http::accounts::open_account;
use crate::keys::Key;
use crate::names::NamesError;
use crate::problem::{Problem, Why};
use crate::projection::MarketStatus;
use crate::venue::Venue;
use load::client::{ClientError, Http, Stream};

/// How many markets the bots trade in: those with the lowest numbers.
const MARKETS_MAX: usize = 8;

/// How long a bot waits between two actions, in milliseconds: minimum and maximum.
const WAIT_MS: (u32, u32) = (300, 3_000);

/// How often the hidden probabilities change.
const STEP: Duration = Duration::from_secs(1);

/// How long a bot waits before it reconnects.
const BACK: Duration = Duration::from_secs(2);

/// The true state of the markets in which bots trade.
#[derive(Default)]
struct Hidden(RwLock<BTreeMap<MarketId, u32>>);

impl Hidden {
    /// The hidden probabilities, in hundredths of a cent.
    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<MarketId, u32>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets each probability wander one step. Removes markets that are over, and adds those that have opened.
    fn step(&self, venue: &Venue, random: &mut Random) {
        let open: Vec<_> = {
            let projection = venue.projection();
            let open = projection.markets().filter(|(_, market)| market.status == MarketStatus::Open);
            open.map(|(id, _)| id).take(MARKETS_MAX).collect()
        };
        let mut hidden = self.0.write().unwrap_or_else(PoisonError::into_inner);
        hidden.retain(|market, _| open.contains(market));
        for market in open {
            let now = hidden.entry(market).or_insert_with(|| random.between(2_500, 7_500));
            *now = (*now + random.between(0, 160)).saturating_sub(80).clamp(500, 9_500);
        }
    }
}

/// Runs this many bots until the venue ends.
pub async fn trade(address: SocketAddr, venue: Arc<Venue>, bots: u32) {
    let mut random = Random::new(u64::from(address.port()));
    let hidden = Arc::<Hidden>::default();
    hidden.step(&venue, &mut random);
    for number in 1..=bots {
        // A client's name has no tab. So no person's account is taken for a bot's, which gets a new key at each start.
        let name = format!("bot\t{number}");
        let random = Random::new(u64::from(address.port()) << 32 | u64::from(number));
        let (venue, hidden) = (Arc::clone(&venue), Arc::clone(&hidden));
        tokio::spawn(live(Bot { address, venue, name, key: String::new(), random, hidden }));
    }
    loop {
        sleep(STEP).await;
        hidden.step(&venue, &mut random);
    }
}

struct Bot {
    address: SocketAddr,
    venue: Arc<Venue>,
    name: String,
    key: String,
    random: Random,
    hidden: Arc<Hidden>,
}

async fn live(mut bot: Bot) {
    loop {
        // The venue is draining, or the connection broke: a bot reconnects, as people do.
        let _ = bot.session().await;
        sleep(BACK).await;
    }
}

impl Bot {
    async fn session(&mut self) -> Result<(), ClientError> {
        let mut http = Http::connect(self.address).await?;
        if self.key.is_empty() {
            let key = key(&self.venue, &self.name).await;
            self.key = key.map_err(|problem| ClientError::Answer(problem.detail().to_owned()))?.reveal().to_owned();
        }
        let mut stream = Stream::connect(self.address, "/v1/stream").await?;
        let mut views = BTreeMap::new();
        loop {
            self.look_around(&mut stream, &mut views).await?;
            let (from, to) = WAIT_MS;
            let next = Instant::now() + Duration::from_millis(self.random.between(from, to).into());
            while let Ok(heard) = timeout_at(next, stream.hear()).await {
                let Some(text) = heard? else { return Ok(()) };
                // Other messages are for people.
                if let Ok(message) = Message::read(text.as_bytes()) {
                    views.get_mut(&message.market()).map(|view| view.apply(&message));
                }
            }
            let Some(place) = self.random.pick(views.len()) else { continue };
            let Some((&market, view)) = views.iter().nth(place) else { continue };
            if matches!(view.freshness(), Freshness::Fresh) {
                self.act(&mut http, market, view).await?;
            } else {
                // There may be a hole: the whole book fills it.
                stream.say(json!({ "id": 2, "do": "watch", "markets": [market.0] }).to_string()).await?;
            }
        }
    }

    /// Watches the markets that have opened since the last call, and forgets those that are over.
    async fn look_around(
        &self,
        stream: &mut Stream,
        views: &mut BTreeMap<MarketId, BookView>,
    ) -> Result<(), ClientError> {
        let (opened, over) = {
            let hidden = self.hidden.read();
            let opened: Vec<_> = hidden.keys().filter(|market| !views.contains_key(market)).copied().collect();
            let over: Vec<_> = views.keys().filter(|market| !hidden.contains_key(market)).copied().collect();
            (opened, over)
        };
        views.retain(|market, _| !over.contains(market));
        views.extend(opened.iter().map(|&market| (market, BookView::new(market))));
        for (what, markets) in [("watch", opened), ("unwatch", over)] {
            if !markets.is_empty() {
                let markets: Vec<u32> = markets.into_iter().map(|market| market.0).collect();
                stream.say(json!({ "id": 1, "do": what, "markets": markets }).to_string()).await?;
            }
        }
        Ok(())
    }

    // ANCHOR: act
    async fn act(&mut self, http: &mut Http, market: MarketId, view: &BookView) -> Result<(), ClientError> {
        // It may have ended a moment ago.
        let Some(hidden) = self.hidden.read().get(&market).copied() else { return Ok(()) };
        let market = market.0;
        // Opinions differ from the hidden probability by a few cents.
        let belief = (hidden / 100 + self.random.between(0, 12)).saturating_sub(6).clamp(2, 98);
        let Some(summary) = view.summary() else { return Ok(()) };
        let cents = |price: Option<market::Price>| price.map(|price| u32::from(price.cents()));
        let (bid, ask) = (cents(summary.best_bid), cents(summary.best_ask));
        let held = http.json(Method::GET, &format!("/v1/account?market={market}"), &self.key, &Value::Null).await?;
        let held = &held["holdings"][0];
        let quantity = self.random.between(1, 40) * 5;
        // In YES cents: the side and the price.
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
        // A bot that holds the other share sells it instead: that frees cash.
        let has = |share: &str| held[share].as_u64().unwrap_or_default() >= quantity.into();
        let (intent, price) = match is_bid {
            true if has("no") => ("sell-no", 100 - price),
            true => ("buy-yes", price),
            false if has("yes") => ("sell-yes", price),
            false => ("buy-no", 100 - price),
        };
        let order = json!({ "market": market, "intent": intent, "price": price, "quantity": quantity });
        // A rejection is not an error: the money may be spent, or the market closed.
        http.ask(Method::POST, "/v1/orders", &self.key, order.to_string().into()).await.map(drop)
    }
    // ANCHOR_END: act
}

/// A new key of the account that a bot had in an earlier run, or the key of a new account.
async fn key(venue: &Arc<Venue>, name: &str) -> Result<Key, Problem> {
    let Some(account) = venue.names.named(name) else {
        let key = Key::random().map_err(NamesError::from)?;
        return open_account(venue, name.to_owned(), key, false).await.map(|opened| opened.key);
    };
    let names = Arc::clone(venue);
    let made = tokio::task::spawn_blocking(move || names.names.new_key(account));
    Ok(made.await.map_err(|_| Problem::new(Why::Names))??)
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

    /// An index into this many items, if there are any.
    fn pick(&mut self, count: usize) -> Option<usize> {
        (count > 0).then(|| self.between(0, count as u32 - 1) as usize)
    }
}
