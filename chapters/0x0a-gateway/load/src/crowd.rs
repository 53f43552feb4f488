//! The load: connections that send requests as fast as they are answered, for a while.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use hyper::Method;
use hyper::body::Bytes;
use market::log::encode_command;
use market::{AccountId, Command, Intent, MarketId, Place, TimeInForce};
use results::error::MeasureError;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;

use crate::asking::{Asked, Question, ask, ask_anew, histogram};
use crate::client::{ClientError, Http, Stream};
use crate::profile::Spent;
use crate::request_kind::RequestKind;
use crate::server::Server;

/// How many connections send over HTTP, one request at a time each.
pub const CONNECTIONS: usize = 64;

/// How many connections the loads over WebSocket and HTTP/2 use.
pub const STREAMS: usize = 4;

/// How many messages a WebSocket connection has in flight.
const WINDOW: usize = 256;

/// How many if each is a batch: together fewer orders than the venue allows in flight.
const WINDOW_OF_BATCHES: usize = 3;

/// Cash of each account: enough for hours, and together less than a market can hold.
pub const CASH: u64 = 4_000_000_000;

/// The results of a pass.
#[derive(Clone, Debug)]
pub struct Done {
    /// Answers; orders where there are orders.
    pub answers: u64,
    /// The same per second.
    pub per_s: f64,
    /// RequestKind the server's process used. None if the system does not report it.
    pub spent: Option<Spent>,
    /// Processor time of the server's process per answer, in nanoseconds.
    pub server_ns: Option<f64>,
    /// The same of this process.
    pub load_ns: Option<f64>,
    /// From request to answer, over HTTP: the median, in milliseconds.
    pub p50_ms: f64,
    /// The 99th percentile.
    pub p99_ms: f64,
}

/// One running part of the load.
type AtWork = JoinHandle<Result<Asked, ClientError>>;

/// Accounts with cash in one market. Even numbers buy YES, odd ones NO, at prices that match.
pub struct Crowd {
    members: Vec<Member>,
}

/// One account.
#[derive(Clone)]
pub struct Member {
    /// Its index among the members.
    pub number: usize,
    /// Its number at the venue.
    pub account: AccountId,
    /// Its key.
    pub key: String,
}

