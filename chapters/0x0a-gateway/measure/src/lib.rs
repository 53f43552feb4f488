//! `cargo run --release -- venue`: the time from a client to the disk and back, and how much of it is our own.
//!
//! The venue runs in its own process and the load in this one; the record has the time of both. On a machine with two
//! cores they share them, so the meaningful comparison is with the same server's empty handler and bare echo, measured
//! in turn with the orders in each round: the load costs about the same in all of them.
#![forbid(unsafe_code)]

pub mod accounts;
pub mod bare;
pub mod beside;
pub mod connections;
pub mod notices;
pub mod soak;
pub mod sustained;
pub mod table;
pub mod throughput;
pub mod watcher;

use std::path::Path;

use market_data::engines::Rung;
use program::{Verdict, print};
use results::error::MeasureError;
use results::machine;
use results::progress::{progress_bar, say};
use results::record::venue::{BesideRecord, LateRecord};
use results::record::{Record, VenueRecord};
use results::venue_args::{HIGH_RATE, Part, VenueArgs};
use tokio::runtime::Runtime;

use crate::accounts::Fill;

use load::crowd::{CONNECTIONS, Crowd};
use load::late::{self, Offer};
use load::server::Server;

/// Measures, prints a table, and writes `venue.json` into the output folder. `fill` makes accounts before a venue runs.
///
/// # Errors
/// If the machine could not run it, or the disk can't be written.
pub fn run(args: &VenueArgs, fill: &Fill) -> Result<Verdict, MeasureError> {
    let folder = args.output.folder();
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| MeasureError::Unusable(format!("could not start: {error}")))?;
    let bar = progress_bar(args.parts().len() as u64);
    let mut record = VenueRecord {
        machine: machine::describe(&folder),
        commit: machine::commit(),
        command: args.command_line(),
        rounds: args.rounds(),
        seconds: args.time().as_secs_f64(),
        http: None,
        http2: None,
        profile: Vec::new(),
        concurrency: Vec::new(),
        stream: Vec::new(),
        late: Vec::new(),
        late_high: Vec::new(),
        beside: Vec::new(),
        engines: Vec::new(),
        connections: None,
        sustained: None,
        accounts: Vec::new(),
        notices: Vec::new(),
    };
    for &part in args.parts() {
        measure(part, args, (&runtime, &folder, fill), &mut record, &|step: &str| say(&bar, step))?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let out = folder.join(args.file());
    record.save(&out)?;
    let table = table::text(&record, args.lang);
    print(format_args!("{table}\n{}\nrecord  {}\n", record.machine.summary(), out.display()))?;
    Ok(Verdict::Yes)
}

fn measure(
    part: Part,
    args: &VenueArgs,
    (runtime, folder, fill): (&Runtime, &Path, &Fill),
    record: &mut VenueRecord,
    say: &dyn Fn(&str),
) -> Result<(), MeasureError> {
    match part {
        Part::Throughput => {
            throughput::by_protocol(args, runtime, folder, record, say)?;
            record.concurrency = throughput::by_concurrency(args, runtime, folder, say)?;
        }
        Part::Late => {
            record.late = how_late(args, args.rate, runtime, folder, say)?;
            record.late_high = how_late(args, HIGH_RATE, runtime, folder, say)?;
        }
        Part::Beside => record.beside = beside_attackers(args, runtime, folder, say)?,
        Part::Engines => record.engines = throughput::by_engine(args, runtime, folder, say)?,
        Part::Connections => record.connections = Some(connections::measure(args, runtime, folder, say)?),
        Part::Sustained => record.sustained = Some(runtime.block_on(sustained::measure(args, folder, say))?),
        Part::Accounts => record.accounts = accounts::measure(args, runtime, folder, fill, say)?,
        Part::Notices => record.notices = runtime.block_on(notices::measure(args, folder, say))?,
    }
    Ok(())
}

fn how_late(
    args: &VenueArgs,
    rate: u64,
    runtime: &Runtime,
    folder: &Path,
    say: &dyn Fn(&str),
) -> Result<Vec<LateRecord>, MeasureError> {
    say(&format!("how late an answer is, {rate} orders a second"));
    let server = Server::start(Rung::Snapshots, folder)?;
    let crowd = runtime.block_on(Crowd::gather(&server, CONNECTIONS))?;
    let (mut rounds, time) = ([Vec::new(), Vec::new(), Vec::new()], args.late_pass());
    for _ in 0..args.rounds() {
        rounds[0].push(bare::measure(rate, time, folder)?);
        let orders = Offer::orders(rate, time);
        rounds[1].push(runtime.block_on(late::http(&server, &crowd, orders))?);
        rounds[2].push(runtime.block_on(late::stream(&server, &crowd, Offer { connections: 2, ..orders }))?);
    }
    Ok(rounds.iter().filter_map(|rounds| late::over_rounds(rounds)).collect())
}

fn beside_attackers(
    args: &VenueArgs,
    runtime: &Runtime,
    folder: &Path,
    say: &dyn Fn(&str),
) -> Result<Vec<BesideRecord>, MeasureError> {
    say("an honest client beside attackers");
    beside::measure(runtime, folder, args.rate, args.late_time())
}
