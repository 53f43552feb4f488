//! Orders a second of 0x0a and of 0x0b, in turn: over HTTP, one at a time on each of 64 connections, and over WebSocket in
//! bytes, a thousand a message. Each order has a number of its own in both; 0x0a only logs it.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use gateway::client::{ClientError, Http, Stream};
use hyper::Method;
use hyper::body::Bytes;
use market::log::encode_command;
use market::{AccountId, Command, Intent, MarketId, Place, TimeInForce};
use results::error::MeasureError;
use serde_json::json;
use tokio::runtime::Runtime;
use tokio_tungstenite::tungstenite::Message;

use crate::inside::spread;
use crate::record::Cost;
use crate::server::Server;

const CONNECTIONS: usize = 64;
const STREAMS: usize = 4;
const BATCH: usize = 1_000;
/// Messages that a stream has under way.
const WINDOW: usize = 3;
/// Accounts get their cash by deposits.
const PLAY_NOTHING: &[&str] = &["--play-money", "0"];
/// Cash of each account.
const CASH: u64 = 4_000_000_000;

/// Accounts with cash in one market; those with even places buy YES, the others NO.
pub struct Crowd {
    members: Vec<(AccountId, String)>,
    /// The last number that each has used.
    used: Vec<u64>,
}

impl Crowd {
    /// Makes so many.
    pub async fn gather(server: &Server, accounts: usize) -> Result<Crowd, ClientError> {
        let mut http = Http::connect(server.address).await?;
        let question = json!({ "question": { "en": "Load?", "zh": "压测？" } });
        http.json(Method::POST, "/v1/markets", &server.operator, &question).await?;
        let mut members = Vec::new();
        for _ in 0..accounts {
            let made = http.json(Method::POST, "/v1/accounts", "", &json!({})).await?;
            let cash = json!({ "account": made["account"], "amount": CASH });
            http.json(Method::POST, "/v1/markets/1/deposits", &server.operator, &cash).await?;
            let account = AccountId(made["account"].as_u64().unwrap_or_default() as u32);
            members.push((account, made["key"].as_str().unwrap_or_default().to_owned()));
        }
        Ok(Crowd { used: vec![0; members.len()], members })
    }

    /// A member's number and key.
    pub fn member(&self, place: usize) -> (AccountId, &str) {
        (self.members[place].0, &self.members[place].1)
    }

    async fn http(&mut self, address: SocketAddr, time: Duration, repeats: bool) -> Result<f64, ClientError> {
        let (until, began) = (Instant::now() + time, Instant::now());
        let tasks = self.members.iter().zip(&self.used).enumerate().map(|(place, ((_, key), used))| {
            let (key, used) = (key.clone(), *used);
            tokio::spawn(http(address, key, place, (used, repeats), until))
        });
        let tasks: Vec<_> = tasks.collect();
        let mut answers = 0;
        for (task, used) in tasks.into_iter().zip(&mut self.used) {
            let asked = task.await.map_err(|_| ClientError::Answer("the load broke off".into()))??;
            answers += asked;
            *used += if repeats { 0 } else { asked };
        }
        Ok(answers as f64 / began.elapsed().as_secs_f64())
    }

    async fn binary(&mut self, address: SocketAddr, time: Duration, repeats: bool) -> Result<f64, ClientError> {
        let (until, began) = (Instant::now() + time, Instant::now());
        let streams = self.members.iter().zip(&self.used).take(STREAMS).enumerate();
        let tasks = streams.map(|(place, ((account, key), used))| {
            let (account, key, used) = (*account, key.clone(), *used);
            tokio::spawn(binary(address, account, key, place, used, repeats, until))
        });
        let tasks: Vec<_> = tasks.collect();
        let mut answers = 0;
        for (task, used) in tasks.into_iter().zip(&mut self.used) {
            let (asked, sent) = task.await.map_err(|_| ClientError::Answer("the load broke off".into()))??;
            answers += asked;
            *used += if repeats { 0 } else { sent };
        }
        Ok(answers as f64 / began.elapsed().as_secs_f64())
    }
}

