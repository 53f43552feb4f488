//! Orders per second: over HTTP and over WebSocket, compared with the same server doing nothing, in turn in each round;
//! and with other engines behind the same gateway.

use std::path::Path;

use market_data::engines::Rung;
use results::error::MeasureError;
use results::record::Spread;
use results::record::venue::{
    ConcurrencyRecord, EngineRecord, Http2Record, HttpRecord, ProfileRecord, StreamRecord, VenueRecord,
};
use results::venue_args::VenueArgs;
use tokio::runtime::Runtime;

use load::crowd::{CONNECTIONS, Crowd, Done, STREAMS};
use load::figures::spread;
use load::open_files::{open_files, room};
use load::profile::Spent;
use load::request_kind::RequestKind;
use load::server::Server;

/// Orders per message in batches.
const BATCH: usize = 100;

/// The same for binary batches.
const BINARY_BATCH: usize = 1_000;

/// RequestKind is measured in each round, and its name in the profile.
const KINDS: [(RequestKind, &str); 9] = [
    (RequestKind::Empty, "empty"),
    (RequestKind::Order, "orders"),
    (RequestKind::Fresh, "fresh"),
    (RequestKind::Echo, "echo"),
    (RequestKind::One, "one"),
    (RequestKind::Batch(BATCH), "json-batch"),
    (RequestKind::Binary(BINARY_BATCH), "binary-batch"),
    (RequestKind::Empty2, "empty-http2"),
    (RequestKind::Order2, "http2"),
];

/// How many connections send over HTTP, in turn; limited to what a process may open.
const CONCURRENCY: [usize; 3] = [CONNECTIONS, 256, 768];

/// How many files a process may have open if the system does not report it: the default of a shell on macOS.
const FILES: u64 = 256;

/// Engines that are put behind the gateway in turn.
const ENGINES: [(Rung, &str); 4] =
    [(Rung::Naive, "0x01"), (Rung::GroupCommit, "0x03"), (Rung::ArrayBook, "0x05"), (Rung::Snapshots, "0x08")];

/// Measures by protocol, and announces each step.
///
/// # Errors
/// If the machine could not run it.
pub fn by_protocol(
    args: &VenueArgs,
    runtime: &Runtime,
    folder: &Path,
    record: &mut VenueRecord,
    say: &dyn Fn(&str),
) -> Result<(), MeasureError> {
    let mut passes: Vec<Vec<Done>> = vec![Vec::new(); KINDS.len()];
    let server = Server::start_with_http2(Rung::Snapshots, folder)?;
    let crowd = runtime.block_on(Crowd::gather(&server, CONNECTIONS))?;
    for _ in 0..args.rounds() {
        for ((kind, _), passes) in KINDS.into_iter().zip(&mut passes) {
            say(kind.words());
            passes.push(runtime.block_on(crowd.load(&server, kind, args.time()))?);
        }
    }
    let per_s = |place: usize| spread(passes[place].iter().map(|done| done.per_s));
    let ratio = |one: usize, other: usize| {
        spread(passes[one].iter().zip(&passes[other]).map(|(one, other)| one.per_s / other.per_s))
    };
    let stream = |place: usize, name: &str, batch: usize| StreamRecord {
        name: name.into(),
        batch,
        per_s: per_s(place),
        ratio: (name != "echo").then(|| ratio(place, 3)),
        server_ns: spread_of_some(passes[place].iter().map(|done| done.server_ns)),
        load_ns: spread_of_some(passes[place].iter().map(|done| done.load_ns)),
    };
    record.http = Some(HttpRecord {
        connections: CONNECTIONS,
        empty_per_s: per_s(0),
        orders_per_s: per_s(1),
        ratio: ratio(1, 0),
        fresh_per_s: per_s(2),
        server_ns: spread_of_some(passes[1].iter().map(|done| done.server_ns)),
        load_ns: spread_of_some(passes[1].iter().map(|done| done.load_ns)),
    });
    record.http2 = Some(Http2Record {
        connections: STREAMS,
        requests: CONNECTIONS,
        empty_per_s: per_s(7),
        orders_per_s: per_s(8),
        ratio: ratio(8, 7),
        of_http1: ratio(8, 1),
        server_ns: spread_of_some(passes[8].iter().map(|done| done.server_ns)),
        load_ns: spread_of_some(passes[8].iter().map(|done| done.load_ns)),
    });
    record.profile = KINDS.iter().zip(&passes).filter_map(|((_, name), passes)| profile(name, passes)).collect();
    record.stream = vec![
        stream(3, "echo", 1),
        stream(4, "one", 1),
        stream(5, "json-batch", BATCH),
        stream(6, "binary-batch", BINARY_BATCH),
    ];
    Ok(())
}

