//! Flags that only some chapters have. A chapter names the group that its engine can use, or defines its own
//! group.

use std::path::Path;
use std::time::Duration;

use market::Options;
use market::log::FRAME_COMMANDS_MAX;

use crate::error::RunError;

/// Flags that only some chapters have.
pub trait Flags: clap::Args + Clone {
    /// Copies the flags into `options`.
    fn set(&self, options: &mut Options);

    /// Does what one of the flags asks for instead of a run, and returns a report of it; `None` if no such flag
    /// is set.
    ///
    /// # Errors
    /// When it can't be done.
    fn instead_of_a_run(&self, _data_dir: Option<&Path>) -> Result<Option<String>, RunError> {
        Ok(None)
    }
}

/// No flags beyond those of every chapter.
#[derive(Clone, Debug, clap::Args)]
pub struct NoFlags {}

impl Flags for NoFlags {
    fn set(&self, _options: &mut Options) {}
}

/// For an engine that gathers commands into batches.
#[derive(Clone, Debug, clap::Args)]
pub struct BatchFlags {
    /// The most commands in a batch
    #[arg(long, value_name = "K", default_value_t = 1_024, value_parser = batch())]
    batch: u32,
    /// How long the first command of a batch waits for others, in microseconds
    #[arg(long, value_name = "US", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    batch_interval_us: u64,
}

impl Flags for BatchFlags {
    fn set(&self, options: &mut Options) {
        options.batch_max = self.batch as usize;
        options.batch_interval = Duration::from_micros(self.batch_interval_us);
    }
}

/// For an engine with threads of its own, whose batches form by themselves while the disk is busy.
#[derive(Clone, Debug, clap::Args)]
pub struct PipelineFlags {
    /// The most commands in a batch
    #[arg(long, value_name = "K", default_value_t = FRAME_COMMANDS_MAX as u32, value_parser = batch())]
    batch: u32,
    /// Let the system decide where threads run
    #[arg(long)]
    no_pin: bool,
}

impl Flags for PipelineFlags {
    fn set(&self, options: &mut Options) {
        options.batch_max = self.batch as usize;
        options.pin_threads = !self.no_pin;
    }
}

fn batch() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=FRAME_COMMANDS_MAX as i64)
}
