//! `scale`: throughput by number of shards, and the Universal Scalability Law fitted to it.
//!
//! The law says what keeps N workers from being N times as fast: waiting in one line (contention) and
//! talking to each other (coherence). N. J. Gunther, "A General Theory of Computational Scalability
//! Based on Rational Functions", 2008.

use std::path::Path;

use catalogue::Catalogue;
use comfy_table::{CellAlignment, Table, presets};
use program::{Verdict, print};
use results::chapters;
use results::charts::scale_chart;
use results::error::MeasureError;
use results::figures::figure;
use results::machine;
use results::output::OutputArgs;
use results::pairs::{between, drawn_order};
use results::probe::Probe;
use results::programs::{self, Program};
use results::progress::{progress_bar, say};
use results::record::{Record, ScaleRecord, Shards, Spread};
use results::units::{factor_text, grouped};
use results::usl::fit_usl;

use crate::command::command_line;
use crate::flow_args::FlowArgs;

/// The arguments of `scale`.
#[derive(Debug, Clone, clap::Args)]
pub struct ScaleArgs {
    /// Which chapter, one with shards [default: the first such chapter]
    #[arg(long, value_name = "CHAPTER")]
    pub chapter: Option<String>,
    /// The numbers of shards [default: 1 to the number of cores, and at least 1 to 4: the law needs three points]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=256))]
    pub shards: Vec<u16>,
    /// How often each number runs
    #[arg(long, default_value_t = 7, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: u32,
    /// How many orders a run has
    #[arg(long, conflicts_with = "input", default_value_t = 5_000_000, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200_000_000))]
    pub orders: u32,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub flow: FlowArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs,
}

/// Runs the chapter with each number of shards, interleaved.
///
/// # Errors
/// When the chapter can't be built or run, or the results can't be written.
pub fn run(args: &ScaleArgs) -> Result<Verdict, MeasureError> {
    let output = args.output.folder();
    let catalogue = chapters::catalogue()?;
    let chapter =
        Program::from(chapters::with(&catalogue, args.chapter.as_deref(), "shards", |chapter| chapter.shards)?);
    args.flow.check()?;
    programs::build(std::slice::from_ref(&chapter))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u16;
    let mut numbers: Vec<u16> =
        if args.shards.is_empty() { (1..=cores.clamp(4, 256)).collect() } else { args.shards.clone() };
    numbers.sort_unstable();
    numbers.dedup();

    let folder = output.join("scale");
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let bar = progress_bar(numbers.len() as u64 * u64::from(args.rounds));
    let (mut seen, mut probes) = (vec![Vec::new(); numbers.len()], Vec::new());
    for round in 1..=args.rounds {
        probes.push(Probe::take(&folder)?);
        for at in drawn_order(numbers.len()) {
            let shards = numbers[at];
            say(&bar, &format!("{}: {shards} shards, round {round} of {}", chapter.name, args.rounds));
            let mut flags = args.flow.flags();
            flags.extend(args.flow.orders_flags(args.orders));
            flags.extend(["--pass", "throughput", "--max-seconds", "10", "--shards"].map(String::from));
            flags.push(shards.to_string());
            let figures = chapter.measure(&flags, &folder)?;
            seen[at].push(figure(&figures, "throughput_ops", &chapter.name)?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();

    let spread =
        |values: &Vec<f64>| Spread::of(values).ok_or_else(|| MeasureError::Unusable("a round gave no number".into()));
    let shards: Result<Vec<Shards>, MeasureError> = numbers
        .iter()
        .zip(&seen)
        .map(|(&shards, values)| Ok(Shards { shards, orders_per_s: spread(values)? }))
        .collect();
    let shards = shards?;
    let points: Vec<(f64, f64)> = shards.iter().map(|point| (point.shards.into(), point.orders_per_s.median)).collect();
    let usl = fit_usl(&points);
    let record = ScaleRecord {
        machine: machine::describe(&folder),
        commit: machine::commit(),
        command: command_line(),
        flow: args.flow.record(None),
        orders: args.orders,
        chapter: chapter.name.clone(),
        probes,
        shards,
        usl,
    };
    publish(&record, &catalogue, &output, cores)?;
    Ok(Verdict::Yes)
}

fn publish(record: &ScaleRecord, catalogue: &Catalogue, output: &Path, cores: u16) -> Result<(), MeasureError> {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["shards", "orders/s", "min to max", "× the first", "between", "per core"]);
    let Some(first) = record.shards.first().map(|first| &first.orders_per_s) else { return Ok(()) };
    for point in &record.shards {
        let Spread { median, min, max, .. } = point.orders_per_s;
        let busy_cores = f64::from(point.shards.min(cores));
        table.add_row([
            point.shards.to_string(),
            grouped(median),
            format!("{} to {}", grouped(min), grouped(max)),
            factor_text(median / first.median),
            between(first, &point.orders_per_s),
            format!("{:.0} %", 100.0 * median / first.median / busy_cores),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    print(format_args!("{}, {} cores\n{table}\n", record.chapter, cores))?;
    match record.usl {
        Some(fit) => {
            print(format_args!("Universal Scalability Law: contention {:.3}, coherence {:.4}\n", fit.alpha, fit.beta))?;
            if record.shards.iter().any(|point| point.shards > cores) {
                print(format_args!(
                    "Points beyond {cores} shards share cores: there the law sees the cores end, not the design.\n"
                ))?;
            }
        }
        None => print(format_args!("Too few points, or none that the Universal Scalability Law fits.\n"))?,
    }
    record.save(&output.join("scale.json"))?;
    let files = scale_chart(record, catalogue, &output.join("charts"))?;
    print(format_args!("record  {}\nchart   {}\n", output.join("scale.json").display(), files[0].display()))?;
    Ok(())
}
