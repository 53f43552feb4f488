//! How late an honest client's answers are during an attack: the same orders at the same rate, with and without
//! attackers.
//!
//! The venue has its default limits. The attackers run on one thread of this process, and are bounded: each pauses
//! briefly between two actions, so that the measurement shows what attacks cost and not how many there are. On a
//! machine with two cores the attackers' own work takes time on the same two, and is part of the difference.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hyper::Method;
use hyper::body::Bytes;
use market_data::engines::Rung;
use results::error::MeasureError;
use results::record::venue::BesideRecord;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::time::sleep;

use load::client::{ClientError, Http, Stream};
use load::crowd::{CONNECTIONS, Crowd};
use load::late::{self, Offer};
use load::server::Server;

/// Connections that start a request and never finish it, with a byte from time to time.
const HALF_OPEN: usize = 200;

/// WebSocket connections that announce a message and never finish it.
const PROMISED: usize = 100;

/// Of each other kind: attackers that guess keys, send invalid requests, break the protocol, or order too fast.
const OTHERS: usize = 2;

/// The pause of each of the others between two attacks.
const PAUSE: Duration = Duration::from_millis(1);

/// How often a half-open connection sends a byte.
const BYTE: Duration = Duration::from_millis(500);

/// How long orders are offered before the measurement starts.
const WARM_UP: Duration = Duration::from_secs(1);

/// How deeply the invalid message is nested.
const DEPTH: usize = 10_000;

/// Offers orders over HTTP, first alone, then during an attack.
///
/// # Errors
/// If the venue does not start, or an honest client is not served.
pub fn measure(runtime: &Runtime, folder: &Path, rate: u64, time: Duration) -> Result<Vec<BesideRecord>, MeasureError> {
    let server = Server::start_with(Rung::Snapshots, folder, &[])?;
    let crowd = runtime.block_on(Crowd::gather(&server, CONNECTIONS))?;
    // The start of a venue is not what we measure.
    runtime.block_on(late::http(&server, &crowd, Offer::orders(rate, WARM_UP)))?;
    let alone = runtime.block_on(late::http(&server, &crowd, Offer::orders(rate, time)))?;
    let attackers = Attackers::start(server.address)?;
    let beside = runtime.block_on(late::http(&server, &crowd, Offer::orders(rate, time)));
    let attacks = attackers.end();
    let row = |name: &str, late, attacks| BesideRecord { name: name.into(), attacks, late };
    Ok(vec![row("alone", alone, 0), row("attacked", beside?, attacks)])
}

/// Attackers, until they are stopped.
struct Attackers {
    over: Arc<AtomicBool>,
    count: Arc<AtomicU64>,
    thread: JoinHandle<()>,
}

