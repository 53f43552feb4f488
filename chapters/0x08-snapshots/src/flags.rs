//! The flags that shards and snapshots bring.

use std::path::{Path, PathBuf};

use market::{Options, RealDisk};
use runner::{PipelineFlags, RUN_FLAGS, RunError};

use crate::backup::copy;
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
    /// Which part of the log stays: all, or what the snapshots that are kept need
    #[arg(long, value_name = "WHAT", default_value = "all", requires_if("since-snapshot", "snapshots"))]
    keep_log: KeepLog,
    /// Put what no snapshot needs that is kept into DIR, on any disk, and keep it there
    #[arg(long, value_name = "DIR", conflicts_with = "keep_log", requires = "snapshots")]
    archive: Option<PathBuf>,
    /// Write a snapshot of --data-dir, also beside a running engine, and stop
    #[arg(long, requires = "data_dir", group = "snapshots", conflicts_with_all = RUN_FLAGS, conflicts_with = "reshard")]
    snapshot: bool,
    /// Copy --data-dir to DIR, also beside a running engine, try the copy, and stop
    #[arg(long, value_name = "DIR", requires = "data_dir", conflicts_with_all = RUN_FLAGS, conflicts_with_all = OTHER_WORK)]
    backup: Option<PathBuf>,
    /// Copy the backup in DIR to --data-dir, which is not there yet, when the copy was tried, and stop
    #[arg(long, value_name = "DIR", requires = "data_dir", conflicts_with_all = RUN_FLAGS, conflicts_with_all = OTHER_WORK, conflicts_with = "backup")]
    restore: Option<PathBuf>,
}

/// The flags that ask for other work than a copy does.
const OTHER_WORK: [&str; 2] = ["snapshots", "reshard"];

/// Which part of a log stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum KeepLog {
    /// Everything.
    All,
    /// The segments that one of the kept snapshots needs.
    SinceSnapshot,
}

impl Flags {
    fn set_trimming(&self, options: &mut Options) {
        options.trim_log = self.archive.is_some() || self.keep_log == KeepLog::SinceSnapshot;
        options.archive = self.archive.clone();
    }
}

impl runner::Flags for Flags {
    fn set(&self, options: &mut Options) {
        self.pipeline.set(options);
        options.shards = self.shards;
        options.segment_commands = Some(self.segment_commands);
        options.snapshot_every = self.snapshot_every;
        self.set_trimming(options);
    }

    fn instead_of_a_run(&self, data_dir: Option<&Path>) -> Result<Option<String>, RunError> {
        let Some(data_dir) = data_dir else { return Ok(None) };
        let done = if let Some(shards) = self.reshard {
            reshard(&RealDisk, data_dir, shards)?
        } else if let Some(to) = &self.backup {
            copy(&Options::new(data_dir), to)?
        } else if let Some(from) = &self.restore {
            copy(&Options::new(from), data_dir)?
        } else if self.snapshot {
            let mut options = Options::new(data_dir);
            self.set_trimming(&mut options);
            snapshot(&options)?
        } else {
            return Ok(None);
        };
        Ok(Some(done))
    }
}
