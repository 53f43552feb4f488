//! `cargo run --release` here: what exactly-once costs beside the same venue without it, and what the naive ways lose.
//!
//! The venues are the programs of 0x0a and 0x0b, each in a process of its own; the load is in this one. What is compared
//! runs in turn in each round.
#![forbid(unsafe_code)]

mod beside;
mod inside;
mod load;
mod naive;
#[allow(dead_code, reason = "the tests that it is from kill servers too")]
mod proxy;
mod record;
mod returning;
mod sent;
mod server;
mod table;
mod words;

use std::process::ExitCode;

use clap::Parser;
use program::{Verdict, print};
use results::error::MeasureError;
use results::json::Record;
use results::language::Language;
use results::machine;
use results::output::OutputArgs;
use results::progress::{progress_bar, say};

use record::OnceRecord;

/// Measures what exactly-once costs, and what the naive ways lose.
#[derive(Debug, Parser)]
struct Args {
    /// How many rounds [default: 8, with --quick 2]
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

impl Args {
    fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 2 } else { 8 })
    }

    fn command_line(&self) -> String {
        let quick = if self.quick { " -- --quick" } else { "" };
        format!("cd chapters/0x0b-exactly-once/measure && cargo run --release{quick}")
    }
}

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(args) => program::end(run(&args)),
        Err(error) => program::refuse(&error),
    }
}

fn run(args: &Args) -> Result<Verdict, MeasureError> {
    server::build()?;
    let folder = args.output.folder();
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| MeasureError::Unusable(format!("could not start: {error}")))?;
    let bar = progress_bar(6);
    say(&bar, "look-ups, lanes and the ring");
    let inside = inside::measure(args.rounds(), args.quick);
    bar.inc(1);
    let costs = load::measure(args.rounds(), args.quick, &runtime, &folder, &|step| say(&bar, step))?;
    bar.inc(1);
    say(&bar, "a storm of repeats");
    let storm = beside::storm(args.rounds(), args.quick, &runtime, &folder)?;
    bar.inc(1);
    say(&bar, "notices to many");
    let many = beside::many(args.rounds(), &runtime, &folder)?;
    bar.inc(1);
    say(&bar, "a reader that returns");
    let returning = runtime.block_on(returning::measure(args.rounds().min(5), args.quick, &folder))?;
    bar.inc(1);
    say(&bar, "naive ways");
    let naive = naive::measure(args.quick, &folder)?;
    bar.finish_and_clear();
    let record = OnceRecord {
        machine: machine::describe(&folder),
        commit: machine::commit(),
        command: args.command_line(),
        rounds: args.rounds(),
        inside,
        costs,
        storm,
        many,
        returning,
        naive,
    };
    let out = folder.join("once.json");
    record.save(&out)?;
    let text = table::text(&record, args.lang);
    print(format_args!("{text}\n{}\nrecord  {}\n", record.machine.summary(), out.display()))?;
    Ok(Verdict::Yes)
}
