//! How late an answer is, over HTTP and over WebSocket: an open loop.
//!
//! An order is due at its index in the schedule, whether or not earlier ones are answered, and its wait starts when it
//! was due: a stall counts against every order that it delays.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use hdrhistogram::Histogram;
use hyper::Method;
use hyper::body::Bytes;
use results::error::MeasureError;
use results::record::Spread;
use results::record::venue::{LateLoadRecord, LateRecord};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;

use crate::asking::histogram;
use crate::client::{ClientError, Http, Stream};
use crate::crowd::{CONNECTIONS, Crowd, broken};
use crate::mix::{Ask, Mix, UnderWay};
use crate::server::Server;
use crate::waits::Waits;

/// How often to check which orders are due: as often as for the bare engine.
const LOOK: Duration = Duration::from_micros(200);

/// How long the last answers may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How late the load itself may hand over 99 of 100 orders. Beyond that we would measure the load's own lateness.
const GIVEN_LATE_MAX: Duration = Duration::from_millis(1);

/// How much of a core the load may need. One of its threads does all writing and reading.
const CORES_MAX: f64 = 0.9;

/// The load to offer.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// Requests per second.
    pub rate: u64,
    /// For this long.
    pub time: Duration,
    /// Over this many connections, which share the accounts of the crowd.
    pub connections: usize,
    /// How many of a hundred requests cancel an order, at most 50.
    pub cancels: u64,
}

impl Offer {
    /// Only orders, over the usual number of connections.
    pub fn orders(rate: u64, time: Duration) -> Offer {
        Offer { rate, time, connections: CONNECTIONS, cancels: 0 }
    }
}

/// How the load itself behaved in a pass.
pub struct Given {
    /// How late it handed each order to its sender, in nanoseconds.
    late: Histogram<u64>,
    /// Processor time of its process.
    busy: Option<Duration>,
}

impl Given {
    fn record(&self, took: Duration) -> LateLoadRecord {
        let cores = self.busy.map(|busy| busy.as_secs_f64() / took.as_secs_f64());
        let given_p99_ms = self.late.value_at_quantile(0.99) as f64 / 1e6;
        let is_void = cores.is_some_and(|cores| cores > CORES_MAX) || given_p99_ms > GIVEN_LATE_MAX.as_secs_f64() * 1e3;
        LateLoadRecord { cores, given_p99_ms, is_void }
    }
}

/// Makes the record of a pass.
pub fn record(name: &str, offered_per_s: u64, took: Duration, waits: &Histogram<u64>) -> LateRecord {
    let ms = |quantile| waits.value_at_quantile(quantile) as f64 / 1e6;
    let achieved_per_s = waits.len() as f64 / took.as_secs_f64();
    LateRecord {
        name: name.into(),
        offered_per_s,
        achieved_per_s,
        p50_ms: ms(0.5),
        p99_ms: ms(0.99),
        p999_ms: ms(0.999),
        p99_rounds_ms: Vec::new(),
        load: None,
    }
}

/// The result over several rounds of the same: the medians. None if there were no rounds.
pub fn over_rounds(rounds: &[LateRecord]) -> Option<LateRecord> {
    let median = |of: fn(&LateRecord) -> f64| Some(Spread::of(&rounds.iter().map(of).collect::<Vec<_>>())?.median);
    let loads: Vec<_> = rounds.iter().filter_map(|round| round.load.as_ref()).collect();
    let load = loads.first().map(|_| LateLoadRecord {
        cores: Spread::of(&loads.iter().filter_map(|load| load.cores).collect::<Vec<_>>()).map(|cores| cores.median),
        given_p99_ms: loads.iter().map(|load| load.given_p99_ms).fold(0.0, f64::max),
        // One round in which the load was the limit does not change a median; half of the rounds do.
        is_void: 2 * loads.iter().filter(|load| load.is_void).count() >= loads.len(),
    });
    Some(LateRecord {
        achieved_per_s: median(|round| round.achieved_per_s)?,
        p50_ms: median(|round| round.p50_ms)?,
        p99_ms: median(|round| round.p99_ms)?,
        p999_ms: median(|round| round.p999_ms)?,
        p99_rounds_ms: rounds.iter().map(|round| round.p99_ms).collect(),
        load,
        ..rounds.first()?.clone()
    })
}

