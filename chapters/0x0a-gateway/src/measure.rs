//! `cargo run --release -- venue`: how far it is from a client to the disk, and what of it is ours.
//!
//! The venue runs in a process of its own and the load in this one; both processes' time is in the record. On a machine with
//! two cores they share them, so what counts is the same server's empty handler and its bare echo, measured in turn with the
//! orders in each round: the load costs about the same in all of them.

pub mod args;
pub mod bare;
pub mod beside;
pub mod late;
pub mod load;
pub mod record;
pub mod server;
pub mod table;

use market_data::engines::Rung;
use program::{Verdict, print};
use results::error::MeasureError;
use results::machine;
use results::progress::{progress_bar, say};
use results::record::{Record, Spread};

use crate::measure::args::VenueArgs;
use crate::measure::load::{CONNECTIONS, Crowd, Done, What};
use crate::measure::record::{EngineRecord, HttpRecord, LateRecord, StreamRecord, VenueRecord};
use crate::measure::server::Server;

/// Orders a message where they are sent in batches.
const BATCH: usize = 100;

/// The same in bytes.
const BINARY_BATCH: usize = 1_000;

/// What is measured in each round.
const WHATS: [What; 7] =
    [What::Empty, What::Order, What::Fresh, What::Echo, What::One, What::Batch(BATCH), What::Binary(BINARY_BATCH)];

/// Measures, prints a table, and writes `venue.json` into the output folder.
///
/// # Errors
/// When the machine could not do it, or the disk can't be written.
pub fn run(args: &VenueArgs) -> Result<Verdict, MeasureError> {
    let folder = args.output.folder();
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| MeasureError::Unusable(format!("could not start: {error}")))?;
    let steps = u64::from(args.rounds()) * WHATS.len() as u64 + 4 + args.engines().len() as u64;
    let bar = progress_bar(steps);

    let mut passes: Vec<Vec<Done>> = vec![Vec::new(); WHATS.len()];
    let mut late = Vec::new();
    {
        let server = Server::start(Rung::Snapshots, &folder)?;
        let crowd = runtime.block_on(Crowd::gather(&server, CONNECTIONS))?;
        for _ in 0..args.rounds() {
            for (what, passes) in WHATS.into_iter().zip(&mut passes) {
                say(&bar, what.words());
                passes.push(runtime.block_on(crowd.load(&server, what, args.time()))?);
                bar.inc(1);
            }
        }
        say(&bar, "how late an answer is");
        late.push(bare::measure(args.rate, args.late_time(), &folder)?);
        bar.inc(1);
        late.push(runtime.block_on(late::http(&server, &crowd, args.rate, args.late_time()))?);
        bar.inc(1);
        late.push(runtime.block_on(late::stream(&server, &crowd, args.rate, args.late_time()))?);
        bar.inc(1);
    }
    say(&bar, "an honest client beside attackers");
    let beside = beside::measure(&runtime, &folder, args.rate, args.late_time())?;
    bar.inc(1);
    let mut engines = Vec::new();
    for &(rung, name) in args.engines() {
        say(&bar, &format!("the engine of {name} behind the door"));
        let server = Server::start(rung, &folder)?;
        let crowd = runtime.block_on(Crowd::gather(&server, CONNECTIONS))?;
        let done = (0..args.rounds()).map(|_| runtime.block_on(crowd.load(&server, What::Order, args.time())));
        engines.push(engine(name, &done.collect::<Result<Vec<_>, _>>()?));
        bar.inc(1);
    }
    bar.finish_and_clear();
    let record = VenueRecord { beside, ..record(args, &passes, late, engines, machine::describe(&folder)) };
    let out = folder.join("venue.json");
    record.save(&out)?;
    let table = table::text(&record, args.lang);
    print(format_args!("{table}\n{}\nrecord  {}\n", record.machine.summary(), out.display()))?;
    Ok(Verdict::Yes)
}

fn record(
    args: &VenueArgs,
    passes: &[Vec<Done>],
    late: Vec<LateRecord>,
    engines: Vec<EngineRecord>,
    machine: machine::Machine,
) -> VenueRecord {
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
    VenueRecord {
        machine,
        commit: machine::commit(),
        command: args.command_line(),
        rounds: args.rounds(),
        seconds: args.time().as_secs_f64(),
        http: HttpRecord {
            connections: CONNECTIONS,
            empty_per_s: per_s(0),
            orders_per_s: per_s(1),
            ratio: ratio(1, 0),
            fresh_per_s: per_s(2),
            server_ns: spread_of_some(passes[1].iter().map(|done| done.server_ns)),
            load_ns: spread_of_some(passes[1].iter().map(|done| done.load_ns)),
        },
        stream: vec![
            stream(3, "echo", 1),
            stream(4, "one", 1),
            stream(5, "json-batch", BATCH),
            stream(6, "binary-batch", BINARY_BATCH),
        ],
        late,
        engines,
        beside: Vec::new(),
    }
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

fn spread(values: impl Iterator<Item = f64>) -> Spread {
    let values: Vec<f64> = values.collect();
    // There is a value for each round, and at least one round.
    Spread::of(&values).unwrap_or(Spread { median: 0.0, min: 0.0, max: 0.0, rounds: values })
}

fn spread_of_some(values: impl Iterator<Item = Option<f64>>) -> Option<Spread> {
    Spread::of(&values.collect::<Option<Vec<f64>>>()?)
}