impl Attackers {
    fn start(address: SocketAddr) -> Result<Attackers, MeasureError> {
        let (over, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let failed = |error: std::io::Error| MeasureError::Unusable(format!("no attackers: {error}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let (theirs, counted) = (Arc::clone(&over), Arc::clone(&count));
        let thread = thread::Builder::new().name("attackers".into()).spawn(move || {
            runtime.block_on(async {
                spawn_all(address, &counted);
                while !theirs.load(Ordering::Relaxed) {
                    sleep(Duration::from_millis(50)).await;
                }
            });
        });
        Ok(Attackers { over, count, thread: thread.map_err(failed)? })
    }

    /// Stops them; returns how often they attacked.
    fn end(self) -> u64 {
        self.over.store(true, Ordering::Relaxed);
        let _ = self.thread.join();
        self.count.load(Ordering::Relaxed)
    }
}

fn spawn_all(address: SocketAddr, count: &Arc<AtomicU64>) {
    let many = |of: usize, kind: Kind| {
        for number in 0..of {
            tokio::spawn(attack(kind, address, number, Arc::clone(count)));
        }
    };
    many(HALF_OPEN, Kind::HalfOpen);
    many(PROMISED, Kind::Promised);
    for kind in [Kind::Guess, Kind::Words, Kind::Frames, Kind::TooFast] {
        many(OTHERS, kind);
    }
}

#[derive(Clone, Copy)]
enum Kind {
    HalfOpen,
    Promised,
    Guess,
    Words,
    Frames,
    TooFast,
}

/// Attacks repeatedly. Refused and closed connections are expected.
async fn attack(kind: Kind, address: SocketAddr, number: usize, count: Arc<AtomicU64>) {
    loop {
        let _ = match kind {
            Kind::HalfOpen => half_open(address, &count).await,
            Kind::Promised => promised(address, &count).await,
            Kind::Guess => guess(address, number, &count).await,
            Kind::Words => words(address, &count).await,
            Kind::Frames => frames(address, &count).await,
            Kind::TooFast => too_fast(address, &count).await,
        };
        sleep(PAUSE).await;
    }
}

async fn half_open(address: SocketAddr, count: &AtomicU64) -> Result<(), ClientError> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(b"POST /v1/orders HTTP/1.1\r\nHost: a\r\nX-Slow: ").await?;
    loop {
        stream.write_all(b"a").await?;
        count.fetch_add(1, Ordering::Relaxed);
        sleep(BYTE).await;
    }
}

/// A connection after the handshake.
async fn upgraded(address: SocketAddr) -> Result<TcpStream, ClientError> {
    let mut stream = TcpStream::connect(address).await?;
    let head = "GET /v1/stream HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    let mut answer = [0; 1_024];
    let _ = stream.read(&mut answer).await?;
    Ok(stream)
}

async fn promised(address: SocketAddr, count: &AtomicU64) -> Result<(), ClientError> {
    let mut stream = upgraded(address).await?;
    // A masked text frame of 256 KiB; only half of it is sent.
    let head = [0x81, 0x80 | 127, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0];
    stream.write_all(&[&head[..], &[b' '; 128 * 1024]].concat()).await?;
    count.fetch_add(1, Ordering::Relaxed);
    let mut heard = [0; 1_024];
    while stream.read(&mut heard).await? > 0 {}
    Ok(())
}

/// A message without a mask, so that the connection is closed.
async fn frames(address: SocketAddr, count: &AtomicU64) -> Result<(), ClientError> {
    let mut stream = upgraded(address).await?;
    stream.write_all(b"\x81\x02{}").await?;
    count.fetch_add(1, Ordering::Relaxed);
    let mut heard = [0; 1_024];
    while stream.read(&mut heard).await? > 0 {}
    Ok(())
}

async fn guess(address: SocketAddr, number: usize, count: &AtomicU64) -> Result<(), ClientError> {
    let mut http = Http::connect(address).await?;
    loop {
        let key = format!("nnc_{:064x}", count.load(Ordering::Relaxed) << 8 | number as u64);
        http.ask(Method::GET, "/v1/account", &key, Bytes::new()).await?;
        count.fetch_add(1, Ordering::Relaxed);
        sleep(PAUSE).await;
    }
}

async fn words(address: SocketAddr, count: &AtomicU64) -> Result<(), ClientError> {
    let mut stream = Stream::connect(address, "/v1/stream").await?;
    let message = format!(r#"{{"id":1,"markets":{}{}}}"#, "[".repeat(DEPTH), "]".repeat(DEPTH));
    loop {
        stream.say(message.as_str()).await?;
        if stream.hear().await?.is_none() {
            return Ok(());
        }
        count.fetch_add(1, Ordering::Relaxed);
        sleep(PAUSE).await;
    }
}

/// An account that sends lists of orders it can't pay for, far above its limit.
async fn too_fast(address: SocketAddr, count: &AtomicU64) -> Result<(), ClientError> {
    let mut http = Http::connect(address).await?;
    let made: Value = http.json(Method::POST, "/v1/accounts", "", &json!({})).await?;
    let key = made["key"].as_str().unwrap_or_default();
    let order = json!({ "market": 1, "intent": "sell-yes", "price": 99, "quantity": 1 });
    let list = Bytes::from(Value::from(vec![order; 100]).to_string());
    loop {
        http.ask(Method::POST, "/v1/orders", key, list.clone()).await?;
        count.fetch_add(1, Ordering::Relaxed);
        sleep(PAUSE).await;
    }
}