/// Passes each order to `give` when it is due, with that moment. It has its own thread, because the runtime's timer
/// only has a resolution of a millisecond, which would be measured as well.
///
/// # Errors
/// If it failed.
pub async fn offer(
    rate: u64,
    time: Duration,
    mut give: impl FnMut(u64, Instant) + Send + 'static,
) -> Result<Given, MeasureError> {
    let before = runner::processor_time();
    let work = move || {
        let (began, mut late, mut given) = (Instant::now(), histogram(), 0);
        while began.elapsed() < time {
            let due = (began.elapsed().as_secs_f64() * rate as f64) as u64;
            for number in given..due {
                let at = began + Duration::from_secs_f64(number as f64 / rate as f64);
                late.saturating_record(at.elapsed().as_nanos() as u64);
                give(number, at);
            }
            given = due.max(given);
            thread::sleep(LOOK);
        }
        late
    };
    let late = tokio::task::spawn_blocking(work).await.map_err(|_| MeasureError::Unusable("the load failed".into()))?;
    let busy = before.and_then(|before| Some(runner::processor_time()?.saturating_sub(before)));
    Ok(Given { late, busy })
}

/// Over HTTP: connections take due orders in turn, each with one request at a time.
///
/// # Errors
/// If a connection breaks.
pub async fn http(server: &Server, crowd: &Crowd, what: Offer) -> Result<LateRecord, MeasureError> {
    http_seen(server, crowd, what, &Waits::default()).await
}

/// The same, with the moments of as many orders as `waits` keeps.
///
/// # Errors
/// If a connection breaks.
pub async fn http_seen(server: &Server, crowd: &Crowd, what: Offer, waits: &Waits) -> Result<LateRecord, MeasureError> {
    let (took, given) = offer_http(server, crowd, what, waits).await?;
    Ok(LateRecord { load: Some(given.record(what.time)), ..record("http", what.rate, took, &waits.take()) })
}

/// The same, with the waits in a histogram that others can read meanwhile. Returns the time until the last answer, and
/// how the load behaved.
///
/// # Errors
/// If a connection breaks.
pub async fn offer_http(
    server: &Server,
    crowd: &Crowd,
    what: Offer,
    waits: &Waits,
) -> Result<(Duration, Given), MeasureError> {
    let (due, dues) = mpsc::unbounded_channel::<Instant>();
    let dues = Arc::new(tokio::sync::Mutex::new(dues));
    // All connect before the first order is due.
    let mut ways = Vec::with_capacity(what.connections);
    for _ in 0..what.connections {
        ways.push(Http::connect(server.address).await.map_err(broken)?);
    }
    let began = Instant::now();
    let ask_all = |(number, mut http): (usize, Http)| {
        let (dues, key) = (Arc::clone(&dues), crowd.member(number).key.clone());
        let (mut mix, waits) = (Mix::new(number, what.cancels), waits.clone());
        tokio::spawn(async move {
            loop {
                let next = dues.lock().await.recv().await;
                let Some(due) = next else { return Ok::<_, ClientError>(()) };
                let (method, path, order, is_to_rest) = match mix.ask() {
                    Ask::Place { order, is_to_rest } => {
                        (Method::POST, "/v1/orders".into(), Bytes::from(format!("{{{order}}}")), is_to_rest)
                    }
                    Ask::Cancel(order) => {
                        (Method::DELETE, format!("/v1/markets/1/orders/{order}"), Bytes::new(), false)
                    }
                };
                let sent = Instant::now();
                let (status, body) = http.ask(method, &path, &key, order).await?;
                if status >= 300 {
                    return Err(ClientError::Answer(String::from_utf8_lossy(&body).into_owned()));
                }
                waits.answered(due, sent, &body);
                if is_to_rest {
                    mix.rests(&String::from_utf8_lossy(&body));
                }
            }
        })
    };
    let tasks: Vec<_> = ways.into_iter().enumerate().map(ask_all).collect();
    // A sender that failed reports it below.
    let give = move |_, at| {
        let _ = due.send(at);
    };
    let given = offer(what.rate, what.time, give).await?;
    for task in tasks {
        task.await.map_err(|_| MeasureError::Unusable("the load failed".into()))?.map_err(broken)?;
    }
    Ok((began.elapsed(), given))
}

/// Over WebSocket: each connection has any number of orders in flight.
///
/// # Errors
/// If a connection breaks.
pub async fn stream(server: &Server, crowd: &Crowd, what: Offer) -> Result<LateRecord, MeasureError> {
    stream_seen(server, crowd, what, &Waits::default()).await
}

