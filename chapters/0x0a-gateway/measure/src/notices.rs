//! A hundred notices to one client: one at a time, when another account matches its orders one by one, and all at once,
//! when one order matches them all; then one message for each, or a single one.

use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use market_data::engines::Rung;
use results::error::MeasureError;
use results::record::venue::NoticesRecord;
use results::venue_args::VenueArgs;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use load::asking::histogram;
use load::client::{ClientError, Hearing, Saying, Stream};
use load::crowd::{Crowd, Member, broken};
use load::server::Server;

/// Notices of a round.
const NOTICES: usize = 100;

/// The bytes before the notices in a binary message, and the length of each.
const HEAD_BYTES: usize = 8;
const NOTICE_BYTES: usize = 56;

/// How long one round may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The ways they can arrive: name, whether one order matches all, and whether they are binary.
const WAYS: [(&str, bool, bool); 3] = [("one-by-one", false, false), ("words", true, false), ("bytes", true, true)];

/// Measures each way.
///
/// # Errors
/// If the machine could not run it.
pub async fn measure(args: &VenueArgs, folder: &Path, say: &dyn Fn(&str)) -> Result<Vec<NoticesRecord>, MeasureError> {
    let mut records = Vec::new();
    for (name, is_one_order, is_binary) in WAYS {
        say(&format!("a hundred notices, {name}"));
        let server = Server::start(Rung::Snapshots, folder)?;
        let crowd = Crowd::gather(&server, 2).await?;
        records.push(way(&server, &crowd, (name, is_one_order, is_binary), args.notices()).await.map_err(broken)?);
    }
    Ok(records)
}

async fn way(
    server: &Server,
    crowd: &Crowd,
    (name, is_one_order, is_binary): (&str, bool, bool),
    rounds: u64,
) -> Result<NoticesRecord, ClientError> {
    let (mut rest, mut told) = log_in(server, crowd.member(0), is_binary).await?;
    let (mut meet, mut answered) = log_in(server, crowd.member(1), false).await?;
    let orders = |number: usize| vec![format!("{{{}}}", Crowd::order(number)); NOTICES].join(",");
    let resting = format!(r#"{{"id":1,"do":"place","orders":[{}]}}"#, orders(0));
    let meeting = match is_one_order {
        true => format!(r#"{{"id":1,"do":"place","market":1,"intent":"buy-no","price":50,"quantity":{NOTICES}}}"#),
        false => format!(r#"{{"id":1,"do":"place","orders":[{}]}}"#, orders(1)),
    };
    let (mut waits, mut messages, before) = (histogram(), 0, server.processor_time());
    for _ in 0..rounds {
        rest.send(Message::text(resting.clone())).await?;
        until_answered(&mut told).await?;
        let began = Instant::now();
        meet.send(Message::text(meeting.clone())).await?;
        let mut notices = 0;
        while notices < NOTICES {
            let heard = tokio::time::timeout(PATIENCE, told.next()).await;
            let heard = heard.map_err(|_| ClientError::Answer(format!("{notices} of {NOTICES} notices arrived")))?;
            let count = match heard.transpose()? {
                Some(Message::Binary(bytes)) => bytes.len().saturating_sub(HEAD_BYTES) / NOTICE_BYTES,
                Some(Message::Text(text)) => usize::from(text.contains("\"notice\"")),
                Some(_) => 0,
                None => return Err(ClientError::Answer("the connection ended".into())),
            };
            notices += count;
            messages += u64::from(count > 0);
        }
        waits.saturating_record(began.elapsed().as_nanos() as u64);
        until_answered(&mut answered).await?;
    }
    let each =
        |before: Duration, after: Duration| (after - before).as_nanos() as f64 / (rounds * NOTICES as u64) as f64;
    Ok(NoticesRecord {
        name: name.into(),
        notices: NOTICES,
        messages: messages as f64 / rounds as f64,
        rounds,
        p50_ms: waits.value_at_quantile(0.5) as f64 / 1e6,
        p99_ms: waits.value_at_quantile(0.99) as f64 / 1e6,
        server_ns: before.zip(server.processor_time()).map(|(before, after)| each(before, after)),
    })
}

async fn log_in(server: &Server, member: &Member, is_binary: bool) -> Result<(Saying, Hearing), ClientError> {
    let mut stream = match is_binary {
        true => Stream::connect_in_bytes(server.address, "/v1/stream").await?,
        false => Stream::connect(server.address, "/v1/stream").await?,
    };
    stream.say(json!({ "id": 0, "do": "login", "key": member.key }).to_string()).await?;
    // The greeting, and the answer to the login.
    let _ = (stream.hear().await?, stream.hear().await?);
    Ok(stream.split())
}

/// Waits for the answer to the last request.
async fn until_answered(hearing: &mut Hearing) -> Result<(), ClientError> {
    loop {
        match hearing.next().await.transpose()? {
            Some(Message::Text(text)) if text.starts_with("{\"re\":1,\"ok\"") => return Ok(()),
            Some(Message::Text(text)) if text.starts_with("{\"re\":1") => {
                return Err(ClientError::Answer(text.to_string()));
            }
            Some(Message::Close(_)) | None => return Err(ClientError::Answer("the connection ended".into())),
            Some(_) => {}
        }
    }
}
