//! `cargo run --release` here: how many rows a second the follower derives, and what each shape of the past costs, beside what a
//! reader would take instead.
//!
//! One log, one run: each store gets the same rows in the same batches, each batch on disk before the next, and the rounds of all
//! stores take turns.
#![forbid(unsafe_code)]

mod ask;
mod found;
mod past;
mod questions;
mod record;
mod rows;
mod stores;
mod table;

use std::process::ExitCode;
use std::time::Instant;

use ask::Rounds;
use clap::Parser;
use program::{Verdict, print};
use results::error::MeasureError;
use results::json::Record as _;
use results::language::Language;
use results::machine;
use results::output::OutputArgs;
use results::progress::{progress_bar, say};
use results::record::Spread;

use found::Found;
use record::HistoryRecord;
use stores::{Failed, NAMES, Pair};

/// How many rows are in a batch: about as many as the follower writes at once.
const BATCH: usize = 32_768;

/// Measures what each shape of the past costs
#[derive(Debug, Parser)]
struct Args {
    /// How many rounds [default: 5, with --quick 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: Option<u32>,
    /// How many commands the log has
    #[arg(long, value_name = "N", default_value_t = 500_000, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(10_000..=100_000_000))]
    commands: usize,
    /// About how many trades to ask DuckDB and Polars about; that needs a Python with both: HISTORY_PYTHON or python3
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(10_000..=20_000_000))]
    trades: usize,
    /// A first look: fewer rounds
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
    /// The command line that repeats the run, with all that shapes it.
    fn command_line(&self) -> String {
        let build = if cfg!(debug_assertions) { "" } else { " --release" };
        let quick = if self.quick { " --quick" } else { "" };
        let rounds = self.rounds.map_or(String::new(), |rounds| format!(" --rounds {rounds}"));
        let Args { commands, trades, .. } = self;
        let more = format!("{quick}{rounds} --commands {commands} --trades {trades}");
        format!("cd chapters/0x0d-history/measure && cargo run{build} --{more}")
    }
}

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(args) => program::end(run(&args)),
        Err(error) => program::refuse(&error),
    }
}

fn run(args: &Args) -> Result<Verdict, MeasureError> {
    let folder = args.output.folder();
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let record = measure(args).map_err(|error| MeasureError::Unusable(error.to_string()))?;
    let out = folder.join("history.json");
    record.save(&out)?;
    let text = table::text(&record, args.lang);
    print(format_args!("{text}\n{}\nrecord  {}\n", record.machine.summary(), out.display()))?;
    Ok(Verdict::Yes)
}

fn measure(args: &Args) -> Result<HistoryRecord, Failed> {
    let rounds = args.rounds.unwrap_or(if args.quick { 2 } else { 5 });
    let folder = tempfile::tempdir_in(args.output.folder())?;
    let bar = progress_bar(2 + u64::from(rounds) * 2);
    say(&bar, "a log");
    let commands = rows::log(folder.path(), args.commands)?;
    bar.inc(1);
    let mut seconds = Vec::new();
    for _ in 0..rounds {
        say(&bar, "rows from the log");
        seconds.push(rows::derive(folder.path())?);
        bar.inc(1);
    }
    let past = past::Past::open(folder.path())?;
    let pairs = past.rows()?;
    let raw_bytes: usize = pairs.iter().map(|(key, value)| key.len() + value.len()).sum();
    let (mut found, mut reads) =
        (NAMES.map(|_| Found::default()), NAMES.map(|_| [Rounds::default(), Rounds::default()]));
    for round in 0..rounds {
        for ((name, found), reads) in NAMES.iter().zip(&mut found).zip(&mut reads) {
            say(&bar, &format!("the same rows in {name}"));
            one_store((name, folder.path()), &pairs, raw_bytes, u64::from(round), found, reads)?;
        }
        bar.inc(1);
    }
    say(&bar, "pages and candles");
    let pages = past.pages(rounds)?;
    say(&bar, "columns");
    let (mut column_seconds, mut column_bytes) = (Vec::new(), 0);
    for _ in 0..rounds {
        let (seconds, bytes) = past.columns(folder.path())?;
        column_seconds.push(seconds);
        column_bytes = bytes;
    }
    say(&bar, "questions to DuckDB and Polars");
    let questions = questions(args, rounds)?;
    bar.finish_and_clear();
    let per_s = |of: f64, seconds: &[f64]| Spread::of(&seconds.iter().map(|seconds| of / seconds).collect::<Vec<_>>());
    let trades = past.trades()? as f64;
    Ok(HistoryRecord {
        machine: machine::describe(&args.output.folder()),
        commit: machine::commit(),
        command: args.command_line(),
        rounds,
        commands: commands as f64,
        trades,
        rows: pairs.len() as f64,
        raw_bytes: raw_bytes as f64,
        commands_per_s: per_s(commands as f64, &seconds).ok_or("no round")?,
        rows_per_s: per_s(pairs.len() as f64, &seconds).ok_or("no round")?,
        column_trades_per_s: per_s(trades, &column_seconds).ok_or("no round")?,
        stores: NAMES.iter().zip(&found).filter_map(|(name, found)| found.record(name)).collect(),
        reads: NAMES.iter().zip(&reads).flat_map(|(name, reads)| names(name, reads)).collect(),
        pages,
        forms: past.forms(&found[0], raw_bytes, column_bytes)?,
        questions,
    })
}

/// The questions about many trades; none after saying what is missing.
fn questions(args: &Args, rounds: u32) -> Result<Option<record::QuestionsRecord>, Failed> {
    let Some(python) = questions::python() else {
        program::tell(format_args!("no Python with DuckDB and Polars: the questions about columns are left out"));
        return Ok(None);
    };
    let folder = tempfile::tempdir_in(args.output.folder())?;
    questions::ask_all(&python, folder.path(), args.trades, rounds).map(Some)
}

fn names(name: &str, [there, absent]: &[Rounds; 2]) -> Vec<record::ReadRecord> {
    let both = [there.record(&format!("{name}-there")), absent.record(&format!("{name}-absent"))];
    both.into_iter().flatten().collect()
}

fn one_store(
    (name, folder): (&str, &std::path::Path),
    pairs: &[Pair],
    raw_bytes: usize,
    round: u64,
    found: &mut Found,
    [there, absent]: &mut [Rounds; 2],
) -> Result<(), Failed> {
    let folder = tempfile::tempdir_in(folder)?;
    let mut store = stores::open(name, folder.path())?;
    let (before, began) = (stores::written(), Instant::now());
    pairs.chunks(BATCH).try_for_each(|batch| store.put(batch))?;
    found.rows_per_s.push(pairs.len() as f64 / began.elapsed().as_secs_f64());
    store.settle()?;
    let written = stores::written().zip(before).map(|(after, before)| after - before);
    found.amplification = written.map(|written| written as f64 / raw_bytes as f64);
    found.bytes = stores::bytes_of(folder.path()) as f64;
    let numbers: Vec<_> = pairs.iter().filter(|(key, _)| key[0] == history::key::Table::Numbers as u8).collect();
    there.add(ask::orders(&mut *store, &numbers, true, round)?);
    absent.add(ask::orders(&mut *store, &numbers, false, round)?);
    Ok(())
}
