//! The flags that shards and snapshots bring.

use std::path::Path;

use market::{Options, RealDisk};
use runner::{PipelineFlags, RUN_FLAGS, RunError};

use crate::once::snapshot;
use crate::reshard::reshard;

/// Those of a pipeline, how many there are, and what is kept of their logs.
#[derive(Clone, Debug, clap::Args)]
pub struct Flags {
    #[command(flatten)]
    pipeline: PipelineFlags,
    /// How many shards the markets are divided among
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    shards: u16,
    /// Rewrite --data-dir for another number of shards, and stop
    #[arg(long, value_name = "N", requires = "data_dir", conflicts_with_all = RUN_FLAGS, value_parser = clap::value_parser!(u16).range(1..=256))]
    reshard: Option<u16>,
    /// How many commands a segment of the log takes before the next is begun
    #[arg(long, value_name = "N", default_value_t = 16_777_216, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    segment_commands: u64,
    /// Let a shadow write a snapshot whenever so many commands were logged [default: no snapshots]
    #[arg(long, value_name = "N", group = "snapshots", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    snapshot_every: Option<u64>,
    /// Which part of the log stays: all, or what the last two snapshots need
    #[arg(long, value_name = "WHAT", default_value = "all", requires_if("since-snapshot", "snapshots"))]
    keep_log: KeepLog,
    /// Write a snapshot of --data-dir, also beside a running engine, and stop
    #[arg(long, requires = "data_dir", group = "snapshots", conflicts_with_all = RUN_FLAGS, conflicts_with = "reshard")]
    snapshot: bool,
}

/// Which part of a log stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum KeepLog {
    /// Everything.
    All,
    /// The segments that one of the last two snapshots needs.
    SinceSnapshot,
}

impl runner::Flags for Flags {
    fn set(&self, options: &mut Options) {
        self.pipeline.set(options);
        options.shards = self.shards;
        options.segment_commands = Some(self.segment_commands);
        options.snapshot_every = self.snapshot_every;
        options.trim_log = self.keep_log == KeepLog::SinceSnapshot;
    }

    fn instead_of_a_run(&self, data_dir: Option<&Path>) -> Result<Option<String>, RunError> {
        match (data_dir, self.reshard) {
            (Some(data_dir), Some(shards)) => Ok(Some(reshard(&RealDisk, data_dir, shards)?)),
            (Some(data_dir), None) if self.snapshot => {
                let trim_log = self.keep_log == KeepLog::SinceSnapshot;
                Ok(Some(snapshot(&Options { trim_log, ..Options::new(data_dir) })?))
            }
            _ => Ok(None),
        }
    }
}
