//! The flags of a chapter's program.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use crate::chapter::{Chapter, measures};
use crate::error::RunError;
use crate::flags::Flags;
use crate::slow_disk::SlowDisk;
use market::csv;
use market::flow::{self, FlowName};
use market::{Command, Options, Sequence};

/// What is measured, each in its own run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Pass {
    /// Commands a second, with no instrumentation.
    Throughput,
    /// Where the time goes, stage by stage.
    Breakdown,
    /// From a command's intended arrival to its durable acknowledgement.
    Latency,
}

/// The commands of a run.
pub struct Input {
    /// The flow's name, or the file's.
    pub name: String,
    /// The seed that the flow was generated from.
    pub seed: Option<u64>,
    /// The commands that run before the clock starts.
    pub setup: Vec<Command>,
    /// The commands that are measured.
    pub body: Vec<Command>,
}

/// The flags that say what to run and how. A chapter's own flag that does something else instead conflicts with
/// them.
pub const RUN_FLAGS: [&str; 12] = [
    "flow",
    "input",
    "orders",
    "seed",
    "sync_ms",
    "accept_loss",
    "baseline",
    "pass",
    "rate",
    "seconds",
    "max_seconds",
    "events",
];

/// The flags.
#[derive(Clone, Debug, clap::Parser)]
pub struct Args<F: Flags> {
    /// The flow: classic (one market, no cancels), venue (64 markets, everything), burst (nine tenths in one market)
    #[arg(long, default_value = "classic", value_name = "NAME")]
    pub flow: FlowName,
    /// Read the commands from a CSV file instead
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["flow", "orders", "seed"])]
    pub input: Option<PathBuf>,
    /// How many commands the flow has after its set-up [default: about a second's worth]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200_000_000))]
    pub orders: Option<u32>,
    /// The seed of the flow: the same seed gives the same commands on every machine
    #[arg(long, default_value_t = flow::DEFAULT_SEED, value_name = "N")]
    pub seed: u64,
    /// Make each sync take at least this many milliseconds: how would the engine do on a slower
    /// disk?
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    pub sync_ms: Option<f64>,
    /// Keep the log in this folder, so that the next run recovers it [default: a fresh folder, removed at
    /// the end]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Continue although commands are missing that were once on disk: the last command that the log still
    /// has. It applies to every shard whose log ends with it
    #[arg(long, value_name = "SEQUENCE", value_delimiter = ',', requires = "data_dir")]
    pub accept_loss: Vec<u64>,
    /// Store this run as the baseline for comparing later runs
    #[arg(long)]
    pub baseline: bool,
    /// The chapter's own flags.
    #[command(flatten)]
    pub own: F,
    /// Run only these passes, separated by commas [default: all that the chapter has]
    #[arg(long, value_name = "PASS", value_delimiter = ',')]
    pub pass: Vec<Pass>,
    /// The latency pass offers this many commands a second [default: half of the throughput]
    #[arg(long, value_name = "PER_SECOND", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub rate: Option<u64>,
    /// The latency pass takes about this long [default: 1]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Stop the throughput and breakdown passes after this time, and report how far they got
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0, value_parser = seconds)]
    pub max_seconds: f64,
    /// Write every acknowledgement with its events to FILE, and measure nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["pass", "rate", "seconds", "max_seconds", "baseline"])]
    pub events: Option<PathBuf>,
    /// Where to write figures.txt and summary.txt [default: output/0xNN of the repository]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    number_in(text, 0.01..=3600.0).ok_or_else(|| "not a number of seconds from 0.01 to 3600".into())
}

fn milliseconds(text: &str) -> Result<f64, String> {
    number_in(text, 0.01..=1000.0).ok_or_else(|| "not a number of milliseconds from 0.01 to 1000".into())
}

fn number_in(text: &str, range: RangeInclusive<f64>) -> Option<f64> {
    text.parse().ok().filter(|number| range.contains(number))
}

impl<F: Flags> Args<F> {
    /// The passes to run, in their order.
    ///
    /// # Errors
    /// A pass that the chapter does not have, or a flag for a pass that is not run: a flag without an effect
    /// would mislead.
    pub(crate) fn passes<C: Chapter>(&self) -> Result<Vec<Pass>, RunError> {
        let refuse = |words: String| Err(RunError::Usage(words));
        let passes = match (&self.pass[..], measures::<C>()) {
            ([], true) => vec![Pass::Throughput, Pass::Breakdown, Pass::Latency],
            ([], false) => vec![Pass::Throughput],
            (asked, _) => asked.to_vec(),
        };
        if passes.contains(&Pass::Breakdown) && !measures::<C>() {
            return refuse(format!("{} does not measure stages, so it has no breakdown: leave that pass out", C::NAME));
        }
        if !passes.contains(&Pass::Latency) && (self.rate.is_some() || self.seconds.is_some()) {
            return refuse(
                "--rate and --seconds are for the latency pass, which is not run: add --pass latency".into(),
            );
        }
        let measures_time = passes.iter().any(|pass| *pass != Pass::Latency);
        if !measures_time && self.baseline {
            return refuse("--baseline stores a throughput, which is not measured: add --pass throughput".into());
        }
        Ok(passes)
    }

    /// How long the latency pass takes, in seconds.
    pub(crate) fn latency_seconds(&self) -> f64 {
        self.seconds.unwrap_or(1.0)
    }

    /// The disk for a run.
    pub(crate) fn disk(&self) -> SlowDisk {
        SlowDisk::new(Duration::from_secs_f64(self.sync_ms.unwrap_or_default() / 1e3))
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
    pub(crate) fn options(&self, data_dir: PathBuf, commands: usize) -> Options {
        let accept_loss = self.accept_loss.iter().map(|&last| Sequence(last)).collect();
        let mut options = Options { reserve_commands: commands, accept_loss, ..Options::new(data_dir) };
        self.own.set(&mut options);
        options
    }
}
