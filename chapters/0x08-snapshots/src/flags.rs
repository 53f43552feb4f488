//! The flags that shards and snapshots add.

use std::path::Path;

use market::Options;
use runner::{PipelineFlags, RunError};

use crate::shadow::Shadow;

/// Those of a pipeline, the number of shards, and how long their logs are kept.
#[derive(Clone, Debug, clap::Args)]
pub struct Flags {
    #[command(flatten)]
    pipeline: PipelineFlags,
    /// How many shards the markets are divided among
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    shards: u16,
    /// How many commands a segment of the log takes before the next is begun
    #[arg(long, value_name = "N", default_value_t = 16_777_216, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    segment_commands: u64,
    /// Let a shadow write a snapshot after every N commands [default: no snapshots]
    #[arg(long, value_name = "N", group = "snapshots", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    snapshot_every: Option<u64>,
    #[command(flatten)]
    keeping: keeping::flags::Flags,
}

impl runner::Flags for Flags {
    fn set(&self, options: &mut Options) {
        self.pipeline.set(options);
        options.shards = self.shards;
        options.segment_commands = Some(self.segment_commands);
        options.snapshot_every = self.snapshot_every;
        self.keeping.set(options);
    }

    fn instead_of_a_run(&self, data_dir: Option<&Path>) -> Result<Option<String>, RunError> {
        self.keeping.instead_of_a_run::<Shadow>(data_dir)
    }
}
