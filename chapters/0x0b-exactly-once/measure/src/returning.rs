//! How long a reader that was away needs until it has everything: from the ring, and after a restart from snapshot and log.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use hyper::Method;
use load::client::{ClientError, Http, Stream};
use results::error::MeasureError;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::load::{Crowd, batch};
use crate::record::Returning;
use crate::server;
use load::crowd::broken;
use load::figures::spread;

/// Orders for each message.
const BATCH: u64 = 8_000;

/// Measures for one notice, a thousand and a million.
pub async fn measure(rounds: u32, quick: bool, folder: &Path) -> Result<Vec<Returning>, MeasureError> {
    let data_dir = tempfile::tempdir_in(folder);
    let data_dir = data_dir.map_err(|error| MeasureError::disk("create a folder in", folder, &error))?;
    let server = server::start("ch0b", data_dir.path(), &[])?;
    let crowd = Crowd::gather(&server, 1).await?;
    let (account, key) = (crowd.member(0).0, crowd.member(0).1.to_owned());
    let counts: &[u64] = if quick { &[1, 1_000, 100_000] } else { &[1, 1_000, 1_000_000] };
    let all = counts.last().copied().unwrap_or(1);
    // Orders of one account that meet nothing, so each leads to one notice.
    place(server.address, account, &key, all).await.map_err(broken)?;
    let (logs, end) = end_of(server.address, &key).await.map_err(broken)?;
    let behind = |count: u64| format!("{logs}.{}.4294967295", end - count);
    let mut ring: Vec<Vec<f64>> = vec![Vec::new(); counts.len()];
    let mut log = ring.clone();
    for _ in 0..rounds {
        for (&count, figures) in counts.iter().zip(&mut ring) {
            figures.push(read(server.address, &key, &behind(count), count)?);
        }
    }
    drop(server);
    // After a start, the ring holds only what came after the last snapshot. The first server here takes a snapshot every
    // thousand commands, so the ring of the second one is nearly empty and it has to read the log.
    for _ in 0..rounds {
        let server = server::start("ch0b", data_dir.path(), &["--snapshot-every", "1000"])?;
        std::thread::sleep(Duration::from_millis(300));
        drop(server);
        let server = server::start("ch0b", data_dir.path(), &["--snapshot-every", "1000000000"])?;
        for (&count, figures) in counts.iter().zip(&mut log) {
            figures.push(read(server.address, &key, &behind(count), count)?);
        }
    }
    let figures = counts.iter().zip(ring.iter().zip(&log));
    Ok(figures
        .map(|(&notices, (ring, log))| Returning { notices, ring_ms: spread(ring), log_ms: spread(log) })
        .collect())
}

async fn place(address: SocketAddr, account: market::AccountId, key: &str, orders: u64) -> Result<(), ClientError> {
    let mut stream = Stream::connect_in_bytes(address, "/v1/stream").await?;
    stream.say(json!({ "id": 0, "do": "login", "key": key }).to_string()).await?;
    let _ = (stream.hear().await?, stream.hear().await?);
    let (mut saying, mut hearing) = stream.split();
    let mut used = 0;
    while used < orders {
        let count = BATCH.min(orders - used);
        saying.send(batch(account, 0, Some(used), BATCH, count)).await?;
        used += count;
        loop {
            match hearing.next().await.transpose()? {
                Some(Message::Binary(bytes)) if !bytes.starts_with(&[0xff; 8]) => break,
                Some(_) => {}
                None => return Err(ClientError::Answer("the stream ended".into())),
            }
        }
    }
    Ok(())
}

/// The logs' identity, and the last command.
async fn end_of(address: SocketAddr, key: &str) -> Result<(String, u64), ClientError> {
    let account = Http::connect(address).await?.json(Method::GET, "/v1/account", key, &Value::Null).await?;
    let end = account["at"][0].as_u64().unwrap_or_default();
    let mut lines = ask(address, key, "first").map_err(ClientError::Connection)?;
    let mut line = String::new();
    while !line.starts_with("id: ") {
        line.clear();
        lines.read_line(&mut line).map_err(ClientError::Connection)?;
    }
    let logs = line.trim_start_matches("id: ").split('.').next().unwrap_or_default();
    Ok((logs.to_owned(), end))
}

fn ask(address: SocketAddr, key: &str, after: &str) -> std::io::Result<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let head = format!("GET /v1/notices?after={after} HTTP/1.1\r\nHost: once\r\nAuthorization: Bearer {key}\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    Ok(BufReader::with_capacity(1 << 18, stream))
}

/// Reads until so many notices have come, and returns the milliseconds that it took.
fn read(address: SocketAddr, key: &str, after: &str, count: u64) -> Result<f64, MeasureError> {
    let began = Instant::now();
    let read = || {
        let (mut lines, mut line, mut read) = (ask(address, key, after)?, Vec::new(), 0);
        while read < count {
            line.clear();
            if lines.read_until(b'\n', &mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            read += u64::from(line.starts_with(b"event: notice"));
        }
        Ok::<_, std::io::Error>(())
    };
    read().map_err(|error| MeasureError::Unusable(format!("the notices broke off: {error}")))?;
    Ok(began.elapsed().as_secs_f64() * 1e3)
}
