//! `cargo run --release` here: what three copies cost, and how long a takeover takes.
//!
//! The three servers of the stream, the venue and the load run on one machine and its one disk. So the figures show what
//! replication costs there, and not how fast three machines are. What is compared runs in turn.
#![forbid(unsafe_code)]

mod record;
mod sizes;
mod table;
mod takeovers;
mod venues;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use program::{Verdict, print};
use replication::cluster::{self, Cluster};
use replication::link::Link;
use replication::reach::ReachArgs;
use results::chapters;
use results::error::MeasureError;
use results::json::Record;
use results::language::Language;
use results::machine;
use results::output::OutputArgs;
use results::programs::{self, Program};
use results::progress::{progress_bar, say};

use record::ReplicasRecord;
use venues::{RATES, Venues};

/// Measures what three copies cost, and how long a takeover takes
#[derive(Debug, Parser)]
struct Args {
    /// How many rounds are compared [default: 5, with --quick 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: Option<u32>,
    /// A first look: fewer and shorter rounds
    #[arg(long)]
    quick: bool,
    /// The language of the table
    #[arg(long, value_enum, default_value = "en")]
    lang: Language,
    /// Where the record goes.
    #[command(flatten)]
    output: OutputArgs,
}

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(args) => program::end(run(&args)),
        Err(error) => program::refuse(&error),
    }
}

fn run(args: &Args) -> Result<Verdict, MeasureError> {
    cluster::available().map_err(MeasureError::Unusable)?;
    programs::build(&[Program::from(chapters::catalogue()?.find("0x0e")?)])?;
    let unusable = |error: String| MeasureError::Unusable(error);
    let own = std::env::current_exe().map_err(|error| unusable(format!("where is this program? {error}")))?;
    let program = own.with_file_name(format!("ch0e{}", std::env::consts::EXE_SUFFIX));
    let folder = args.output.folder();
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let rounds = args.rounds.unwrap_or(if args.quick { 2 } else { 5 });
    let time = Duration::from_millis(if args.quick { 500 } else { 2_000 });
    let kept =
        tempfile::tempdir_in(&folder).map_err(|error| MeasureError::disk("make a folder in", &folder, &error))?;
    let bar = progress_bar((2 + RATES.len() + takeovers::KINDS.len()) as u64);
    let step = |words: &str| {
        bar.inc(u64::from(!words.is_empty()));
        say(&bar, words);
    };
    say(&bar, "a sync and an append, by size");
    let servers = Cluster::start(&kept.path().join("servers")).map_err(|error| unusable(error.to_string()))?;
    let link = Link::connect(&ReachArgs::plain(servers.addresses())).map_err(|error| unusable(error.to_string()))?;
    let sizes = sizes::measure(&link, kept.path(), time)?;
    drop(link);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| unusable(format!("could not start: {error}")))?;
    let venues = Venues::start(&program, kept.path(), &servers.addresses(), &runtime)?;
    // Before the throughput: after that the servers tidy up for a while, which keeps the disk busy.
    let mut late = Vec::new();
    for rate in RATES {
        step(&format!("{rate} orders a second"));
        late.extend(venues.late(&runtime, rate, rounds, 3 * time)?);
    }
    step("orders a second, by what counts as durable");
    let throughput = venues.throughput(&runtime, rounds, time)?;
    drop((venues, servers));
    let mut takeovers = Vec::new();
    for kind in takeovers::KINDS {
        step(&format!("a takeover: {kind}"));
        takeovers.push(takeovers::measure(&program, kept.path(), kind, rounds)?);
    }
    bar.finish_and_clear();
    let quick = if args.quick { " -- --quick" } else { "" };
    let record = ReplicasRecord {
        machine: machine::describe(&folder),
        commit: machine::commit(),
        command: format!("cd chapters/0x0e-replication/measure && cargo run --release{quick}"),
        rounds,
        sizes,
        throughput,
        late,
        takeovers,
    };
    let out = folder.join("replicas.json");
    record.save(&out)?;
    let text = table::text(&record, args.lang);
    print(format_args!("{text}\n{}\nrecord  {}\n", record.machine.summary(), out.display()))?;
    Ok((!record.late.iter().any(|late| late.is_void)).into())
}
