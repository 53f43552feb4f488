//! The other side of a trade: when the client whose order rested had read its notice.
//!
//! Each account of a load reads its notices over a WebSocket of its own. A notice names the command that it is about, and for a
//! trade that is the order that met the resting one. So the number joins the notice to the moment when that order was due. Both
//! moments are the load's own, on one clock.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use load::client::{ClientError, Stream};
use load::crowd::Crowd;
use load::waits::{Answered, number};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::distribution::Distribution;
use crate::http::Times;

/// How long to wait for the last notices, after the last answer.
const LAST: Duration = Duration::from_millis(200);

/// A notice that an account has read of an order that met its own.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    /// The shard of the command.
    pub shard: u16,
    /// The command's number in that shard.
    pub sequence: u64,
    /// When it was read.
    pub received: Instant,
}

/// The accounts' connections.
pub struct Readers {
    heard: Arc<Mutex<Vec<Heard>>>,
    tasks: Vec<JoinHandle<()>>,
}

impl Readers {
    /// Lets this many accounts of a crowd read their notices from now on.
    ///
    /// # Errors
    /// When a connection breaks, or the venue refuses.
    pub async fn begin(address: SocketAddr, crowd: &Crowd, accounts: usize) -> Result<Readers, ClientError> {
        let mut readers = Readers { heard: Arc::default(), tasks: Vec::new() };
        for account in 0..accounts {
            let mut stream = Stream::connect(address, "/v1/stream").await?;
            ask(&mut stream, json!({ "id": 1, "do": "login", "key": crowd.member(account).key })).await?;
            ask(&mut stream, json!({ "id": 2, "do": "notices" })).await?;
            let heard = Arc::clone(&readers.heard);
            readers.tasks.push(tokio::spawn(async move {
                while let Ok(Some(text)) = stream.hear().await {
                    let received = Instant::now();
                    if let Some((shard, sequence)) = met(&text) {
                        lock(&heard).push(Heard { shard, sequence, received });
                    }
                }
            }));
        }
        Ok(readers)
    }

    /// What they have read, and nothing more from now on.
    ///
    /// # Errors
    /// When an account's connection has ended. The venue disconnects a client that reads too slowly, and leaving out what
    /// the slowest would have read would make the venue look fast.
    pub async fn end(self) -> Result<Vec<Heard>, ClientError> {
        tokio::time::sleep(LAST).await;
        let left = self.tasks.iter().filter(|task| !task.is_finished()).count();
        self.tasks.iter().for_each(JoinHandle::abort);
        if left < self.tasks.len() {
            let words = format!("only {left} of {} accounts could read their notices to the end", self.tasks.len());
            return Err(ClientError::Answer(words));
        }
        Ok(std::mem::take(&mut *lock(&self.heard)))
    }
}

fn lock(heard: &Mutex<Vec<Heard>>) -> std::sync::MutexGuard<'_, Vec<Heard>> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for the answer to a message.
async fn ask(stream: &mut Stream, message: Value) -> Result<(), ClientError> {
    stream.say(message.to_string()).await?;
    let answer = format!("{{\"re\":{},", message["id"]);
    while let Some(text) = stream.hear().await? {
        if text.starts_with(&answer) {
            return if text.contains("\"problem\":") { Err(ClientError::Answer(text.to_string())) } else { Ok(()) };
        }
    }
    Err(ClientError::Answer("the venue closed the connection".into()))
}

/// The order that met this account's resting one, if the message is a notice of that.
fn met(text: &str) -> Option<(u16, u64)> {
    let is_met = text.contains("\"kind\":\"notice\"") && text.contains("\"role\":\"maker\"");
    let shard = number(text, "\"shard\":").and_then(|shard| u16::try_from(shard).ok());
    is_met.then(|| shard.zip(number(text, "\"sequence\":"))).flatten()
}

/// From the moment when an order was due until the account whose order it met had read the notice. An order that met several
/// counts once for each.
pub fn times(orders: &[Answered], heard: &[Heard]) -> Times {
    let due: HashMap<_, _> = orders.iter().map(|order| ((order.shard, order.sequence), order.due)).collect();
    let mut times = Distribution::default();
    for Heard { shard, sequence, received } in heard {
        if let Some(due) = due.get(&(*shard, *sequence)) {
            times.add(received.saturating_duration_since(*due).as_nanos() as u64);
        }
    }
    Times::of("order to notice", &times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_counts_from_the_moment_when_the_order_that_met_was_due() {
        let due = Instant::now();
        let at = |us| due + Duration::from_micros(us);
        let order =
            |sequence, from| Answered { shard: 1, sequence, due: at(from), sent: at(from), received: at(from + 9) };
        let notice = |sequence, us| Heard { shard: 1, sequence, received: at(us) };
        let orders = [order(7, 0), order(8, 100)];
        let found = times(&orders, &[notice(7, 300), notice(8, 500), notice(8, 600), notice(9, 700)]);
        assert_eq!((found.count, found.mean_ns), (3, 400_000.0), "an order that the load does not know counts nothing");
    }

    #[tokio::test]
    async fn a_reader_that_was_disconnected_is_an_error_and_not_a_figure() {
        let reads = || tokio::spawn(std::future::pending());
        let all = Readers { heard: Arc::default(), tasks: vec![reads(), reads()] };
        assert!(all.end().await.is_ok_and(|heard| heard.is_empty()));
        let one_left = Readers { heard: Arc::default(), tasks: vec![reads(), tokio::spawn(async {})] };
        let refused = one_left.end().await.expect_err("one of two has ended").to_string();
        assert!(refused.contains("only 1 of 2 accounts"), "{refused}");
    }

    #[test]
    fn only_the_notice_to_the_resting_side_counts() {
        let notice = |role: &str| {
            format!(r#"{{"kind":"notice","shard":1,"sequence":9,"event":{{"event":"traded","role":"{role}"}}}}"#)
        };
        assert_eq!(met(&notice("maker")), Some((1, 9)));
        assert_eq!(met(&notice("taker")), None);
        assert_eq!(met(r#"{"re":9,"ok":{"shard":1,"sequence":9}}"#), None);
    }
}
