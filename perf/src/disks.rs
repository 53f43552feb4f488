//! `disks`: one chapter on slower and slower disks, so that a reader sees which batch limit suits another machine,
//! and how much of the latency is the disk's.

use std::path::{Path, PathBuf};

use comfy_table::{CellAlignment, Table, presets};
use market::engine::HELD_SHARE;
use program::{Verdict, print};
use results::chapters;
use results::error::MeasureError;
use results::figures::{Figures, figure};
use results::language::Language;
use results::machine;
use results::memory;
use results::output::OutputArgs;
use results::pairs::drawn_order;
use results::programs::{self, Program};
use results::progress::{progress_bar, say};
use results::record::{DiskRecord, DisksRecord, Latency, LimitRecord, Record, Spread};
use results::units::{duration_text, grouped};

use crate::command::command_line;
use crate::flow_args::FlowArgs;

/// Space for a run's log and ledger, twice over.
const ROOM: u64 = 1 << 30;

/// The arguments of `disks`.
#[derive(Debug, Clone, clap::Args)]
pub struct DisksArgs {
    /// Which chapter, one with batches [default: the last one that has no shards]
    #[arg(long, value_name = "CHAPTER")]
    pub chapter: Option<String>,
    /// The minimum time of a sync, in milliseconds, beside this machine's memory and its own disk
    #[arg(long, value_delimiter = ',', value_name = "MS", default_values_t = [0.25, 1.0, 4.0], value_parser = milliseconds)]
    pub sync_ms: Vec<f64>,
    /// The batch limits
    #[arg(long, value_delimiter = ',', value_name = "K", default_values_t = [1_024, 16_384, 65_536], value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub batches: Vec<u32>,
    /// The rate at which to measure latency, in orders a second
    #[arg(long, default_value_t = 1_000_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub rate: u64,
    /// How often each pair of a disk and a limit runs
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: u32,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub flow: FlowArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs,
}

fn milliseconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.01..=1000.0).contains(number));
    number.ok_or_else(|| "not a number of milliseconds from 0.01 to 1000".into())
}

/// A disk to run on.
struct Disk {
    name: String,
    sync_at_least_ms: f64,
    folder: PathBuf,
}

impl Disk {
    fn flags(&self) -> Vec<String> {
        match self.sync_at_least_ms {
            0.0 => Vec::new(),
            ms => vec!["--sync-ms".into(), ms.to_string()],
        }
    }
}

/// The results of one limit on one disk so far.
#[derive(Clone, Default)]
struct Seen {
    orders_per_s: Vec<f64>,
    orders_per_sync: Vec<f64>,
    achieved_per_s: Vec<f64>,
    percentiles_ns: [Vec<f64>; 4],
}

