//! What can be asked of the measurement.

use clap::Args;
use results::language::Language;
use results::output::OutputArgs;

/// Measures what watching costs, and beside it a channel for each reader.
#[derive(Debug, Clone, Args)]
pub struct FeedArgs {
    /// How many readers, with commas between them [default: 1,10,100,1000,10000, with --quick 1,100]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub readers: Vec<u32>,
    /// How many rounds [default: 5, with --quick 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: Option<u32>,
    /// How many commands a second are offered
    #[arg(long, value_name = "PER_SECOND", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1_000..=5_000_000))]
    pub rate: u64,
    /// A first look: shorter, fewer readers, fewer rounds
    #[arg(long)]
    pub quick: bool,
    /// The language of the table
    #[arg(long, value_enum, default_value = "en")]
    pub lang: Language,
    /// Where the record goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl FeedArgs {
    /// How many readers, case by case.
    pub fn cases(&self) -> Vec<usize> {
        let usual: &[u32] = if self.quick { &[1, 100] } else { &[1, 10, 100, 1_000, 10_000] };
        let asked = if self.readers.is_empty() { usual } else { &self.readers };
        asked.iter().map(|&readers| readers as usize).collect()
    }

    /// Rounds to run.
    pub fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 1 } else { 5 })
    }

    /// Commands of a pass: a second's worth, or a quarter.
    pub fn commands(&self) -> usize {
        (if self.quick { self.rate / 4 } else { self.rate }) as usize
    }

    /// How many messages all channels of a pass together may carry: each takes memory until it is read.
    pub fn messages_max(&self) -> usize {
        if self.quick { 2_000_000 } else { 20_000_000 }
    }

    /// The command that repeats this run, without the folders of this machine.
    pub fn command_line(&self) -> String {
        let mut words = "cargo run --release -- feed".to_owned();
        if !self.readers.is_empty() {
            let readers: Vec<String> = self.readers.iter().map(u32::to_string).collect();
            words += &format!(" --readers {}", readers.join(","));
        }
        if let Some(rounds) = self.rounds {
            words += &format!(" --rounds {rounds}");
        }
        if self.rate != 100_000 {
            words += &format!(" --rate {}", self.rate);
        }
        if self.quick {
            words += " --quick";
        }
        words
    }
}
