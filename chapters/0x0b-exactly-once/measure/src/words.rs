//! Orders over WebSocket, one a message.

use std::net::SocketAddr;
use std::time::Instant;

use futures_util::{SinkExt, StreamExt};
use load::client::{ClientError, Hearing, Stream};
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::sent::Sent;

/// Orders that a connection has under way.
const WINDOW: u64 = 16;

/// Sends orders until the time has passed: each under the next number of lane 1, or the last of them again.
pub async fn words(
    address: SocketAddr,
    key: String,
    place: usize,
    used: u64,
    sent: Sent,
    until: Instant,
) -> Result<u64, ClientError> {
    let mut stream = Stream::connect(address, "/v1/stream").await?;
    stream.say(json!({ "id": 0, "do": "login", "key": key }).to_string()).await?;
    let (mut saying, mut hearing) = stream.split();
    answer(&mut hearing).await?;
    let intent = if place.is_multiple_of(2) { "buy-yes" } else { "buy-no" };
    let message = |asked: u64| {
        let (lane, number) = match sent {
            Sent::New => (1, used + asked + 1),
            Sent::WithoutNumbers => (0, 0),
            Sent::Again | Sent::Stormy => (1, used - asked % WINDOW),
        };
        let client_order_id = (lane << 56) | number;
        Message::text(format!(
            r#"{{"id":1,"do":"place","market":1,"intent":"{intent}","price":50,"quantity":1,"client_order_id":{client_order_id}}}"#
        ))
    };
    let (mut asked, mut answered) = (0, 0);
    while answered < asked || asked == 0 {
        // Those that there is room for, in one write.
        while asked < answered + WINDOW && (Instant::now() < until || asked == 0) {
            saying.feed(message(asked)).await?;
            asked += 1;
        }
        saying.flush().await?;
        answer(&mut hearing).await?;
        answered += 1;
    }
    Ok(answered)
}

/// Waits for the answer to one message.
async fn answer(hearing: &mut Hearing) -> Result<(), ClientError> {
    loop {
        let Some(heard) = hearing.next().await.transpose()? else {
            return Err(ClientError::Answer("the stream ended".into()));
        };
        let text = heard.to_text()?;
        if text.starts_with(r#"{"re""#) {
            let is_done = !text.contains("problem");
            return if is_done { Ok(()) } else { Err(ClientError::Answer(text.to_owned())) };
        }
    }
}