impl Crowd {
    /// Creates this many accounts.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn gather(server: &Server, accounts: usize) -> Result<Crowd, MeasureError> {
        Crowd::gather_with(server, accounts, CASH).await
    }

    /// The same with this much cash each.
    ///
    /// # Errors
    /// If the server refuses.
    pub async fn gather_with(server: &Server, accounts: usize, cash: u64) -> Result<Crowd, MeasureError> {
        let gather = async {
            let mut http = Http::connect(server.address).await?;
            let question = json!({ "question": { "en": "Load?", "zh": "压测？" } });
            http.json(Method::POST, "/v1/markets", &server.operator, &question).await?;
            let mut members = Vec::with_capacity(accounts);
            for number in 0..accounts {
                let made = http.json(Method::POST, "/v1/accounts", "", &json!({})).await?;
                let cash = json!({ "account": made["account"], "amount": cash });
                http.json(Method::POST, "/v1/markets/1/deposits", &server.operator, &cash).await?;
                let account = AccountId(made["account"].as_u64().unwrap_or_default() as u32);
                members.push(Member { number, account, key: made["key"].as_str().unwrap_or_default().to_owned() });
            }
            Ok(Crowd { members })
        };
        gather.await.map_err(broken)
    }

    /// A member; the number wraps around.
    pub fn member(&self, number: usize) -> &Member {
        &self.members[number % self.members.len()]
    }

    /// An order that matches no other, at the end of the book.
    pub fn quiet_order(number: usize) -> String {
        Crowd::order_at(number, 1)
    }

    /// The order that an account places repeatedly.
    pub fn order(number: usize) -> String {
        Crowd::order_at(number, 50)
    }

    fn order_at(number: usize, price: u8) -> String {
        let intent = if number.is_multiple_of(2) { "buy-yes" } else { "buy-no" };
        format!(r#""market":1,"intent":"{intent}","price":{price},"quantity":1"#)
    }

    /// Sends requests for this long, over as many connections as there are accounts, or a few over WebSocket.
    ///
    /// # Errors
    /// If a connection breaks.
    pub async fn load(&self, server: &Server, kind: RequestKind, time: Duration) -> Result<Done, MeasureError> {
        self.load_over(server, kind, time, self.members.len()).await
    }

    /// The same with this many HTTP connections, which share the accounts if there are more.
    ///
    /// # Errors
    /// If a connection breaks.
    pub async fn load_over(
        &self,
        server: &Server,
        kind: RequestKind,
        time: Duration,
        connections: usize,
    ) -> Result<Done, MeasureError> {
        let (server_before, spent_before) = (server.processor_time(), server.spent());
        let (ours_before, began) = (runner::processor_time(), Instant::now());
        let until = began + time;
        let tasks = self.begin(server.address, kind, until, connections).await.map_err(broken)?;
        let (mut answers, mut waits) = (0, histogram());
        for task in tasks {
            let asked = task.await.map_err(|_| MeasureError::Unusable("the load failed".into()))?.map_err(broken)?;
            answers += asked.answers;
            let _ = waits.add(&asked.waits);
        }
        let seconds = began.elapsed().as_secs_f64();
        let each = |before: Option<Duration>, after: Option<Duration>| {
            Some((after? - before?).as_nanos() as f64 / answers.max(1) as f64)
        };
        Ok(Done {
            answers,
            per_s: answers as f64 / seconds,
            spent: server.spent().zip(spent_before).map(|(after, before)| after - before),
            server_ns: each(server_before, server.processor_time()),
            load_ns: each(ours_before, runner::processor_time()),
            p50_ms: waits.value_at_quantile(0.5) as f64 / 1e6,
            p99_ms: waits.value_at_quantile(0.99) as f64 / 1e6,
        })
    }
}

impl Crowd {
    /// Starts all connections.
    async fn begin(
        &self,
        address: SocketAddr,
        kind: RequestKind,
        until: Instant,
        connections: usize,
    ) -> Result<Vec<AtWork>, ClientError> {
        if !kind.is_http() {
            let ask = |number| {
                let member = self.member(number).clone();
                tokio::spawn(async move { stream(address, kind, &member, until).await })
            };
            return Ok((0..STREAMS).map(ask).collect());
        }
        let each = connections.div_ceil(STREAMS);
        let (mut tasks, mut shared) = (Vec::new(), None);
        for number in 0..connections {
            // Over HTTP/2 several of them share a connection.
            if matches!(kind, RequestKind::Empty2 | RequestKind::Order2) && number.is_multiple_of(each) {
                shared = Some(Http::connect_two(address).await?);
            }
            let (member, shared) = (self.member(number), shared.as_ref().and_then(Http::another));
            let order = || Question::order(&member.key, format!("{{{}}}", Crowd::order(member.number)));
            let question =
                if matches!(kind, RequestKind::Empty | RequestKind::Empty2) { Question::empty() } else { order() };
            tasks.push(tokio::spawn(async move {
                match shared {
                    Some(shared) => ask(shared, &question, until).await,
                    None if kind == RequestKind::Fresh => ask_anew(address, &question, until).await,
                    None => ask(Http::connect(address).await?, &question, until).await,
                }
            }));
        }
        Ok(tasks)
    }
}

/// The error of a load that failed.
pub fn broken(error: ClientError) -> MeasureError {
    MeasureError::Unusable(format!("the load failed: {error}"))
}

