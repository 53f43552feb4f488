//! The flags of a chapter's program.

use std::path::PathBuf;
use std::time::Duration;

use crate::{Chapter, RunError};
use market::csv;
use market::flow::{self, FlowName};
use market::log::FRAME_COMMANDS_MAX;
use market::{Command, Options};

/// What is measured in a run of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Pass {
    /// Commands a second, with no instrumentation.
    Throughput,
    /// Where the time goes, from 0x02.
    Breakdown,
    /// From a command's intended arrival to its durable acknowledgement.
    Latency,
}

/// The commands of a run.
pub struct Input {
    /// The flow's name, or the file's.
    pub name: String,
    /// What the flow was generated from.
    pub seed: Option<u64>,
    /// What must be there before the clock starts.
    pub setup: Vec<Command>,
    /// What is measured.
    pub body: Vec<Command>,
}

/// The flags.
#[derive(Clone, Debug, clap::Parser)]
pub struct Args {
    /// The flow: classic (one market, no cancels), venue (64 markets, everything), burst (nine tenths in one market)
    #[arg(long, default_value = "classic", value_name = "NAME")]
    pub flow: FlowName,
    /// Read the commands from a CSV file instead
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["flow", "orders", "seed"])]
    pub input: Option<PathBuf>,
    /// How many commands the flow has after its set-up [default: about a second's worth]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200_000_000))]
    pub orders: Option<u32>,
    /// What the flow is generated from: the same seed gives the same bytes on every machine
    #[arg(long, default_value_t = flow::DEFAULT_SEED, value_name = "N")]
    pub seed: u64,
    /// Keep the log in this folder: run again and it recovers [default: a fresh folder, removed at the end]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Store this run as the baseline to compare later ones with
    #[arg(long)]
    pub baseline: bool,
    /// From 0x03: the most commands in a batch
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=FRAME_COMMANDS_MAX as i64))]
    pub batch: Option<u32>,
    /// From 0x03: how long the first command of a batch waits for others, in microseconds
    #[arg(long, value_name = "US", value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    pub batch_interval_us: Option<u64>,
    /// From 0x06: leave it to the system where threads run
    #[arg(long)]
    pub no_pin: bool,
    /// From 0x07: how many shards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub shards: Option<u16>,
    /// From 0x07: rewrite --data-dir for another number of shards, and stop
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub reshard: Option<u16>,
    /// Run only these passes
    #[arg(long, value_name = "PASS", value_delimiter = ',')]
    pub pass: Vec<Pass>,
    /// The latency pass offers this many commands a second [default: half of the throughput]
    #[arg(long, value_name = "PER_SECOND", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub rate: Option<u64>,
    /// The latency pass takes about this long
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    pub seconds: f64,
    /// Stop the throughput and breakdown passes after this time, and say how far they came
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0, value_parser = seconds)]
    pub max_seconds: f64,
    /// Write every acknowledgement with its events to FILE, and measure nothing
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// Where to write t2_perf.txt and t2_summary.txt [default: output/0xNN of the repository]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.01..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("not a number of seconds from 0.01 to 3600".into()),
    }
}

impl Args {
    /// Refuses flags that the chapter has no use for: a flag without an effect misleads.
    pub(crate) fn check<C: Chapter>(&self) -> Result<(), RunError> {
        let refuse =
            |what: &str, from: &str| Err(RunError::Usage(format!("{} has no {what}: they come in {from}", C::NAME)));
        if C::BATCH.is_none() && (self.batch.is_some() || self.batch_interval_us.is_some()) {
            return refuse("batches", "0x03");
        }
        if !C::SHARDS && (self.shards.is_some() || self.reshard.is_some()) {
            return refuse("shards", "0x07");
        }
        Ok(())
    }

    /// The passes to run, in their order.
    pub(crate) fn passes<C: Chapter>(&self) -> Vec<Pass> {
        if !self.pass.is_empty() {
            return self.pass.clone();
        }
        if crate::measures::<C>() {
            vec![Pass::Throughput, Pass::Breakdown, Pass::Latency]
        } else {
            vec![Pass::Throughput]
        }
    }

    /// The commands that the flags name.
    pub(crate) fn input<C: Chapter>(&self) -> Result<Input, RunError> {
        if let Some(path) = &self.input {
            let name = path.file_name().map_or("input".into(), |name| name.to_string_lossy().into_owned());
            return Ok(Input { name, seed: None, setup: Vec::new(), body: csv::read(path)? });
        }
        let orders = self.orders.map_or(C::ORDERS, |orders| orders as usize);
        let flow = flow::generate(self.flow, orders, self.seed);
        Ok(Input { name: self.flow.to_string(), seed: Some(self.seed), setup: flow.setup, body: flow.body })
    }

    /// How to open the engine in `data_dir` for a flow of `commands` commands.
    pub(crate) fn options<C: Chapter>(&self, data_dir: PathBuf, commands: usize) -> Options {
        let mut options = Options::new(data_dir);
        options.pin_threads = !self.no_pin;
        if let Some(batch) = self.batch.map(|batch| batch as usize).or(C::BATCH) {
            options.batch_max = batch;
        }
        if let Some(microseconds) = self.batch_interval_us {
            options.batch_interval = Duration::from_micros(microseconds);
        }
        if let Some(shards) = self.shards {
            options.shards = shards;
        }
        options.reserve_commands = commands;
        options
    }
}
