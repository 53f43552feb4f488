//! Orders a second of 0x0a and of 0x0b, in turn: over HTTP, one at a time on each of 64 connections; over WebSocket, one a
//! message and sixteen under way on each; and in bytes, a thousand a message. Each order has a number of its own in both;
//! 0x0a only logs it.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use hyper::Method;
use hyper::body::Bytes;
use load::client::{ClientError, Http, Stream};
use market::log::encode_command;
use market::{AccountId, Command, Intent, MarketId, Place, TimeInForce};
use results::error::MeasureError;
use results::record::Spread;
use serde_json::json;
use tokio::runtime::Runtime;
use tokio_tungstenite::tungstenite::Message;

use crate::record::Cost;
use crate::sent::{Sent, TIMES};
use crate::server;
use crate::words::words;
use load::crowd::{self, Member, broken};
use load::figures::spread;
use load::server::Server;

/// Clients over HTTP and over WebSocket.
const CONNECTIONS: usize = 64;
const STREAMS: usize = 4;
/// Orders a message in bytes.
const BATCH: u64 = 1_000;
/// Orders that each venue has done before it is measured. 0x0b then has all the memory that its outcomes and notices will
/// ever take. Until then the system hands it out two megabytes at a time, and clears each piece first while the thread that
/// gives the answers waits.
const WARM_UP: u64 = 2 << 20;
/// Messages that a stream has under way.
const WINDOW: usize = 3;
/// Accounts get their cash by deposits.
pub const PLAY_NOTHING: &[&str] = &["--play-money", "0"];

/// Cash of each account: all of them together have less than a market can hold.
const CASH: u64 = 1_000_000_000;

/// Accounts with cash in one market; those with even places buy YES, the others NO.
pub struct Crowd {
    members: crowd::Crowd,
    /// The last number that each has used over HTTP, in lane 0.
    used: Vec<u64>,
    /// The last number that each has used over WebSocket, in lane 1.
    said: Vec<u64>,
    /// How many orders each has sent in bytes, in the lanes from [`FIRST_LANE`] on.
    sent: Vec<u64>,
}

impl Crowd {
    /// Makes so many.
    pub async fn gather(server: &Server, accounts: usize) -> Result<Crowd, MeasureError> {
        let members = crowd::Crowd::gather_with(server, accounts, CASH).await?;
        let none = vec![0; accounts];
        Ok(Crowd { members, used: none.clone(), said: none.clone(), sent: none })
    }

    /// A member's number and key.
    pub fn member(&self, place: usize) -> (AccountId, &str) {
        let member = self.members.member(place);
        (member.account, &member.key)
    }

    /// Sends for so long, and returns how many orders were answered in how many seconds.
    pub async fn load(
        &mut self,
        address: SocketAddr,
        way: Way,
        sent: Sent,
        time: Duration,
    ) -> Result<(u64, f64), ClientError> {
        let (until, began) = (Instant::now() + time, Instant::now());
        let (streams, used) = match way {
            Way::Http => (CONNECTIONS, &mut self.used),
            Way::Words => (CONNECTIONS, &mut self.said),
            Way::Binary => (STREAMS, &mut self.sent),
        };
        let tasks = used.iter().take(streams).enumerate().map(|(place, &used)| {
            let Member { account, key, .. } = self.members.member(place).clone();
            match way {
                Way::Http => tokio::spawn(http(address, key, place, used, sent, until)),
                Way::Words => tokio::spawn(words(address, key, place, used, sent, until)),
                Way::Binary => tokio::spawn(binary(address, (account, key), place, used, sent, until)),
            }
        });
        let tasks: Vec<_> = tasks.collect();
        let mut answers = 0;
        for (task, used) in tasks.into_iter().zip(used) {
            let asked = task.await.map_err(|_| ClientError::Answer("the load broke off".into()))??;
            answers += asked;
            *used += match sent {
                Sent::New => asked,
                Sent::Stormy => asked.div_ceil(TIMES),
                Sent::WithoutNumbers | Sent::Again => 0,
            };
        }
        Ok((answers, began.elapsed().as_secs_f64()))
    }
}

/// How orders are sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// One at a time on each connection.
    Http,
    /// One a message, over WebSocket.
    Words,
    /// A thousand a message, over WebSocket.
    Binary,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Http => "http",
            Way::Words => "websocket",
            Way::Binary => "binary",
        }
    }
}

