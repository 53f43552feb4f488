//! Ten million orders in a minute: binary batches at a fixed rate, recorded in windows.
//!
//! A batch is due at its index in the schedule, and its wait starts then. The venue allows only a limited number of
//! orders in flight, so a due batch waits here for earlier ones: that counts as part of its wait too, and no order is
//! refused.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use market::log::encode_command;
use market_data::engines::Rung;
use results::error::MeasureError;
use results::record::venue::SustainedRecord;
use results::venue_args::VenueArgs;
use serde_json::json;
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio_tungstenite::tungstenite::Message;

use load::client::{ClientError, Stream};
use load::crowd::{Crowd, Member, broken};
use load::late::offer;
use load::server::Server;
use load::waits::Waits;
use load::windows::watch;

/// Orders per second: ten million in a minute, and a few more.
const RATE: u64 = 167_000;

/// Orders per message.
const BATCH: usize = 100;

/// How many connections send them.
const STREAMS: usize = 4;

/// How many messages of each are in flight: together fewer orders than the venue allows.
const WINDOW: usize = 40;

/// How long the last answers may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Measures.
///
/// # Errors
/// If the machine could not run it.
pub async fn measure(args: &VenueArgs, folder: &Path, say: &dyn Fn(&str)) -> Result<SustainedRecord, MeasureError> {
    let (time, window) = args.sustained();
    say("ten million orders in a minute");
    let server = Server::start(Rung::Snapshots, folder)?;
    let crowd = Crowd::gather(&server, STREAMS).await?;
    let waits = Waits::default();
    let (mut ways, mut tasks) = (Vec::new(), Vec::new());
    for number in 0..STREAMS {
        let (due, dues) = mpsc::unbounded_channel();
        ways.push(due);
        let stream = log_in(&server, crowd.member(number)).await.map_err(broken)?;
        tasks.push(tokio::spawn(send(stream, crowd.member(number).clone(), dues, waits.clone())));
    }
    let began = Instant::now();
    let batches = RATE / BATCH as u64;
    let give = move |number: u64, at| {
        let _ = ways[number as usize % STREAMS].send(at);
    };
    let count = (time.as_secs_f64() / window.as_secs_f64()).round() as u32;
    let seen = watch(&server, &waits, window, count, |window| {
        say(&format!("{:.0} s: {:.0} orders/s, p99 {:.1} ms", window.until_s, window.orders_per_s, window.p99_ms));
    });
    let (windows, given) = tokio::join!(seen, offer(batches, time, give));
    given?;
    for task in tasks {
        let ended = tokio::time::timeout(PATIENCE, task).await;
        let ended = ended.map_err(|_| MeasureError::Unusable("the last answers did not arrive".into()))?;
        ended.map_err(|_| MeasureError::Unusable("the load failed".into()))?.map_err(broken)?;
    }
    let seconds = began.elapsed().as_secs_f64();
    let late = waits.take().len();
    let within: f64 = windows
        .iter()
        .scan(0.0, |before, window| {
            let orders = window.orders_per_s * (window.until_s - *before);
            *before = window.until_s;
            Some(orders)
        })
        .sum();
    Ok(SustainedRecord {
        offered_per_s: batches * BATCH as u64,
        batch: BATCH,
        orders: within.round() as u64 + late,
        seconds,
        windows,
    })
}

async fn log_in(server: &Server, member: &Member) -> Result<Stream, ClientError> {
    let mut stream = Stream::connect_in_bytes(server.address, "/v1/stream").await?;
    stream.say(json!({ "id": 0, "do": "login", "key": member.key }).to_string()).await?;
    // The greeting, and the answer to the login.
    let _ = (stream.hear().await?, stream.hear().await?);
    Ok(stream)
}

/// Sends what is due, and records how late each answer is. Answers arrive in the order of the messages.
async fn send(
    stream: Stream,
    member: Member,
    mut dues: mpsc::UnboundedReceiver<Instant>,
    waits: Waits,
) -> Result<(), ClientError> {
    let (mut saying, mut hearing) = stream.split();
    let message =
        Message::binary([1u64.to_le_bytes().to_vec(), encode_command(&member.command()).repeat(BATCH)].concat());
    let room = Arc::new(Semaphore::new(WINDOW));
    let under_way = Arc::new(Mutex::new(VecDeque::new()));
    let (theirs, waiting, over) = (Arc::clone(&room), Arc::clone(&under_way), Arc::new(Notify::new()));
    let is_over = Arc::clone(&over);
    let writer = tokio::spawn(async move {
        while let Some(due) = dues.recv().await {
            let Ok(place) = theirs.acquire().await else { break };
            place.forget();
            waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(due);
            saying.send(message.clone()).await?;
        }
        // All permits back means that all answers have arrived.
        let _all = theirs.acquire_many(WINDOW as u32).await;
        is_over.notify_one();
        Ok::<_, ClientError>(saying)
    });
    loop {
        let heard = tokio::select! {
            heard = hearing.next() => heard.transpose()?,
            () = over.notified() => break,
        };
        match heard {
            // Notices and ticks.
            Some(Message::Binary(bytes)) if bytes.starts_with(&[0xff; 8]) => {}
            Some(Message::Text(_)) => {}
            Some(Message::Binary(bytes)) => {
                // After the message's number, the first answer: its outcome is the 7th word.
                if bytes.get(32..36) != Some(&[0; 4]) {
                    return Err(ClientError::Answer("an order was refused".into()));
                }
                if let Some(due) = under_way.lock().unwrap_or_else(PoisonError::into_inner).pop_front() {
                    waits.add(due, BATCH as u64);
                }
                room.add_permits(1);
            }
            _ => return Err(ClientError::Answer("the connection ended".into())),
        }
    }
    let ended = writer.await.map_err(|_| ClientError::Answer("the load failed".into()))?;
    ended.map(drop)
}
