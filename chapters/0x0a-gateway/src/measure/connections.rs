//! Many connections: how long it takes until all are there, what each costs the server in memory, and when the last of them
//! has what changed ten times a second.
//!
//! Each case has a server of its own, whose memory is read with one connection and again at the end, when all have been told
//! of many changes: buffers that grow when they are first needed are in the figure. What the kernel keeps for a connection is
//! not in it.

use std::cell::RefCell;
use std::path::Path;
use std::process::{Command, Stdio};
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

use crate::client::{ClientError, Http};
use crate::measure::asking::histogram;
use crate::measure::load::{Crowd, broken};
use crate::measure::server::Server;
use crate::measure::watcher::{Seen, Watcher};

/// How many connections are made at once.
const AT_ONCE: usize = 64;

/// How many files are for other things than connections, here and in the server: that keeps 512 for itself.
const OWN_FILES: usize = 600;

/// How often an order changes the book: as often as the server looks whether it has changed.
const CHANGE: Duration = Duration::from_millis(100);

/// How long a server is left alone before its memory is read.
const SETTLE: Duration = Duration::from_secs(1);

/// How long the last change may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// What of the kernel bears on connections.
const KERNEL: [&str; 5] = [
    "net.core.somaxconn",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "net.ipv4.tcp_max_syn_backlog",
];

/// Measures case by case.
///
/// # Errors
/// When the machine could not do it.
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

/// How many connections fit below so many open files.
pub fn room(open_files: u64) -> usize {
    (open_files as usize).saturating_sub(OWN_FILES)
}

/// How many files a process may have open, raised as far as the system lets it be raised. The server inherits it.
pub fn open_files() -> Option<u64> {
    let limit = |place: usize| {
        let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
        let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
        line.split_whitespace().nth(place)?.parse::<u64>().ok()
    };
    if let (Some(soft), Some(hard)) = (limit(0), limit(1))
        && soft < hard
    {
        let mut raise = Command::new("prlimit");
        raise.args(["--pid", &std::process::id().to_string(), &format!("--nofile={hard}:{hard}")]);
        // Where util-linux is not there the limit stays as it is, and the record says it.
        let _ = raise.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
    limit(0)
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
    // What the first connection and the first order bring along is nobody else's.
    let first = Watcher::connect(server.address).await.map_err(broken)?;
    let sequence = change(&mut http, &crowd, 0).await.map_err(broken)?;
    // What starting left behind is given back by then.
    tokio::time::sleep(SETTLE).await;
    let before = server.held().resident_bytes;
    let (watchers, connect_ms, connects) = connect(server, connections - 1).await?;
    // The venue ends a connection that asks nothing for long.
    let mut http = Http::connect(server.address).await.map_err(broken)?;
    let seen = Seen::new(sequence + 1, connections);
    let tasks: Vec<_> =
        watchers.into_iter().chain([first]).map(|one| tokio::task::spawn_local(one.watch(Rc::clone(&seen)))).collect();
    // Each has a whole book first, which is more than a change.
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

/// Makes so many connections, and says how long all and each took.
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

/// Places orders at their times, and waits until all have heard of the last.
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

/// Places an order that rests, at another price than the one before. Gives its sequence.
async fn change(http: &mut Http, crowd: &Crowd, number: u32) -> Result<u64, ClientError> {
    let order = json!({ "market": 1, "intent": "buy-yes", "price": 1 + number % 40, "quantity": 1 });
    let placed = http.json(Method::POST, "/v1/orders", &crowd.member(0).key, &order).await?;
    placed["sequence"].as_u64().ok_or_else(|| ClientError::Answer(placed.to_string()))
}