/// Asks, waits for the answer, and asks again: under the next number, or for the last order again.
async fn http(
    address: SocketAddr,
    key: String,
    place: usize,
    used: u64,
    sent: Sent,
    until: Instant,
) -> Result<u64, ClientError> {
    let mut http = Http::connect(address).await?;
    let (intent, mut asked) = (if place.is_multiple_of(2) { "buy-yes" } else { "buy-no" }, 0);
    while Instant::now() < until {
        let number = match sent {
            Sent::New => used + asked + 1,
            Sent::WithoutNumbers => 0,
            Sent::Again => used,
            Sent::Stormy => used + asked / TIMES + 1,
        };
        let body = format!(r#"{{"market":1,"intent":"{intent}","price":50,"quantity":1,"client_order_id":{number}}}"#);
        let (status, body) = http.ask(Method::POST, "/v1/orders", &key, Bytes::from(body)).await?;
        if status >= 300 {
            return Err(ClientError::Answer(format!("{status} {}", String::from_utf8_lossy(&body))));
        }
        asked += 1;
    }
    Ok(asked)
}

/// How many numbers of a batch are in one lane: a batch that is sent again has to be in the windows.
const EACH_LANE: u64 = 250;

/// The first lane of batches.
const FIRST_LANE: u64 = 100;

/// A batch of `orders` of this account, the first `sent` of it, after `used` orders in batches of the same size.
pub fn batch(account: AccountId, place: usize, used: Option<u64>, orders: u64, sent: u64) -> Message {
    let lanes = orders.div_ceil(EACH_LANE);
    let order = |at: u64| {
        let number = used.map_or(0, |used| (FIRST_LANE + at / EACH_LANE) << 56 | (used / lanes + at % EACH_LANE + 1));
        encode_command(&Command::Place(Place {
            intent: if place.is_multiple_of(2) { Intent::BuyYes } else { Intent::BuyNo },
            time_in_force: TimeInForce::Gtc,
            price: 50,
            market: MarketId(1),
            account,
            quantity: 1,
            client_order_id: number,
        }))
    };
    let mut message = 1u64.to_le_bytes().to_vec();
    (0..sent).for_each(|at| message.extend(order(at)));
    Message::binary(message)
}

/// A stream of batches.
async fn binary(
    address: SocketAddr,
    (account, key): (AccountId, String),
    place: usize,
    used: u64,
    sent: Sent,
    until: Instant,
) -> Result<u64, ClientError> {
    let mut stream = Stream::connect_in_bytes(address, "/v1/stream").await?;
    stream.say(json!({ "id": 0, "do": "login", "key": key }).to_string()).await?;
    let _ = (stream.hear().await?, stream.hear().await?);
    let (mut saying, mut hearing) = stream.split();
    let (mut asked, mut answered) = (0, 0);
    let message = |asked| match sent {
        Sent::New => batch(account, place, Some(used + asked), BATCH, BATCH),
        Sent::WithoutNumbers => batch(account, place, None, BATCH, BATCH),
        Sent::Again | Sent::Stormy => batch(account, place, Some(used - BATCH), BATCH, BATCH),
    };
    for _ in 0..WINDOW {
        saying.send(message(asked)).await?;
        asked += BATCH;
    }
    while answered < asked {
        let Some(heard) = hearing.next().await.transpose()? else {
            return Err(ClientError::Answer("the stream ended".into()));
        };
        let Message::Binary(bytes) = heard else { continue };
        if bytes.starts_with(&[0xff; 8]) {
            continue;
        }
        if bytes.get(32..36) != Some(&[0; 4]) {
            return Err(ClientError::Answer(format!("refused with outcome {:?}", bytes.get(32))));
        }
        answered += BATCH;
        if Instant::now() < until {
            saying.send(message(asked)).await?;
            asked += BATCH;
        }
    }
    Ok(answered)
}

/// Both ways, both venues, in turn in each round.
pub fn measure(
    rounds: u32,
    quick: bool,
    runtime: &Runtime,
    folder: &Path,
    say: &dyn Fn(&str),
) -> Result<Vec<Cost>, MeasureError> {
    let time = Duration::from_millis(if quick { 500 } else { 2_000 });
    let home =
        || tempfile::tempdir_in(folder).map_err(|error| MeasureError::disk("create a folder in", folder, &error));
    let homes = [home()?, home()?];
    let servers =
        [server::start("ch0a", homes[0].path(), PLAY_NOTHING)?, server::start("ch0b", homes[1].path(), PLAY_NOTHING)?];
    let mut crowds = Vec::new();
    for server in &servers {
        let mut crowd = runtime.block_on(Crowd::gather(server, CONNECTIONS))?;
        let mut done = 0;
        while done < WARM_UP {
            let (orders, _) =
                runtime.block_on(crowd.load(server.address, Way::Binary, Sent::New, time)).map_err(broken)?;
            done += orders;
        }
        crowds.push(crowd);
    }
    let mut costs = Vec::new();
    for way in [Way::Http, Way::Words, Way::Binary] {
        let [mut per_s, mut server_ns, mut matching_ns] = <[[Vec<f64>; 3]; 3]>::default();
        let mut repeats = Vec::new();
        for round in 0..rounds as usize {
            say(&format!("orders with numbers and without: {}, round {}", way.name(), round + 1));
            // Which of them comes first changes from round to round.
            for which in (0..3).map(|at| (at + round) % 3) {
                let at = usize::from(which > 0);
                let sent = if which == 1 { Sent::WithoutNumbers } else { Sent::New };
                let before = servers[at].spent();
                let (orders, seconds) =
                    runtime.block_on(crowds[at].load(servers[at].address, way, sent, time)).map_err(broken)?;
                per_s[which].push(orders as f64 / seconds);
                let spent = servers[at].spent().zip(before).map(|(after, before)| after - before);
                if let Some(each) = spent.map(|spent| spent.each(way.name(), orders)) {
                    server_ns[which].push(each.ns);
                    matching_ns[which].extend(each.threads.iter().find(|one| one.name == "matching").map(|one| one.ns));
                }
            }
            let again = crowds[1].load(servers[1].address, way, Sent::Again, time / 2);
            let (orders, seconds) = runtime.block_on(again).map_err(broken)?;
            repeats.push(orders as f64 / seconds);
        }
        let ratio = |one: usize, other: usize| {
            let ratios: Vec<f64> = per_s[one].iter().zip(&per_s[other]).map(|(one, other)| one / other).collect();
            spread(&ratios)
        };
        costs.push(Cost {
            name: way.name().into(),
            before_per_s: spread(&per_s[0]),
            without_per_s: spread(&per_s[1]),
            with_per_s: spread(&per_s[2]),
            ratio: ratio(2, 0),
            ratio_of_numbers: ratio(2, 1),
            server_ns: spreads(&server_ns),
            matching_ns: spreads(&matching_ns),
            repeats_per_s: spread(&repeats),
        });
    }
    Ok(costs)
}

/// Where the system reports them.
fn spreads(figures: &[Vec<f64>]) -> Vec<Spread> {
    figures.iter().filter(|figures| !figures.is_empty()).map(spread).collect()
}
