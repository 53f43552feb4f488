//! Many connections: how long they take to connect, how much memory each costs the server, and how late the last of
//! them gets changes that happen ten times a second.
//!
//! Each case has its own server. Its memory is read with one connection and again at the end, after all clients have
//! received many changes, so the figure includes buffers that grow on first use. It excludes what the kernel keeps per
//! connection.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream;
use hyper::Method;
use market_data::engines::Rung;
use results::error::MeasureError;
use results::record::venue::{ConnectionsCaseRecord, ConnectionsRecord, SettingRecord};
use results::venue_args::VenueArgs;
use serde_json::json;
use tokio::runtime::Runtime;
use tokio::task::LocalSet;

use crate::watcher::{Seen, Watcher};
use load::asking::histogram;
use load::client::{ClientError, Http};
use load::crowd::{Crowd, broken};
use load::open_files::{open_files, room};
use load::server::Server;

/// How many connections are made concurrently.
const AT_ONCE: usize = 64;

/// How often an order changes the book: as often as the server checks for changes.
const CHANGE: Duration = Duration::from_millis(100);

/// How long to leave a server alone before reading its memory.
const SETTLE: Duration = Duration::from_secs(1);

/// How long the last change may take to arrive.
const PATIENCE: Duration = Duration::from_secs(5);

/// The kernel settings that affect connections.
const KERNEL: [&str; 5] = [
    "net.core.somaxconn",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "net.ipv4.tcp_max_syn_backlog",
];

/// Measures each case.
///
/// # Errors
/// If the machine could not run it.
pub fn measure(
    args: &VenueArgs,
    runtime: &Runtime,
    folder: &Path,
    say: &dyn Fn(&str),
) -> Result<ConnectionsRecord, MeasureError> {
    let open_files_max = open_files();
    let room = open_files_max.map_or(usize::MAX, room);
    let cases = args.connections().iter().map(|&asked| {
        say(&format!("{asked} connections that watch"));
        let server = Server::start(Rung::Snapshots, folder)?;
        let changes = if args.quick { 20 } else { 100 };
        LocalSet::new().block_on(runtime, case(&server, asked, asked.min(room), changes))
    });
    let cases = cases.collect::<Result<_, _>>()?;
    Ok(ConnectionsRecord { open_files_max, kernel: kernel(), cases })
}

fn kernel() -> Vec<SettingRecord> {
    let setting = |name: &&str| {
        let value = std::fs::read_to_string(format!("/proc/sys/{}", name.replace('.', "/"))).ok()?;
        Some(SettingRecord { name: (*name).into(), value: value.split_whitespace().collect::<Vec<_>>().join(" ") })
    };
    KERNEL.iter().filter_map(setting).collect()
}

async fn case(
    server: &Server,
    asked: usize,
    connections: usize,
    changes: u32,
) -> Result<ConnectionsCaseRecord, MeasureError> {
    let crowd = Crowd::gather(server, 1).await?;
    let mut http = Http::connect(server.address).await.map_err(broken)?;
    // The costs of the first connection and the first order are not counted.
    let first = Watcher::connect(server.address).await.map_err(broken)?;
    let sequence = change(&mut http, &crowd, 0).await.map_err(broken)?;
    // By now the memory that start-up used is returned.
    tokio::time::sleep(SETTLE).await;
    let before = server.held().resident_bytes;
    let (watchers, connect_ms, connects) = connect(server, connections - 1).await?;
    // The venue closes a connection that is idle for long.
    let mut http = Http::connect(server.address).await.map_err(broken)?;
    let seen = Seen::new(sequence + 1, connections);
    let tasks: Vec<_> =
        watchers.into_iter().chain([first]).map(|one| tokio::task::spawn_local(one.watch(Rc::clone(&seen)))).collect();
    // Each gets a whole book first, which is larger than a change.
    tokio::time::sleep(5 * CHANGE).await;
    let (server_before, load_before) = (server.processor_time(), runner::processor_time());
    follow(&mut http, &crowd, &seen, changes).await.map_err(broken)?;
    let told = connections as f64 * f64::from(changes);
    let each = |before: Option<Duration>, after: Option<Duration>| Some((after? - before?).as_nanos() as f64 / told);
    let (server_ns, load_ns) =
        (each(server_before, server.processor_time()), each(load_before, runner::processor_time()));
    let after = server.held().resident_bytes;
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    let seen = seen.borrow();
    let (mut last, mut due) = (histogram(), histogram());
    for one in seen.last() {
        last.saturating_record((one.since_first.as_nanos() as u64).max(1));
        due.saturating_record(one.since_due.as_nanos() as u64);
    }
    let ms = |ns: u64| ns as f64 / 1e6;
    Ok(ConnectionsCaseRecord {
        name: asked.to_string(),
        asked,
        connections,
        served: seen.served(),
        connect_ms,
        connect_p50_ms: ms(connects.value_at_quantile(0.5)),
        connect_p99_ms: ms(connects.value_at_quantile(0.99)),
        connection_bytes: before
            .zip(after)
            .filter(|(before, after)| after > before)
            .map(|(before, after)| (after - before) as f64 / (connections - 1).max(1) as f64),
        changes: last.len(),
        last_p50_ms: ms(last.value_at_quantile(0.5)),
        last_p99_ms: ms(last.value_at_quantile(0.99)),
        due_p50_ms: ms(due.value_at_quantile(0.5)),
        due_p99_ms: ms(due.value_at_quantile(0.99)),
        server_ns,
        load_ns,
    })
}

/// Makes this many connections; returns how long all and each took.
async fn connect(
    server: &Server,
    count: usize,
) -> Result<(Vec<Watcher>, f64, hdrhistogram::Histogram<u64>), MeasureError> {
    let (began, mut times) = (Instant::now(), histogram());
    let one = |_| async {
        let began = Instant::now();
        Watcher::connect(server.address).await.map(|watcher| (watcher, began.elapsed()))
    };
    let made: Vec<Result<_, ClientError>> = stream::iter(0..count).map(one).buffer_unordered(AT_ONCE).collect().await;
    let took = began.elapsed().as_secs_f64() * 1e3;
    let mut watchers = Vec::with_capacity(count);
    for made in made {
        let (watcher, time) = made.map_err(broken)?;
        times.saturating_record(time.as_nanos() as u64);
        watchers.push(watcher);
    }
    Ok((watchers, took, times))
}

/// Places orders on schedule, and waits until all connections have the last one.
async fn follow(http: &mut Http, crowd: &Crowd, seen: &RefCell<Seen>, changes: u32) -> Result<(), ClientError> {
    let began = Instant::now();
    for number in 0..changes {
        let due = began + CHANGE * number;
        tokio::time::sleep_until(due.into()).await;
        seen.borrow_mut().next_is_due(due);
        change(http, crowd, number + 1).await?;
    }
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until && seen.borrow().last().count() < changes as usize {
        tokio::time::sleep(CHANGE / 10).await;
    }
    Ok(())
}

/// Places an order that rests, at a different price than the previous one. Returns its sequence.
async fn change(http: &mut Http, crowd: &Crowd, number: u32) -> Result<u64, ClientError> {
    let order = json!({ "market": 1, "intent": "buy-yes", "price": 1 + number % 40, "quantity": 1 });
    let placed = http.json(Method::POST, "/v1/orders", &crowd.member(0).key, &order).await?;
    placed["sequence"].as_u64().ok_or_else(|| ClientError::Answer(placed.to_string()))
}
