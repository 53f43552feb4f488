//! `sweep`: one chapter over many batch sizes, so that a reader sees what a larger batch gains in
//! throughput and costs in latency, and can choose.

use std::path::Path;

use catalogue::Catalogue;
use comfy_table::{CellAlignment, Table, presets};
use program::{Verdict, print};
use results::chapters;
use results::charts::sweep_chart;
use results::error::MeasureError;
use results::figures::figure;
use results::language::Language;
use results::machine;
use results::output::OutputArgs;
use results::pairs::{between, drawn_order};
use results::programs::{self, Program};
use results::progress::{progress_bar, say};
use results::record::{BatchSize, Record, Spread, SweepRecord};
use results::units::{duration_text, factor_text, grouped};

use crate::command::command_line;
use crate::flow_args::FlowArgs;

/// The arguments of `sweep`.
#[derive(Debug, Clone, clap::Args)]
pub struct SweepArgs {
    /// Which chapter, one with batches [default: the last one that has no shards]
    #[arg(long, value_name = "CHAPTER")]
    pub chapter: Option<String>,
    /// The batch sizes
    #[arg(long, value_delimiter = ',', default_values_t = [16, 64, 256, 1_024, 4_096, 16_384, 65_536], value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub batches: Vec<u32>,
    /// How often each size runs
    #[arg(long, default_value_t = 7, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: u32,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub flow: FlowArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs,
}

/// The results of one batch size so far.
#[derive(Clone, Default)]
struct Seen {
    orders_per_s: Vec<f64>,
    offered_per_s: f64,
    p50_ns: Vec<f64>,
    p99_ns: Vec<f64>,
}

/// Runs the sweep, interleaved, and prints the trade.
///
/// # Errors
/// When the chapter can't be built or run, or the results can't be written.
pub fn run(args: &SweepArgs) -> Result<Verdict, MeasureError> {
    let output = args.output.folder();
    let catalogue = chapters::catalogue()?;
    let chapter = Program::from(chapters::with_batches(&catalogue, args.chapter.as_deref())?);
    args.flow.check()?;
    programs::build(std::slice::from_ref(&chapter))?;
    let folder = output.join("sweep");

    // A run lasts about a second with the smallest batch, but is never trivial.
    let bar = progress_bar(args.batches.len() as u64 * u64::from(args.rounds));
    let mut seen = vec![Seen::default(); args.batches.len()];
    for round in 1..=args.rounds {
        for at in drawn_order(args.batches.len()) {
            let (batch, seen) = (args.batches[at], &mut seen[at]);
            say(&bar, &format!("{}: batches of {batch}, round {round} of {}", chapter.name, args.rounds));
            let mut flags = args.flow.flags();
            flags.extend(args.flow.orders_flags(3_000_000));
            flags.extend(
                ["--pass", "throughput,latency", "--max-seconds", "1", "--seconds", "0.5", "--batch"].map(String::from),
            );
            flags.push(batch.to_string());
            if seen.offered_per_s > 0.0 {
                flags.extend(["--rate".into(), (seen.offered_per_s as u64).to_string()]);
            }
            let figures = chapter.measure(&flags, &folder)?;
            let get = |key: &str| figure(&figures, key, &chapter.name);
            seen.orders_per_s.push(get("throughput_ops")?);
            seen.offered_per_s = get("latency_offered_ops")?;
            seen.p50_ns.push(get("latency_p50_ns")?);
            seen.p99_ns.push(get("latency_p99_ns")?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();

    let spread =
        |values: &[f64]| Spread::of(values).ok_or_else(|| MeasureError::Unusable("a round gave no number".into()));
    let sizes: Result<Vec<BatchSize>, MeasureError> = args
        .batches
        .iter()
        .zip(&seen)
        .map(|(&batch, seen)| {
            Ok(BatchSize {
                batch,
                orders_per_s: spread(&seen.orders_per_s)?,
                offered_per_s: seen.offered_per_s,
                p50_ns: spread(&seen.p50_ns)?,
                p99_ns: spread(&seen.p99_ns)?,
            })
        })
        .collect();
    let record = SweepRecord {
        machine: machine::describe(&folder),
        commit: machine::commit(),
        command: command_line(),
        flow: args.flow.record(None),
        chapter: chapter.name.clone(),
        sizes: sizes?,
    };
    publish(&record, &catalogue, &output)?;
    Ok(Verdict::Yes)
}

fn publish(record: &SweepRecord, catalogue: &Catalogue, output: &Path) -> Result<(), MeasureError> {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["batch", "orders/s", "min to max", "× the first", "between", "offered/s", "p50", "p99"]);
    let Some(first) = record.sizes.first().map(|first| &first.orders_per_s) else { return Ok(()) };
    for size in &record.sizes {
        let Spread { median, min, max, .. } = size.orders_per_s;
        table.add_row([
            grouped(f64::from(size.batch)),
            grouped(median),
            format!("{} to {}", grouped(min), grouped(max)),
            factor_text(median / first.median),
            between(first, &size.orders_per_s),
            grouped(size.offered_per_s),
            duration_text(size.p50_ns.median, Language::English),
            duration_text(size.p99_ns.median, Language::English),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    print(format_args!("{}\n{table}\n", record.chapter))?;
    record.save(&output.join("sweep.json"))?;
    let files = sweep_chart(record, catalogue, &output.join("charts"))?;
    print(format_args!("record  {}\nchart   {}\n", output.join("sweep.json").display(), files[0].display()))?;
    Ok(())
}
