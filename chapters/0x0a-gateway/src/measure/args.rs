//! What can be asked of the measurement.

use std::time::Duration;

use clap::Args;
use market_data::engines::Rung;
use results::language::Language;
use results::output::OutputArgs;

/// Engines that are put behind the door in turn.
const ENGINES: [(Rung, &str); 4] =
    [(Rung::Naive, "0x01"), (Rung::GroupCommit, "0x03"), (Rung::ArrayBook, "0x05"), (Rung::Snapshots, "0x08")];

/// Measures how far it is from a client to the disk.
#[derive(Debug, Clone, Args)]
pub struct VenueArgs {
    /// How many rounds [default: 5, with --quick 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: Option<u32>,
    /// How many orders a second are offered where it is measured how late an answer is
    #[arg(long, value_name = "PER_SECOND", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(10..=1_000_000))]
    pub rate: u64,
    /// A first look: shorter, fewer rounds, fewer engines
    #[arg(long)]
    pub quick: bool,
    /// The language of the table
    #[arg(long, value_enum, default_value = "en")]
    pub lang: Language,
    /// Where the record goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl VenueArgs {
    /// Rounds to run.
    pub fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 1 } else { 5 })
    }

    /// How long a pass takes.
    pub fn time(&self) -> Duration {
        Duration::from_secs(if self.quick { 1 } else { 3 })
    }

    /// How long orders are offered where waits are measured.
    pub fn late_time(&self) -> Duration {
        Duration::from_secs(if self.quick { 2 } else { 10 })
    }

    /// The engines that are compared.
    pub fn engines(&self) -> &'static [(Rung, &'static str)] {
        if self.quick { &ENGINES[..1] } else { &ENGINES }
    }

    /// The command that repeats this run, without the folders of this machine.
    pub fn command_line(&self) -> String {
        let mut words = "cargo run --release -- venue".to_owned();
        if let Some(rounds) = self.rounds {
            words += &format!(" --rounds {rounds}");
        }
        if self.rate != 5_000 {
            words += &format!(" --rate {}", self.rate);
        }
        if self.quick {
            words += " --quick";
        }
        words
    }
}
