//! The flags for shards.

use std::path::Path;

use market::{Options, RealDisk};
use runner::{PipelineFlags, RUN_FLAGS, RunError};

use crate::reshard::reshard;

/// The flags of a pipeline, and the number of shards.
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
}

impl runner::Flags for Flags {
    fn set(&self, options: &mut Options) {
        self.pipeline.set(options);
        options.shards = self.shards;
    }

    fn instead_of_a_run(&self, data_dir: Option<&Path>) -> Result<Option<String>, RunError> {
        let (Some(shards), Some(data_dir)) = (self.reshard, data_dir) else { return Ok(None) };
        Ok(Some(reshard(&RealDisk, data_dir, shards)?))
    }
}
