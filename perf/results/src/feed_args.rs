//! The arguments of `feed`. 0x09's own program takes these flags, and `perf feed` takes them too, passes them on, and
//! draws the results: so a chapter need not build the code that draws.

use clap::Args;

use crate::handed_on::{command_line, given, shown};
use crate::language::Language;
use crate::output::OutputArgs;

/// How many commands a second are offered by default.
const RATE: u64 = 100_000;

/// How many shards are measured beside one by default.
const SHARDS: u16 = 2;

/// Measures what watching costs, and beside it a channel for each reader.
#[derive(Debug, Clone, Args)]
pub struct FeedArgs {
    /// How many readers, separated by commas [default: 1,10,100,1000,10000, with --quick 1,100]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub readers: Vec<u32>,
    /// How many rounds [default: 5, with --quick 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: Option<u32>,
    /// How many commands a second are offered
    #[arg(long, value_name = "PER_SECOND", default_value_t = RATE, value_parser = clap::value_parser!(u64).range(1_000..=5_000_000))]
    pub rate: u64,
    /// How many shards are measured beside one shard; 1 for none
    #[arg(long, value_name = "N", default_value_t = SHARDS, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub shards: u16,
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

    /// How many shards, case by case.
    pub fn shards(&self) -> Vec<u16> {
        [1].into_iter().chain((self.shards > 1).then_some(self.shards)).collect()
    }

    /// Rounds to run.
    pub fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 1 } else { 5 })
    }

    /// Commands of a pass: a second's worth, or a quarter.
    pub fn commands(&self) -> usize {
        (if self.quick { self.rate / 4 } else { self.rate }) as usize
    }

    /// How many messages all channels of a pass together may hold: each takes memory until it is read.
    pub fn messages_max(&self) -> usize {
        if self.quick { 2_000_000 } else { 20_000_000 }
    }

    /// The command that repeats this run, without this machine's folders.
    pub fn command_line(&self) -> String {
        command_line("feed", &self.load())
    }

    /// The flags that give the same arguments.
    pub fn flags(&self) -> Vec<String> {
        [self.load(), shown(self.lang, &self.output)].concat()
    }

    /// The flags that define the load.
    fn load(&self) -> Vec<String> {
        let listed = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let values = [
            ("--readers", (!self.readers.is_empty()).then(|| listed(&self.readers))),
            ("--rounds", self.rounds.map(|rounds| rounds.to_string())),
            ("--rate", (self.rate != RATE).then(|| self.rate.to_string())),
            ("--shards", (self.shards != SHARDS).then(|| self.shards.to_string())),
        ];
        given(values).into_iter().chain(self.quick.then(|| "--quick".to_string())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        feed: FeedArgs,
    }

    #[test]
    fn flags_say_the_same_again() {
        let said = [
            "--quick",
            "--readers",
            "1,100",
            "--rate",
            "20000",
            "--rounds",
            "2",
            "--shards",
            "4",
            "--lang",
            "zh",
            "--output",
            "x",
        ];
        let args = Cli::try_parse_from(["feed"].iter().chain(&said)).expect("flags").feed;
        let again = Cli::try_parse_from(["feed".to_string()].into_iter().chain(args.flags())).expect("flags").feed;
        assert_eq!(format!("{args:?}"), format!("{again:?}"));
        let line = "cargo run --release -- feed --readers 1,100 --rounds 2 --rate 20000 --shards 4 --quick";
        assert_eq!((again.command_line().as_str(), again.cases()), (line, vec![1, 100]));
    }
}
