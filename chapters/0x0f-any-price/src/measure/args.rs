//! The command line.

use std::path::PathBuf;

use clap::Parser;
use results::language::Language;
use results::output::OutputArgs;

/// Measures books for any price: runs all engines over all flows, in turn, and compares their events.
#[derive(Debug, Clone, Parser)]
pub struct Args {
    /// Only these flows: calm, trend, crash, wide, deep, hostile, still, walk-2, walk-25, walk-40, flash, scattered
    /// [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub flow: Vec<String>,
    /// Only these engines: ladder, tree, vectors [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub engine: Vec<String>,
    /// A flow of your own as CSV; src/orders_csv.rs describes the columns
    #[arg(long, value_name = "FILE", conflicts_with_all = ["flow", "commands", "seed", "plain"])]
    pub input: Option<PathBuf>,
    /// How many commands to measure per flow [default: 1000000, with --quick 100000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub commands: Option<u32>,
    /// How many rounds [default: 9, with --quick 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub rounds: Option<u32>,
    /// The seed of the flows
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// A first look: fewer commands, fewer rounds, and no count of cache lines
    #[arg(long)]
    pub quick: bool,
    /// The language of the tables
    #[arg(long, value_enum, default_value = "en")]
    pub lang: Language,
    #[command(flatten)]
    /// Where to write the record.
    pub output: OutputArgs,
    /// Leave out what other libraries do not support: fill-or-kill orders, and smaller quantities that keep their place
    #[arg(long)]
    pub plain: bool,
    /// Run the ladder once over this flow and print nothing, for valgrind to count
    #[arg(long, hide = true, value_name = "FLOW")]
    pub replay: Option<String>,
}

impl Args {
    /// Commands to measure.
    pub fn commands(&self) -> usize {
        self.commands.unwrap_or(if self.quick { 100_000 } else { 1_000_000 }) as usize
    }

    /// Rounds to run.
    pub fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 3 } else { 9 })
    }

    /// The command that repeats this run, without the paths of this machine.
    pub fn command_line(&self, program: &str) -> String {
        let mut words = vec![program.to_owned()];
        let mut list = |flag: &str, names: &[String]| {
            if !names.is_empty() {
                words.push(format!("--{flag} {}", names.join(",")));
            }
        };
        list("flow", &self.flow);
        list("engine", &self.engine);
        list("commands", &self.commands.map(|n| n.to_string()).into_iter().collect::<Vec<_>>());
        list("rounds", &self.rounds.map(|n| n.to_string()).into_iter().collect::<Vec<_>>());
        if self.seed != 1 {
            words.push(format!("--seed {}", self.seed));
        }
        if self.plain {
            words.push("--plain".into());
        }
        if self.quick {
            words.push("--quick".into());
        }
        if let Some(name) = self.input.as_deref().and_then(|path| path.file_name()) {
            words.push(format!("--input {}", name.to_string_lossy()));
        }
        if words.len() > 1 {
            words.insert(1, "--".into());
        }
        words.join(" ")
    }
}
