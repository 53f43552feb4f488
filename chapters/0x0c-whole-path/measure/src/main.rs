//! `cargo run --release` here: where the time of an order goes, at several rates and over both protocols, and what it costs to
//! know.
//!
//! The venue is the chapter's program in a process of its own; the load is in this one. What is compared runs in turn.
#![forbid(unsafe_code)]

mod cost;
mod inside;
mod loads;
mod record;
mod table;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use program::{Verdict, print};
use results::chapters;
use results::error::MeasureError;
use results::json::Record;
use results::language::Language;
use results::machine;
use results::output::OutputArgs;
use results::programs::{self, Program};
use results::progress::{progress_bar, say};

use record::PathRecord;

/// Measures where the time of an order goes, and what it costs to know
#[derive(Debug, Parser)]
struct Args {
    /// How many rounds the costs are compared in [default: 8, with --quick 2]
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
    programs::build(&[Program::from(chapters::catalogue()?.find("0x0c")?)])?;
    let own = std::env::current_exe();
    let own = own.map_err(|error| MeasureError::Unusable(format!("where is this program? {error}")))?;
    let program = own.with_file_name(format!("ch0c{}", std::env::consts::EXE_SUFFIX));
    let folder = args.output.folder();
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let rounds = args.rounds.unwrap_or(if args.quick { 2 } else { 8 });
    let bar = progress_bar(loads::LOADS.len() as u64 + 1);
    let mut all = Vec::new();
    let (mut usual_ns, mut slow_ns) = (Vec::new(), Vec::new());
    let seconds = if args.quick { 2 } else { 10 };
    for offered in loads::LOADS {
        say(&bar, &format!("{}: {} orders a second", offered.name, offered.rate));
        let found = loads::find(&program, &args.output, offered, seconds)?;
        let bare = gauge::bare::measure(offered.rate, Duration::from_secs(seconds), &folder)?;
        if all.is_empty() {
            (usual_ns, slow_ns) = loads::two(&found);
        }
        all.push(loads::load(offered, &found, &bare));
        bar.inc(1);
    }
    say(&bar, "what stamping costs");
    let inside = Some(inside::measure(rounds)?);
    let costs = cost::measure(&program, rounds, args.quick, &folder)?;
    bar.finish_and_clear();
    let quick = if args.quick { " -- --quick" } else { "" };
    let record = PathRecord {
        machine: machine::describe(&folder),
        commit: machine::commit(),
        command: format!("cd chapters/0x0c-whole-path/measure && cargo run --release{quick}"),
        rounds,
        loads: all,
        costs,
        inside,
        usual_ns,
        slow_ns,
    };
    let out = folder.join("path.json");
    record.save(&out)?;
    let text = table::text(&record, args.lang);
    print(format_args!("{text}\n{}\nrecord  {}\n", record.machine.summary(), out.display()))?;
    Ok((!record.loads.iter().any(|load| load.is_void)).into())
}