/// The same, with the moments of as many orders as `waits` keeps.
///
/// # Errors
/// If a connection breaks.
pub async fn stream_seen(
    server: &Server,
    crowd: &Crowd,
    what: Offer,
    waits: &Waits,
) -> Result<LateRecord, MeasureError> {
    let (mut ways, mut tasks) = (Vec::new(), Vec::new());
    for number in 0..what.connections {
        let mut stream = Stream::connect(server.address, "/v1/stream").await.map_err(broken)?;
        let login = json!({ "id": 0, "do": "login", "key": crowd.member(number).key }).to_string();
        stream.say(login).await.map_err(broken)?;
        let (mut saying, mut hearing) = stream.split();
        let (due, mut dues) = mpsc::unbounded_channel::<(u64, Instant)>();
        ways.push(due);
        let under_way = Arc::new(UnderWay::new(number, what.cancels));
        let (theirs, waits) = (Arc::clone(&under_way), waits.clone());
        let writer = tokio::spawn(async move {
            let mut all = Vec::new();
            while dues.recv_many(&mut all, 1_024).await > 0 {
                for (id, at) in all.drain(..) {
                    saying.feed(Message::text(theirs.next(id, at))).await?;
                }
                saying.flush().await?;
            }
            Ok::<_, ClientError>(saying)
        });
        let last = Instant::now() + what.time + PATIENCE;
        tasks.push(tokio::spawn(async move {
            while Instant::now() < last {
                let Ok(heard) = tokio::time::timeout(Duration::from_millis(100), hearing.next()).await else {
                    if under_way.left() == 0 && writer.is_finished() { break } else { continue }
                };
                let Some(Message::Text(text)) = heard.transpose()? else { continue };
                let id = text.strip_prefix("{\"re\":").and_then(|rest| rest.split(',').next()?.parse::<u64>().ok());
                if text.contains("\"problem\":") {
                    return Err(ClientError::Answer(text.to_string()));
                }
                if let Some((due, sent)) = id.and_then(|id| under_way.answered(id, &text)) {
                    waits.answered(due, sent, text.as_bytes());
                }
            }
            // Leaving them out would make a venue look fast that does not answer.
            let left = under_way.left();
            if left > 0 {
                return Err(ClientError::Answer(format!("{left} orders had no answer {PATIENCE:?} after the last")));
            }
            Ok::<_, ClientError>(())
        }));
    }
    let give = move |number, at| {
        let _ = ways[number as usize % ways.len()].send((number + 1, at));
    };
    let given = offer(what.rate, what.time, give).await?;
    for task in tasks {
        task.await.map_err(|_| MeasureError::Unusable("the load failed".into()))?.map_err(broken)?;
    }
    Ok(LateRecord { load: Some(given.record(what.time)), ..record("stream", what.rate, what.time, &waits.take()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_that_is_the_limit_makes_a_pass_void() {
        let is_void = |late_us: u64, busy_ms: Option<u64>| {
            let mut late = histogram();
            late.saturating_record(late_us * 1_000);
            let given = Given { late, busy: busy_ms.map(Duration::from_millis) };
            given.record(Duration::from_secs(1)).is_void
        };
        assert!(!is_void(200, Some(300)) && !is_void(200, None));
        assert!(is_void(2_000, Some(300)), "it gave orders late itself");
        assert!(is_void(200, Some(950)), "its thread had no time left");
    }

    #[test]
    fn rounds_come_to_their_medians() {
        let round = |p99_ms: f64, is_void: bool| {
            let load = Some(LateLoadRecord { cores: Some(0.5), given_p99_ms: p99_ms, is_void });
            LateRecord { p99_ms, load, ..record("http", 1, Duration::from_secs(1), &histogram()) }
        };
        let all = over_rounds(&[round(3.0, false), round(90.0, true), round(4.0, false)]).expect("there are rounds");
        assert_eq!((all.p99_ms, &all.p99_rounds_ms[..]), (4.0, &[3.0, 90.0, 4.0][..]), "one hiccup is not the figure");
        assert!(all.load.is_some_and(|load| load.given_p99_ms == 90.0 && !load.is_void));
        let half = over_rounds(&[round(1.0, true), round(1.0, false)]).and_then(|half| half.load);
        assert!(half.is_some_and(|load| load.is_void));
        assert_eq!(over_rounds(&[]), None);
    }
}
