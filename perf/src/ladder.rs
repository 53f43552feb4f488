//! The ladder: every chapter on the same flow, and what each step gained.
//!
//! Chapters run interleaved (A B C A B C …), so that other load affects all of them, and each round
//! begins with a probe of the machine. A chapter runs as many orders as it can do in about a round's
//! time: the naive ones fewer, the fast ones more, and the table shows how many.

mod rung;
mod summary;
mod tables;

use std::fs;
use std::path::Path;

use catalogue::{Catalogue, Chapter};
use market::flow::FlowName;
use program::{Verdict, print};
use results::chapters;
use results::charts::ladder_charts;
use results::error::MeasureError;
use results::machine;
use results::output::OutputArgs;
use results::probe::Probe;
use results::programs::{self, Program};
use results::progress::{progress_bar, say};
use results::record::{LadderRecord, Record};
use results::units::grouped;

use self::rung::{Plan, Run, calibrate, measure};
use crate::command::command_line;
use crate::flow_args::FlowArgs;

/// The arguments of `ladder`.
#[derive(Debug, Clone, clap::Args)]
pub struct LadderArgs {
    /// Run only these chapters, such as 0x01,0x05
    #[arg(long, value_name = "CHAPTERS", value_delimiter = ',')]
    pub chapters: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub flow: FlowArgs,
    /// Run at most this many orders in a round [default: as many as a chapter does in about a second]
    #[arg(long, conflicts_with = "input", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200_000_000))]
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
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs,
}

/// Runs the ladder, prints the table and writes the record and the charts.
///
/// # Errors
/// When a chapter can't be built or run, or the results can't be written.
pub fn run(args: &LadderArgs) -> Result<Verdict, MeasureError> {
    let output = args.output.folder();
    let catalogue = chapters::catalogue()?;
    let chapters = chapters::select(&catalogue, &args.chapters)?;
    args.flow.check()?;
    fs::create_dir_all(&output).map_err(|error| MeasureError::disk("make the folder", &output, &error))?;
    programs::build(&chapters.iter().map(Program::from).collect::<Vec<_>>())?;

    let plan = Plan::new(args.quick, args.rounds, args.orders);
    let run = |chapter| Run { chapter, flow: args.flow.clone(), on_venue: false, shards: None };
    let mut runs: Vec<Run> = chapters.into_iter().map(run).collect();
    let ladder = runs.len();
    runs.extend(runs_on_venue(&catalogue, &runs, args));
    let bar = progress_bar((runs.len() as u64) * u64::from(plan.rounds + 1));
    let mut rungs = Vec::new();
    for run in runs {
        say(&bar, &format!("{}: how much is a round?", run.chapter.folder));
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
                    rung.run.chapter.folder,
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
    publish(&record, &catalogue, args, &output)?;
    Ok(Verdict::Yes)
}

/// The ladder's own flow has one market, and one market is one shard. So the full ladder also shows what
/// shards do with many markets: on the first chapter, the last with one matching thread, and those with
/// shards, which get one for each core, eight at most.
fn runs_on_venue(catalogue: &Catalogue, ladder: &[Run], args: &LadderArgs) -> Vec<Run> {
    if args.quick || args.flow.input.is_some() || args.flow.flow != FlowName::Classic {
        return Vec::new();
    }
    let flow = FlowArgs { flow: FlowName::Venue, ..args.flow.clone() };
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(8) as u16;
    let last_alone = catalogue.engines().rfind(|chapter| !chapter.shards);
    let compared = catalogue.engines().enumerate().filter(|(place, chapter)| {
        let is_last_alone = last_alone.is_some_and(|last| last == *chapter);
        *place == 0 || is_last_alone || chapter.shards
    });
    let compared: Vec<&Chapter> = compared.map(|(_, chapter)| chapter).collect();
    if !compared.iter().all(|chapter| ladder.iter().any(|run| run.chapter == **chapter)) {
        return Vec::new();
    }
    let run = |chapter: &Chapter| {
        let shards = chapter.shards.then_some(cores);
        Run { chapter: chapter.clone(), flow: flow.clone(), on_venue: true, shards }
    };
    compared.into_iter().map(run).collect()
}

fn publish(record: &LadderRecord, catalogue: &Catalogue, args: &LadderArgs, output: &Path) -> Result<(), MeasureError> {
    print(format_args!("{}\n", tables::table(record)))?;
    print(format_args!(
        "Each order is durable before its acknowledgement. p50 to p99.9 are from an order's intended arrival\n"
    ))?;
    print(format_args!(
        "to its durable acknowledgement, at the offered rate; the biggest stage is from a separate pass.\n"
    ))?;
    if !record.venue.is_empty() {
        print(format_args!(
            "\nThat flow has one market, and one market is one shard. On `venue`, with its 64 markets:\n"
        ))?;
        print(format_args!("{}\n", tables::venue_table(record)))?;
    }
    let path = output.join("ladder.json");
    record.save(&path)?;
    if args.baseline {
        record.save(&output.join("baseline.json"))?;
    }
    let charts = output.join("charts");
    fs::create_dir_all(&charts).map_err(|error| MeasureError::disk("make the folder", &charts, &error))?;
    let files = ladder_charts(record, catalogue, &charts)?;
    print(format_args!(
        "\nrecord  {}\ncharts  {} ({} files, English and Chinese)\n",
        path.display(),
        charts.display(),
        files.len()
    ))?;
    Ok(())
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

    /// The chapters that run on `venue` when the ladder is called with these flags.
    fn on_venue(flags: &[&str]) -> Vec<Chapter> {
        let args = Cli::parse_from([&["ladder"], flags].concat()).args;
        let catalogue = chapters::catalogue().expect("the manifests are sound");
        let run = |chapter| Run { chapter, flow: args.flow.clone(), on_venue: false, shards: None };
        let ladder = chapters::select(&catalogue, &args.chapters).expect("chapters");
        let ladder: Vec<Run> = ladder.into_iter().map(run).collect();
        let runs = runs_on_venue(&catalogue, &ladder, &args);
        assert!(runs.iter().all(|run| run.shards.is_some() == run.chapter.shards));
        runs.into_iter().map(|run| run.chapter).collect()
    }

    #[test]
    fn only_the_full_ladder_also_runs_on_venue() {
        let [first, alone, sharded, later @ ..] = &on_venue(&[])[..] else {
            panic!("the first, the last alone, the sharded")
        };
        assert!(!first.shards && !alone.shards && sharded.shards && later.iter().all(|chapter| chapter.shards));
        assert_eq!(sharded.after, Some(alone.number));
        let some = [first.number, sharded.number].map(|number| number.to_string()).join(",");
        for flags in [&["--quick"][..], &["--flow", "burst"], &["--input", "x.csv"], &["--chapters", &some]] {
            assert_eq!(on_venue(flags), [], "{flags:?}");
        }
    }
}
