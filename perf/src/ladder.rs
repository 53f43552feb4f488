//! The ladder: every chapter on the same flow, and what each step gained.
//!
//! Chapters run interleaved (A B C A B C …), so that a neighbour's load falls on all of them, and each
//! round begins with a probe of the machine. A chapter runs as many orders as it can do in about a
//! round's time: the naive ones fewer, the fast ones more, and the table says how many.

mod summary;
mod tables;

use std::fs;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use market::flow::FlowName;

use crate::chapters::{self, Chapter, Figures, figure};
use crate::charts::ladder_charts;
use crate::error::PerfError;
use crate::flow_args::FlowArgs;
use crate::machine;
use crate::probe::Probe;
use crate::record::LadderRecord;
use crate::units::grouped;

/// The most that is offered in the latency pass, so that fast chapters are compared at one rate.
const RATE_MAX: f64 = 1_000_000.0;

/// Everything that a rung of the ladder is measured for.
const ALL_PASSES: &str = "throughput,breakdown,latency";

/// The chapters that also run on `venue`: the first, the last with one matching thread, the one with shards.
const ON_VENUE: [&str; 3] = ["0x01", "0x06", SHARDED];

/// The chapter with shards: on `venue` it gets one for each core, eight at most.
const SHARDED: &str = "0x07";

