//! Three clients that have no answer: one sends again, one asks first, one sends the same number again.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use hyper::Method;
use hyper::body::Bytes;
use load::client::{ClientError, Http};
use market::log::ShardOf;
use market::log_chain::{read_chain, segments};
use market::{Command, LogError, RealDisk};
use results::error::MeasureError;
use serde_json::{Value, json};

use crate::proxy::Proxy;
use crate::record::Naive;
use crate::server;

/// What a client without an answer does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It sends the order again.
    Blindly,
    /// It looks among its orders, and sends the order again if it is not there.
    AskFirst,
    /// It sends the order again, under the same number, to a venue that keeps numbers.
    Numbered,
}

/// Clients at a time.
const CLIENTS: u64 = 8;

/// Every request takes less than this, so a client that waits longer has lost its connection.
const PATIENCE: Duration = Duration::from_millis(60);

/// Places so many orders this way, and counts in the log how often each is there.
pub fn measure(way: Way, orders: u64, folder: &Path) -> Result<Naive, MeasureError> {
    let failed = |error: ClientError| MeasureError::Unusable(format!("the clients could not go on: {error}"));
    let data_dir = tempfile::tempdir_in(folder);
    let data_dir = data_dir.map_err(|error| MeasureError::disk("create a folder in", folder, &error))?;
    let package = if way == Way::Numbered { "ch0b" } else { "ch0a" };
    let server = server::start(package, data_dir.path(), &["--play-money", "1000000"])?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| MeasureError::Unusable(format!("could not start: {error}")))?;
    let proxy = Proxy::start(server.address, 7);
    let proxy = proxy.map_err(|error| MeasureError::Unusable(format!("the proxy did not start: {error}")))?;
    let asked = runtime.block_on(async {
        let mut http = Http::connect(server.address).await?;
        let question = json!({ "question": { "en": "Lost?", "zh": "丢了吗？" } });
        http.json(Method::POST, "/v1/markets", &server.operator, &question).await?;
        let mut tasks = Vec::new();
        for client in 0..CLIENTS {
            let made = http.json(Method::POST, "/v1/accounts", "", &json!({})).await?;
            let key = made["key"].as_str().unwrap_or_default().to_owned();
            tasks.push(tokio::spawn(trade(way, client, orders / CLIENTS, key, proxy.address)));
        }
        let mut asked = 0;
        for task in tasks {
            asked += task.await.map_err(|_| ClientError::Answer("a client broke off".into()))?;
        }
        Ok::<u64, ClientError>(asked)
    });
    let asked = asked.map_err(failed)?;
    // What the proxy still holds arrives now.
    proxy.calm();
    std::thread::sleep(PATIENCE);
    drop(server);
    let counts = count(data_dir.path())?;
    let name = match way {
        Way::Blindly => "retry-without-number",
        Way::AskFirst => "ask-first",
        Way::Numbered => "numbers",
    };
    let twice = counts.values().filter(|count| **count > 1).count() as u64;
    Ok(Naive { name: name.into(), asked, twice, lost: asked - counts.len() as u64, per_s: None })
}

/// How often each order is in the log, by its number.
fn count(folder: &Path) -> Result<HashMap<(u32, u64), u32>, MeasureError> {
    let unreadable = |error: &dyn std::fmt::Display| MeasureError::Unusable(format!("the log can't be read: {error}"));
    let pieces = segments(&RealDisk, folder, ShardOf::ONLY).map_err(|error| unreadable(&error))?;
    let mut counts = HashMap::new();
    let read = read_chain::<LogError>(&RealDisk, ShardOf::ONLY, &pieces, None, None, |_, command| {
        if let Command::Place(place) = command {
            *counts.entry((place.account.0, place.client_order_id)).or_default() += 1;
        }
        Ok(())
    });
    read.map_err(|error| unreadable(&error))?;
    Ok(counts)
}

/// One client: each of its orders rests, so it finds it among its open orders.
async fn trade(way: Way, client: u64, orders: u64, key: String, address: SocketAddr) -> u64 {
    let mut connection = None;
    for number in 1..=orders {
        let body = json!({
            "market": 1, "intent": "buy-yes", "price": 1 + client, "quantity": 1, "client_order_id": number,
        });
        while ask(&mut connection, address, Method::POST, "/v1/orders", &key, &body).await.is_none() {
            if way != Way::AskFirst {
                continue;
            }
            let found = loop {
                if let Some(open) = ask(&mut connection, address, Method::GET, "/v1/orders", &key, &Value::Null).await {
                    let open = open["orders"].as_array().cloned().unwrap_or_default();
                    break open.iter().any(|order| order["client_order_id"] == json!(number));
                }
            };
            if found {
                break;
            }
        }
    }
    orders
}

/// One request; nothing where no answer came.
async fn ask(
    connection: &mut Option<Http>,
    address: SocketAddr,
    method: Method,
    path: &str,
    key: &str,
    body: &Value,
) -> Option<Value> {
    let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
    let asked = async {
        if connection.is_none() {
            *connection = Some(Http::connect(address).await.ok()?);
        }
        let (status, body) = connection.as_mut()?.ask(method, path, key, body).await.ok()?;
        if status < 300 { serde_json::from_slice(&body).ok() } else { None }
    };
    let answer = tokio::time::timeout(PATIENCE, asked).await.ok().flatten();
    if answer.is_none() {
        *connection = None;
    }
    answer
}