async fn stream(address: SocketAddr, kind: RequestKind, member: &Member, until: Instant) -> Result<Asked, ClientError> {
    let (path, batch, window) = match kind {
        RequestKind::Echo => ("/v1/echo", 1, WINDOW),
        RequestKind::Batch(batch) | RequestKind::Binary(batch) => ("/v1/stream", batch, WINDOW_OF_BATCHES),
        _ => ("/v1/stream", 1, WINDOW),
    };
    let mut stream = match kind {
        RequestKind::Binary(_) => Stream::connect_in_bytes(address, path).await?,
        _ => Stream::connect(address, path).await?,
    };
    if kind != RequestKind::Echo {
        stream.say(json!({ "id": 0, "do": "login", "key": member.key }).to_string()).await?;
        // The greeting, and the answer to the login.
        let _ = (stream.hear().await?, stream.hear().await?);
    }
    let message = message(kind, member);
    let (mut saying, mut hearing) = stream.split();
    let room = Arc::new(Semaphore::new(window));
    let theirs = Arc::clone(&room);
    let writer = tokio::spawn(async move {
        while let Ok(place) = theirs.acquire().await {
            place.forget();
            saying.feed(message.clone()).await?;
            while let Ok(place) = theirs.try_acquire() {
                place.forget();
                saying.feed(message.clone()).await?;
            }
            saying.flush().await?;
        }
        Ok::<_, ClientError>(saying)
    });
    let mut answers = 0;
    while let Some(heard) = hearing.next().await.transpose()? {
        match is_answer(kind, &heard) {
            Some(true) => {}
            // Notices and ticks are not answers.
            Some(false) => continue,
            None => return Err(ClientError::Answer(refusal(&heard))),
        }
        if Instant::now() >= until {
            break;
        }
        answers += batch as u64;
        room.add_permits(1);
    }
    room.close();
    writer.abort();
    Ok(Asked { answers, waits: histogram() })
}

/// Whether a message is the expected answer; none if it is a problem.
fn is_answer(kind: RequestKind, heard: &Message) -> Option<bool> {
    match (kind, heard) {
        (RequestKind::Echo, Message::Text(_)) => Some(true),
        (RequestKind::Binary(_), Message::Binary(bytes)) if bytes.starts_with(&[0xff; 8]) => Some(false),
        (RequestKind::Binary(_), Message::Binary(bytes)) => {
            // After the message's number, the first answer: its outcome is the 7th word.
            let outcome = bytes.get(32..36)?;
            (outcome == [0; 4]).then_some(true)
        }
        (_, Message::Text(text)) if text.starts_with("{\"re\":1,\"ok\"") => Some(true),
        (_, Message::Text(text)) if text.starts_with("{\"re\":1") => None,
        (_, Message::Close(_)) => None,
        _ => Some(false),
    }
}

fn refusal(heard: &Message) -> String {
    let in_bytes = |bytes: &Bytes| format!("a command was refused with outcome {}", bytes.get(32).unwrap_or(&0));
    if let Message::Binary(bytes) = heard { in_bytes(bytes) } else { heard.to_string() }
}

fn message(kind: RequestKind, member: &Member) -> Message {
    let order = Crowd::order(member.number);
    match kind {
        RequestKind::Batch(batch) => {
            let orders = vec![format!("{{{order}}}"); batch].join(",");
            Message::text(format!(r#"{{"id":1,"do":"place","orders":[{orders}]}}"#))
        }
        RequestKind::Binary(batch) => {
            let command = encode_command(&member.command());
            Message::binary([1u64.to_le_bytes().to_vec(), command.repeat(batch)].concat())
        }
        _ => Message::text(format!(r#"{{"id":1,"do":"place",{order}}}"#)),
    }
}

impl Member {
    /// The order that it places repeatedly, as a command.
    pub fn command(&self) -> Command {
        Command::Place(Place {
            intent: if self.number.is_multiple_of(2) { Intent::BuyYes } else { Intent::BuyNo },
            time_in_force: TimeInForce::Gtc,
            price: 50,
            market: MarketId(1),
            account: self.account,
            quantity: 1,
            client_order_id: 0,
        })
    }
}