/// What `ladder` can be told.
#[derive(Debug, Clone, clap::Args)]
pub struct LadderArgs {
    /// Run only these chapters, such as 0x01,0x05
    #[arg(long, value_name = "CHAPTERS", value_delimiter = ',')]
    pub chapters: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub flow: FlowArgs,
    /// Run at most this many orders in a round [default: as many as a chapter does in about a second]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200_000_000))]
    pub orders: Option<u32>,
    /// How often each chapter runs [default: 4, with --quick 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: Option<u32>,
    /// A look in under 20 seconds, with more noise
    #[arg(long)]
    pub quick: bool,
    /// Also store the run as the baseline for `compare`
    #[arg(long)]
    pub baseline: bool,
    /// Where ladder.json and the charts go
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// How long things take.
struct Plan {
    rounds: u32,
    /// How long the throughput pass of a round may take.
    seconds: f64,
    /// How long the latency pass takes.
    latency_seconds: f64,
    orders_max: u32,
}

impl Plan {
    fn new(args: &LadderArgs) -> Plan {
        let plan = if args.quick {
            Plan { rounds: 2, seconds: 0.25, latency_seconds: 0.15, orders_max: 1_000_000 }
        } else {
            Plan { rounds: 4, seconds: 0.8, latency_seconds: 0.5, orders_max: 4_000_000 }
        };
        Plan { rounds: args.rounds.unwrap_or(plan.rounds), orders_max: args.orders.unwrap_or(plan.orders_max), ..plan }
    }
}

/// A chapter, and what it is measured on.
struct Run {
    chapter: Chapter,
    flow: FlowArgs,
    passes: &'static str,
    shards: Option<u16>,
}

impl Run {
    fn measure(&self, orders: u32, settings: &[(&str, String)], output: &Path) -> Result<Figures, PerfError> {
        let mut flags = self.flow.flags();
        flags.extend(self.flow.orders_flags(orders));
        let shards = self.shards.map(|shards| ("--shards", shards.to_string()));
        for (flag, value) in settings.iter().chain(&shards) {
            flags.extend([(*flag).to_string(), value.clone()]);
        }
        // A run that measures less must not overwrite the report of the full one.
        let folder = if self.passes == ALL_PASSES { output.to_path_buf() } else { output.join("venue") };
        self.chapter.measure(&flags, &folder.join(short(&self.chapter.name)))
    }
}

/// A run on the ladder, and how much it is given to do.
struct Rung {
    run: Run,
    orders: u64,
    rate: u64,
    rounds: Vec<Figures>,
}

/// Runs the ladder, prints the table and writes the record and the charts.
///
/// # Errors
/// When a chapter can't be built or run, or the results can't be written.
pub fn run(args: &LadderArgs) -> anyhow::Result<()> {
    let output = args.output.clone().unwrap_or_else(|| chapters::repository().join("output"));
    let chapters = chapters::select(&args.chapters)?;
    args.flow.check()?;
    fs::create_dir_all(&output).map_err(|error| PerfError::disk("make the folder", &output, &error))?;
    chapters::build(&chapters)?;

    let plan = Plan::new(args);
    let run = |chapter| Run { chapter, flow: args.flow.clone(), passes: ALL_PASSES, shards: None };
    let mut runs: Vec<Run> = chapters.into_iter().map(run).collect();
    let ladder = runs.len();
    runs.extend(runs_on_venue(&runs, args));
    let bar = progress_bar((runs.len() as u64) * u64::from(plan.rounds + 1));
    let mut rungs = Vec::new();
    for run in runs {
        say(&bar, &format!("{}: how much is a round?", run.chapter.name));
        rungs.push(calibrate(run, &plan, &output)?);
        bar.inc(1);
    }
    let mut probes = Vec::new();
    for round in 1..=plan.rounds {
        probes.push(Probe::take(&output)?);
        for rung in &mut rungs {
            say(
                &bar,
                &format!(
                    "{}: round {round} of {}, {} orders of {}",
                    rung.run.chapter.name,
                    plan.rounds,
                    grouped(rung.orders as f64),
                    rung.run.flow.record(None).name
                ),
            );
            rung.rounds.push(measure(rung, &plan, &output)?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();

    let record = LadderRecord {
        machine: machine::describe(&output),
        commit: machine::commit(),
        command: command_line(),
        flow: args.flow.record(args.orders.map(u64::from)),
        rounds: plan.rounds,
        probes,
        chapters: rungs[..ladder].iter().map(summary::chapter_record).collect::<Result<_, _>>()?,
        venue: rungs[ladder..].iter().map(summary::chapter_record).collect::<Result<_, _>>()?,
    };
    publish(&record, args, &output)?;
    Ok(())
}

/// The ladder's own flow has one market, and one market is one shard. So the full ladder also shows what
/// shards do with many.
fn runs_on_venue(ladder: &[Run], args: &LadderArgs) -> Vec<Run> {
    if args.quick || args.flow.input.is_some() || args.flow.flow != FlowName::Classic {
        return Vec::new();
    }
    let flow = FlowArgs { flow: FlowName::Venue, ..args.flow.clone() };
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(8) as u16;
    let run = |id: &&str| {
        let chapter = ladder.iter().find(|run| short(&run.chapter.name) == *id)?.chapter.clone();
        let shards = (*id == SHARDED).then_some(cores);
        Some(Run { chapter, flow: flow.clone(), passes: "throughput", shards })
    };
    let runs: Vec<Run> = ON_VENUE.iter().filter_map(run).collect();
    if runs.len() == ON_VENUE.len() { runs } else { Vec::new() }
}

/// Finds out how many orders a chapter does in a round's time, with a short run.
fn calibrate(run: Run, plan: &Plan, output: &Path) -> Result<Rung, PerfError> {
    let settings = [("--pass", "throughput".to_string()), ("--max-seconds", "0.15".to_string())];
    let figures = run.measure(plan.orders_max.min(500_000), &settings, output)?;
    let per_s = figure(&figures, "throughput_ops", &run.chapter.name)?;
    let orders = (per_s * plan.seconds).clamp(64.0, f64::from(plan.orders_max));
    // Two digits are enough, and read better.
    let step = 10_f64.powf(orders.log10().floor() - 1.0);
    let orders = ((orders / step).round() * step).min(f64::from(plan.orders_max)) as u64;
    let rate = (per_s / 2.0).clamp(1.0, RATE_MAX) as u64;
    Ok(Rung { run, orders, rate, rounds: Vec::new() })
}

fn measure(rung: &Rung, plan: &Plan, output: &Path) -> Result<Figures, PerfError> {
    let settings = [
        ("--pass", rung.run.passes.to_string()),
        ("--rate", rung.rate.to_string()),
        ("--seconds", plan.latency_seconds.to_string()),
        ("--max-seconds", (3.0 * plan.seconds).to_string()),
    ];
    rung.run.measure(rung.orders as u32, &settings, output)
}

/// `0x01` of `0x01-naive`.
fn short(name: &str) -> &str {
    name.split('-').next().unwrap_or(name)
}

fn publish(record: &LadderRecord, args: &LadderArgs, output: &Path) -> Result<(), PerfError> {
    println!("{}", tables::table(record));
    println!("Each order is durable before its acknowledgement. p50 to p99.9 are from an order's intended arrival");
    println!("to its durable acknowledgement, at the offered rate; the biggest stage is from a pass of its own.");
    if !record.venue.is_empty() {
        println!("\nThat flow has one market, and one market is one shard. On `venue`, with its 64 markets:");
        println!("{}", tables::venue_table(record));
    }
    let path = output.join("ladder.json");
    record.save(&path)?;
    if args.baseline {
        record.save(&output.join("baseline.json"))?;
    }
    let charts = output.join("charts");
    fs::create_dir_all(&charts).map_err(|error| PerfError::disk("make the folder", &charts, &error))?;
    let files = ladder_charts(record, &charts)?;
    println!("\nrecord  {}\ncharts  {} ({} files, English and Chinese)", path.display(), charts.display(), files.len());
    Ok(())
}

/// The command that repeats this run, without the machine's folders.
pub fn command_line() -> String {
    let args: Vec<String> = std::env::args().skip(1).collect();
    format!("cargo run --release -- {}", args.join(" ")).trim_end_matches([' ', '-']).to_string()
}

/// A bar on a terminal; elsewhere [`say`] prints lines.
pub fn progress_bar(length: u64) -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} ({elapsed}, {eta} left)");
    let bar = ProgressBar::new(length);
    bar.enable_steady_tick(std::time::Duration::from_millis(250));
    style.map_or(bar.clone(), |style| bar.with_style(style))
}

/// Says what is being done: beside the bar, or as a plain line.
pub fn say(bar: &ProgressBar, message: &str) {
    if bar.is_hidden() {
        eprintln!("{message}");
    } else {
        bar.set_message(message.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: LadderArgs,
    }

    /// The chapters that run on `venue` when the ladder is called like this, and their shards.
    fn on_venue(flags: &[&str]) -> Vec<(String, bool)> {
        let args = Cli::parse_from([&["ladder"], flags].concat()).args;
        let run = |chapter| Run { chapter, flow: args.flow.clone(), passes: ALL_PASSES, shards: None };
        let ladder: Vec<Run> = chapters::select(&args.chapters).expect("chapters").into_iter().map(run).collect();
        let name = |run: Run| (short(&run.chapter.name).to_string(), run.shards.is_some());
        runs_on_venue(&ladder, &args).into_iter().map(name).collect()
    }

    #[test]
    fn only_the_full_ladder_also_runs_on_venue() {
        let all = [("0x01", false), ("0x06", false), ("0x07", true)].map(|(name, shards)| (name.to_string(), shards));
        assert_eq!(on_venue(&[]), all);
        for flags in [&["--quick"][..], &["--flow", "burst"], &["--input", "x.csv"], &["--chapters", "0x01,0x07"]] {
            assert_eq!(on_venue(flags), [], "{flags:?}");
        }
    }
}
