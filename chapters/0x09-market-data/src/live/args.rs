//! The command line.

use std::path::PathBuf;

use market::flow::{DEFAULT_SEED, FlowName};

use crate::engines::Rung;
use crate::live::error::LiveError;

/// The most commands of a run: 24 bytes each.
const COMMANDS_MAX: u64 = 50_000_000;

/// Shows one market's book while an engine runs, its feed follows and readers read.
#[derive(Debug, Clone, clap::Args)]
pub struct LiveArgs {
    /// The engine behind the feed
    #[arg(long, value_name = "CHAPTER", value_enum, default_value = "0x08")]
    pub engine: Rung,
    /// The flow: classic (one market, no cancels), venue (64 markets, everything), burst (nine tenths in one market)
    #[arg(long, value_name = "NAME", default_value = "venue")]
    pub flow: FlowName,
    /// The seed of the flow
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    /// How long to run
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    pub seconds: f64,
    /// How many commands to offer per second
    #[arg(long, value_name = "PER_SECOND", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub rate: u64,
    /// How many readers watch the market
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub readers: u32,
    /// The market to watch [default: the one with the most orders]
    #[arg(long, value_name = "ID")]
    pub market: Option<u32>,
    /// How many shards the engine has; 0x07 and 0x08 can have several
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub shards: u16,
    /// Keep the log in this folder; the next run recovers from it [default: a temporary folder, removed at the end]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
}

impl LiveArgs {
    /// How many commands the run offers.
    ///
    /// # Errors
    /// If they are more than a run may have.
    pub fn commands(&self) -> Result<usize, LiveError> {
        let LiveArgs { rate, seconds, .. } = self;
        let commands = (*rate as f64 * seconds) as u64;
        if commands > COMMANDS_MAX {
            return Err(LiveError::Usage(format!(
                "{rate} commands per second for {seconds} s are {commands}, and a run has at most {COMMANDS_MAX}: \
                 choose a smaller --rate or fewer --seconds"
            )));
        }
        Ok(commands.max(1) as usize)
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.1..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("not a number of seconds from 0.1 to 3600".into()),
    }
}
