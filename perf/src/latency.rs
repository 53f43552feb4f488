//! `latency`: an open loop. Commands arrive at a fixed rate whether the engine keeps up or not, and a
//! command's latency counts from its *intended* arrival, so that a stall is charged to every command
//! that it delayed.

use market::engine::HELD_SHARE;
use program::{Verdict, print, tell};
use results::chapters;
use results::charts::{LatencyRun, latency_chart};
use results::error::MeasureError;
use results::figures::figure;
use results::language::Language;
use results::machine;
use results::output::OutputArgs;
use results::probe::Probe;
use results::programs::{self, Program};
use results::units::{duration_text, grouped};

use crate::flow_args::FlowArgs;

/// The percentiles of the curve, as the chapters report them.
const CURVE: [(&str, f64); 7] =
    [("p10", 10.0), ("p50", 50.0), ("p90", 90.0), ("p99", 99.0), ("p999", 99.9), ("p9999", 99.99), ("p99999", 99.999)];

/// The arguments of `latency`.
#[derive(Debug, Clone, clap::Args)]
pub struct LatencyArgs {
    /// Which chapter
    #[arg(long, value_name = "CHAPTER")]
    pub chapter: String,
    /// How many commands arrive in a second
    #[arg(long, default_value_t = 100_000, value_name = "PER_SECOND", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub rate: u32,
    /// For how long
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS", value_parser = seconds)]
    pub seconds: f64,
    /// The most commands in a batch [default: the chapter's]
    #[arg(long, value_name = "K")]
    pub batch: Option<u32>,
    /// How many shards, in a chapter that has them
    #[arg(long, value_name = "N")]
    pub shards: Option<u16>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub flow: FlowArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.01..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("not a number of seconds from 0.01 to 3600".into()),
    }
}

/// Runs the open loop and prints its percentiles.
///
/// # Errors
/// When the chapter can't be built or run, or the chart can't be written.
pub fn run(args: &LatencyArgs) -> Result<Verdict, MeasureError> {
    let output = args.output.folder();
    let catalogue = chapters::catalogue()?;
    let chapter = Program::from(catalogue.find_engine(&args.chapter)?);
    args.flow.check()?;
    let orders = (f64::from(args.rate) * args.seconds).ceil();
    if orders > 200e6 {
        return Err(MeasureError::Unusable("rate times seconds is above 200 million orders: ask for fewer".into()));
    }
    programs::build(std::slice::from_ref(&chapter))?;

    let folder = output.join("latency");
    std::fs::create_dir_all(&folder).map_err(|error| MeasureError::disk("make the folder", &folder, &error))?;
    let probe = Probe::take(&folder)?;
    let mut flags = args.flow.flags();
    flags.extend(args.flow.orders_flags(orders as u32));
    flags.extend(["--pass", "latency", "--rate"].map(String::from));
    flags.extend([args.rate.to_string(), "--seconds".into(), args.seconds.to_string()]);
    flags.extend(args.batch.into_iter().flat_map(|batch| ["--batch".into(), batch.to_string()]));
    flags.extend(args.shards.into_iter().flat_map(|shards| ["--shards".into(), shards.to_string()]));
    tell(format_args!("{}: {} orders/s for {} s", chapter.name, grouped(f64::from(args.rate)), args.seconds));
    let figures = chapter.measure(&flags, &folder)?;

    let get = |key: &str| figure(&figures, key, &chapter.name);
    let achieved = get("latency_achieved_ops")?;
    let points: Result<Vec<(f64, f64)>, MeasureError> = CURVE
        .iter()
        .map(|(name, percentile)| Ok((*percentile, get(&format!("latency_{name}_ns"))?.max(1.0))))
        .collect();
    let points = points?;
    let max_ns = get("latency_max_ns")?.max(1.0);
    print(format_args!(
        "{}, {} orders/s offered, {} acknowledged\n",
        chapter.name,
        grouped(f64::from(args.rate)),
        grouped(achieved)
    ))?;
    if achieved < HELD_SHARE * f64::from(args.rate) {
        print(format_args!(
            "the engine could NOT hold this rate: orders queued, and these latencies grow with the run's length\n"
        ))?;
    }
    for (percentile, ns) in &points {
        print(format_args!("  p{percentile:<7} {:>12}\n", duration_text(*ns, Language::English)))?;
    }
    print(format_args!("  max      {:>12}\n", duration_text(max_ns, Language::English)))?;
    print(format_args!("a sync took {} just before\n", duration_text(probe.sync_ns, Language::English)))?;

    let run = LatencyRun {
        chapter: chapter.name.clone(),
        offered_per_s: f64::from(args.rate),
        achieved_per_s: achieved,
        points,
        max_ns,
        machine: machine::describe(&folder),
        commit: machine::commit(),
        flow: args.flow.record(None),
    };
    let files = latency_chart(&run, &catalogue, &format!("latency-{}", chapter.name), &output.join("charts"))?;
    print(format_args!("chart    {}\n", files[0].display()))?;
    Ok(Verdict::Yes)
}