/// Asks, waits for the answer, and asks again: under the next number, or for the last order again.
async fn http(
    address: SocketAddr,
    key: String,
    place: usize,
    (used, repeats): (u64, bool),
    until: Instant,
) -> Result<u64, ClientError> {
    let mut http = Http::connect(address).await?;
    let (intent, mut asked) = (if place.is_multiple_of(2) { "buy-yes" } else { "buy-no" }, 0);
    while Instant::now() < until {
        let number = if repeats { used } else { used + asked + 1 };
        let body = format!(r#"{{"market":1,"intent":"{intent}","price":50,"quantity":1,"client_order_id":{number}}}"#);
        let (status, body) = http.ask(Method::POST, "/v1/orders", &key, Bytes::from(body)).await?;
        if status >= 300 {
            return Err(ClientError::Answer(format!("{status} {}", String::from_utf8_lossy(&body))));
        }
        asked += 1;
    }
    Ok(asked)
}

/// A batch of orders of this account, under the numbers behind `used`.
pub fn batch(account: AccountId, place: usize, used: u64, orders: usize) -> Message {
    let order = |number| {
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
    (1..=orders as u64).for_each(|number| message.extend(order(used + number)));
    Message::binary(message)
}

/// A stream of batches; gives orders answered and orders sent.
async fn binary(
    address: SocketAddr,
    account: AccountId,
    key: String,
    place: usize,
    used: u64,
    repeats: bool,
    until: Instant,
) -> Result<(u64, u64), ClientError> {
    let mut stream = Stream::connect_in_bytes(address, "/v1/stream").await?;
    stream.say(json!({ "id": 0, "do": "login", "key": key }).to_string()).await?;
    let _ = (stream.hear().await?, stream.hear().await?);
    let (mut saying, mut hearing) = stream.split();
    let (mut sent, mut answered) = (0, 0);
    for _ in 0..WINDOW {
        saying.send(batch(account, place, if repeats { used - BATCH as u64 } else { used + sent }, BATCH)).await?;
        sent += BATCH as u64;
    }
    while answered < sent {
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
        answered += BATCH as u64;
        if Instant::now() < until {
            saying.send(batch(account, place, if repeats { used - BATCH as u64 } else { used + sent }, BATCH)).await?;
            sent += BATCH as u64;
        }
    }
    Ok((answered, sent))
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
    let broken = |error: ClientError| MeasureError::Unusable(format!("the load broke off: {error}"));
    let home = || tempfile::tempdir_in(folder).map_err(|error| MeasureError::disk("make a folder in", folder, &error));
    let homes = [home()?, home()?];
    let servers =
        [Server::start("ch0a", homes[0].path(), PLAY_NOTHING)?, Server::start("ch0b", homes[1].path(), PLAY_NOTHING)?];
    let mut crowds = Vec::new();
    for server in &servers {
        crowds.push(runtime.block_on(Crowd::gather(server, CONNECTIONS)).map_err(broken)?);
    }
    let mut costs = Vec::new();
    for name in ["http", "binary"] {
        let mut all: [Vec<f64>; 4] = Default::default();
        for round in 0..rounds {
            say(&format!("orders with numbers and without: {name}, round {}", round + 1));
            // Which of the two comes first changes from round to round.
            let mut per_s = [0.0; 2];
            for which in if round.is_multiple_of(2) { [0, 1] } else { [1, 0] } {
                let (crowd, address) = (&mut crowds[which], servers[which].address);
                let pass = async {
                    if name == "http" {
                        crowd.http(address, time, false).await
                    } else {
                        crowd.binary(address, time, false).await
                    }
                };
                per_s[which] = runtime.block_on(pass).map_err(broken)?;
            }
            let (crowd, address) = (&mut crowds[1], servers[1].address);
            let again = async {
                if name == "http" {
                    crowd.http(address, time / 2, true).await
                } else {
                    crowd.binary(address, time / 2, true).await
                }
            };
            all[3].push(runtime.block_on(again).map_err(broken)?);
            all[0].push(per_s[0]);
            all[1].push(per_s[1]);
            all[2].push(per_s[1] / per_s[0]);
        }
        let [without_per_s, with_per_s, ratio, repeats_per_s] = all.map(|figures| spread(&figures));
        costs.push(Cost { name: name.into(), without_per_s, with_per_s, ratio, repeats_per_s });
    }
    Ok(costs)
}