/// Runs each limit on each disk, interleaved, and prints the results.
///
/// # Errors
/// When the chapter can't be built or run, or the results can't be written.
pub fn run(args: &DisksArgs) -> Result<Verdict, MeasureError> {
    let output = args.output.folder();
    let catalogue = chapters::catalogue()?;
    let chapter = Program::from(chapters::with_batches(&catalogue, args.chapter.as_deref())?);
    args.flow.check()?;
    programs::build(std::slice::from_ref(&chapter))?;

    let memory = memory::folder(ROOM);
    let disks = disks(args, &output.join("disks"), memory.as_ref().ok().map(|memory| memory.path()));
    let pairs: Vec<(&Disk, u32)> =
        disks.iter().flat_map(|disk| args.batches.iter().map(move |&batch| (disk, batch))).collect();
    let bar = progress_bar(pairs.len() as u64 * u64::from(args.rounds));
    let mut seen = vec![Seen::default(); pairs.len()];
    for round in 1..=args.rounds {
        for at in drawn_order(pairs.len()) {
            let (disk, batch) = pairs[at];
            say(&bar, &format!("disk {}: batches of up to {batch}, round {round} of {}", disk.name, args.rounds));
            seen[at].add(&chapter, &measure(args, &chapter, disk, batch)?)?;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();

    let limits: Result<Vec<LimitRecord>, MeasureError> =
        pairs.iter().zip(&seen).map(|(&(_, batch), seen)| seen.sum_up(batch, args.rate)).collect();
    let limits = limits?;
    let disks = disks.iter().zip(limits.chunks(args.batches.len())).map(|(disk, limits)| DiskRecord {
        name: disk.name.clone(),
        sync_at_least_ms: disk.sync_at_least_ms,
        limits: limits.to_vec(),
    });
    let record = DisksRecord {
        machine: machine::describe(&output.join("disks")),
        commit: machine::commit(),
        command: command_line(),
        flow: args.flow.record(None),
        chapter: chapter.name.clone(),
        offered_per_s: args.rate,
        disks: disks.collect(),
    };
    publish(&record, &output)?;
    if let Err(reason) = memory {
        print(format_args!("Memory is left out: {}.\n", reason.en))?;
    }
    Ok(Verdict::Yes)
}

/// The fastest first: memory where there is such a folder, this machine's disk, and that disk slowed down.
fn disks(args: &DisksArgs, folder: &Path, memory: Option<&Path>) -> Vec<Disk> {
    let on = |name: String, sync_at_least_ms, folder: &Path| Disk { name, sync_at_least_ms, folder: folder.into() };
    let memory = memory.map(|memory| on("memory".into(), 0.0, memory));
    let slower = args.sync_ms.iter().map(|&ms| on(format!("{ms}ms"), ms, folder));
    memory.into_iter().chain([on("own".into(), 0.0, folder)]).chain(slower).collect()
}

fn measure(args: &DisksArgs, chapter: &Program, disk: &Disk, batch: u32) -> Result<Figures, MeasureError> {
    let passes = ["--pass", "throughput,latency", "--max-seconds", "1", "--seconds", "1"].map(String::from);
    let limits = ["--batch".into(), batch.to_string(), "--rate".into(), args.rate.to_string()];
    let flow = [args.flow.flags(), args.flow.orders_flags(10_000_000)].concat();
    chapter.measure(&[flow, passes.to_vec(), limits.to_vec(), disk.flags()].concat(), &disk.folder)
}

impl Seen {
    fn add(&mut self, chapter: &Program, figures: &Figures) -> Result<(), MeasureError> {
        let get = |key: &str| figure(figures, key, &chapter.name);
        self.orders_per_s.push(get("throughput_ops")?);
        self.orders_per_sync.push(get("orders")? / get("syncs")?.max(1.0));
        self.achieved_per_s.push(get("latency_achieved_ops")?);
        for (name, rounds) in ["p50", "p99", "p999", "max"].iter().zip(&mut self.percentiles_ns) {
            rounds.push(get(&format!("latency_{name}_ns"))?);
        }
        Ok(())
    }

    fn sum_up(&self, batch: u32, offered_per_s: u64) -> Result<LimitRecord, MeasureError> {
        let spread =
            |rounds: &[f64]| Spread::of(rounds).ok_or_else(|| MeasureError::Unusable("a round gave no number".into()));
        let middle = |at: usize| Ok::<u64, MeasureError>(spread(&self.percentiles_ns[at])?.median as u64);
        Ok(LimitRecord {
            batch,
            orders_per_s: spread(&self.orders_per_s)?,
            orders_per_sync: spread(&self.orders_per_sync)?,
            achieved_per_s: spread(&self.achieved_per_s)?.min,
            latency_ns: Latency {
                offered_per_s: offered_per_s as f64,
                p50: middle(0)?,
                p99: middle(1)?,
                p999: middle(2)?,
                max: middle(3)?,
            },
        })
    }
}

fn publish(record: &DisksRecord, output: &Path) -> Result<(), MeasureError> {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(["disk", "batch up to", "orders/s", "min to max", "orders a sync", "p50", "p99", "p99.9"]);
    for disk in &record.disks {
        for limit in &disk.limits {
            let Spread { median, min, max, .. } = limit.orders_per_s;
            // An engine that can't hold a rate has no latency at it: the longer the run, the longer
            // the latency.
            let held = limit.achieved_per_s >= HELD_SHARE * record.offered_per_s as f64;
            let at = |ns: u64| if held { duration_text(ns as f64, Language::English) } else { "not held".into() };
            table.add_row([
                disk.name.clone(),
                grouped(f64::from(limit.batch)),
                grouped(median),
                format!("{} to {}", grouped(min), grouped(max)),
                grouped(limit.orders_per_sync.median),
                at(limit.latency_ns.p50),
                at(limit.latency_ns.p99),
                at(limit.latency_ns.p999),
            ]);
        }
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let offered = grouped(record.offered_per_s as f64);
    print(format_args!("{}, latencies at {offered} orders a second\n{table}\n", record.chapter))?;
    let path = output.join("disks.json");
    record.save(&path)?;
    print(format_args!("record  {}\n", path.display()))?;
    Ok(())
}
