//! Many at once: a storm of repeats beside honest clients, and notices to many readers.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::try_join_all;
use load::client::{ClientError, Stream};
use results::error::MeasureError;
use serde_json::json;
use tokio::runtime::Runtime;
use tokio_tungstenite::tungstenite::Message;

use crate::load::{Crowd, PLAY_NOTHING, Way};
use crate::record::{Many, Storm};
use crate::sent::{Sent, TIMES};
use crate::server;
use load::crowd::broken;
use load::figures::spread;

/// Honest clients, and as many that send storms.
const CLIENTS: usize = 32;

/// Readers of notices.
const READERS: usize = 64;

/// Orders of the readers. Each has two or three notices, and the ring holds a million.
const ORDERS: u64 = 150_000;

/// Honest clients alone, and beside a storm.
pub fn storm(rounds: u32, quick: bool, runtime: &Runtime, folder: &Path) -> Result<Storm, MeasureError> {
    let time = Duration::from_millis(if quick { 500 } else { 2_000 });
    let home = home(folder)?;
    let server = server::start("ch0b", home.path(), PLAY_NOTHING)?;
    let gather = || runtime.block_on(Crowd::gather(&server, CLIENTS));
    let (mut honest, mut stormy) = (gather()?, gather()?);
    let [mut alone, mut beside, mut repeats] = <[Vec<f64>; 3]>::default();
    for _ in 0..rounds {
        let (orders, seconds) =
            runtime.block_on(honest.load(server.address, Way::Http, Sent::New, time)).map_err(broken)?;
        alone.push(orders as f64 / seconds);
        let both = async {
            tokio::join!(
                honest.load(server.address, Way::Http, Sent::New, time),
                stormy.load(server.address, Way::Http, Sent::Stormy, time)
            )
        };
        let (orders, sent) = runtime.block_on(both);
        let ((orders, seconds), (sent, _)) = (orders.map_err(broken)?, sent.map_err(broken)?);
        beside.push(orders as f64 / seconds);
        repeats.push((sent - sent.div_ceil(TIMES)) as f64 / seconds);
    }
    Ok(Storm { alone_per_s: spread(&alone), beside_per_s: spread(&beside), repeats_per_s: spread(&repeats) })
}

/// Notices to many, from the ring. The venue is a new one, and the readers' orders are so few that the ring still has all of
/// their notices. Otherwise each reader would begin with the log.
pub fn many(rounds: u32, runtime: &Runtime, folder: &Path) -> Result<Many, MeasureError> {
    let home = home(folder)?;
    let server = server::start("ch0b", home.path(), PLAY_NOTHING)?;
    let mut readers = runtime.block_on(Crowd::gather(&server, READERS))?;
    let mut placed = 0;
    while placed < ORDERS {
        let load = readers.load(server.address, Way::Words, Sent::New, Duration::from_millis(250));
        placed += runtime.block_on(load).map_err(broken)?.0;
    }
    let mut handed = Vec::new();
    for _ in 0..rounds {
        handed.push(runtime.block_on(hand_out(&readers, server.address)).map_err(broken)?);
    }
    Ok(Many { readers: READERS as u64, per_s: spread(&handed) })
}

fn home(folder: &Path) -> Result<tempfile::TempDir, MeasureError> {
    tempfile::tempdir_in(folder).map_err(|error| MeasureError::disk("create a folder in", folder, &error))
}

/// All readers connect at once, and read everything that the venue has for them. Returns notices a
/// second.
async fn hand_out(crowd: &Crowd, address: SocketAddr) -> Result<f64, ClientError> {
    let began = Instant::now();
    let read = try_join_all((0..READERS).map(|place| {
        let key = crowd.member(place).1.to_owned();
        async move { tokio::spawn(read_all(address, key)).await.unwrap_or(Ok(0)) }
    }));
    let read: u64 = read.await?.into_iter().sum();
    Ok(read as f64 / (began.elapsed() - SILENCE).as_secs_f64())
}

/// After so long without a notice the reader has everything.
const SILENCE: Duration = Duration::from_millis(500);

async fn read_all(address: SocketAddr, key: String) -> Result<u64, ClientError> {
    let mut stream = Stream::connect(address, "/v1/stream").await?;
    stream.say(json!({ "id": 1, "do": "login", "key": key }).to_string()).await?;
    stream.say(json!({ "id": 2, "do": "notices", "after": "first" }).to_string()).await?;
    let (_saying, mut hearing) = stream.split();
    let (mut read, mut last) = (0, Instant::now());
    while last.elapsed() < SILENCE {
        let heard = tokio::time::timeout(SILENCE / 50, hearing.next()).await;
        let Ok(Some(heard)) = heard else { continue };
        if let Message::Text(text) = heard?
            && text.starts_with(r#"{"kind":"notice""#)
        {
            (read, last) = (read + 1, Instant::now());
        }
    }
    Ok(read)
}