/// Measures over HTTP by the number of concurrent connections.
///
/// # Errors
/// If the machine could not run it.
pub fn by_concurrency(
    args: &VenueArgs,
    runtime: &Runtime,
    folder: &Path,
    say: &dyn Fn(&str),
) -> Result<Vec<ConcurrencyRecord>, MeasureError> {
    let server = Server::start(Rung::Snapshots, folder)?;
    let crowd = runtime.block_on(Crowd::gather(&server, CONNECTIONS))?;
    let most = room(open_files().unwrap_or(FILES)).max(CONNECTIONS);
    let counts = || CONCURRENCY.into_iter().filter(|&count| count <= most);
    let mut passes: Vec<Vec<[Done; 2]>> = counts().map(|_| Vec::new()).collect();
    for _ in 0..args.rounds() {
        for (connections, passes) in counts().zip(&mut passes) {
            say(&format!("HTTP over {connections} connections"));
            let pass = |kind| runtime.block_on(crowd.load_over(&server, kind, args.time(), connections));
            passes.push([pass(RequestKind::Empty)?, pass(RequestKind::Order)?]);
        }
    }
    let case = |(connections, passes): (usize, Vec<[Done; 2]>)| {
        let of = |figure: fn(&[Done; 2]) -> f64| spread(passes.iter().map(figure));
        ConcurrencyRecord {
            name: connections.to_string(),
            connections,
            empty_per_s: of(|[empty, _]| empty.per_s),
            orders_per_s: of(|[_, orders]| orders.per_s),
            ratio: of(|[empty, orders]| orders.per_s / empty.per_s),
            p50_ms: of(|[_, orders]| orders.p50_ms),
            p99_ms: of(|[_, orders]| orders.p99_ms),
        }
    };
    Ok(counts().zip(passes).map(case).collect())
}

/// Where the server's time went, over all rounds.
fn profile(name: &str, passes: &[Done]) -> Option<ProfileRecord> {
    let mut all = Spent::default();
    for done in passes {
        all += done.spent?;
    }
    Some(all.each(name, passes.iter().map(|done| done.answers).sum()))
}

/// Measures each engine, over HTTP.
///
/// # Errors
/// If the machine could not run it.
pub fn by_engine(
    args: &VenueArgs,
    runtime: &Runtime,
    folder: &Path,
    say: &dyn Fn(&str),
) -> Result<Vec<EngineRecord>, MeasureError> {
    let engines = if args.quick { &ENGINES[..1] } else { &ENGINES };
    let measured = engines.iter().map(|&(rung, name)| {
        say(&format!("the engine of {name} behind the gateway"));
        let server = Server::start(rung, folder)?;
        let crowd = runtime.block_on(Crowd::gather(&server, CONNECTIONS))?;
        let done = (0..args.rounds()).map(|_| runtime.block_on(crowd.load(&server, RequestKind::Order, args.time())));
        Ok(engine(name, &done.collect::<Result<Vec<_>, _>>()?))
    });
    measured.collect()
}

fn engine(name: &str, done: &[Done]) -> EngineRecord {
    let last = done.last();
    EngineRecord {
        name: name.into(),
        orders_per_s: spread(done.iter().map(|done| done.per_s)),
        p50_ms: last.map_or(0.0, |done| done.p50_ms),
        p99_ms: last.map_or(0.0, |done| done.p99_ms),
    }
}

fn spread_of_some(values: impl Iterator<Item = Option<f64>>) -> Option<Spread> {
    Spread::of(&values.collect::<Option<Vec<f64>>>()?)
}
