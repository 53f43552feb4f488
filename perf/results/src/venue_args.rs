//! The arguments of `venue`. 0x0a's own program takes these flags, and `perf venue` takes them too, passes them on,
//! and draws the results: so a chapter need not build the code that draws.

use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::handed_on::{command_line, given, shown};
use crate::language::Language;
use crate::output::OutputArgs;

/// How many orders a second are offered by default.
const RATE: u64 = 5_000;

/// The second offered rate, in orders a second: how late is an answer under high load?
pub const HIGH_RATE: u64 = 20_000;

/// A part of the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Orders a second by protocol, beside the bare server
    Throughput,
    /// From due to durable answer at a given rate
    Late,
    /// An honest client beside attackers
    Beside,
    /// Engines of the ladder behind the same door
    Engines,
    /// Many connections that watch
    Connections,
    /// Ten million orders in a minute
    Sustained,
    /// Few accounts and many
    Accounts,
    /// A hundred notices, sent in several ways
    Notices,
}

/// Measures how far it is from a client to the disk.
#[derive(Debug, Clone, Args)]
pub struct VenueArgs {
    /// How many rounds [default: 5, with --quick 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: Option<u32>,
    /// How many orders a second are offered when the delay of answers is measured
    #[arg(long, value_name = "PER_SECOND", default_value_t = RATE, value_parser = clap::value_parser!(u64).range(10..=1_000_000))]
    pub rate: u64,
    /// Only one part; its record is venue-PART.json
    #[arg(long, value_name = "PART", value_enum)]
    pub only: Option<Part>,
    /// A first look: shorter, fewer rounds, fewer engines, connections and accounts
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
    /// What is measured, in this order.
    pub fn parts(&self) -> &[Part] {
        self.only.as_ref().map_or(Part::value_variants(), std::slice::from_ref)
    }

    /// The record's name in the output folder.
    pub fn file(&self) -> String {
        self.only.map_or("venue.json".into(), |part| format!("venue-{}.json", part.name()))
    }

    /// Rounds to run.
    pub fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 1 } else { 5 })
    }

    /// How long a pass takes.
    pub fn time(&self) -> Duration {
        Duration::from_millis(if self.quick { 500 } else { 3_000 })
    }

    /// How long orders are offered in each round where waits are measured.
    pub fn late_pass(&self) -> Duration {
        Duration::from_secs(if self.quick { 1 } else { 5 })
    }

    /// How long orders are offered where an honest client is attacked.
    pub fn late_time(&self) -> Duration {
        Duration::from_secs(if self.quick { 2 } else { 10 })
    }

    /// How many connections watch, case by case.
    pub fn connections(&self) -> &'static [usize] {
        if self.quick { &[100] } else { &[100, 1_000, 12_000] }
    }

    /// How many accounts trade in turn, case by case.
    pub fn accounts(&self) -> &'static [usize] {
        if self.quick { &[100, 1_000] } else { &[100, 1_000, 10_000, 50_000] }
    }

    /// How long orders come at a high rate, and how long a window is.
    pub fn sustained(&self) -> (Duration, Duration) {
        let (time, window) = if self.quick { (2, 1) } else { (60, 10) };
        (Duration::from_secs(time), Duration::from_secs(window))
    }

    /// How often a hundred notices are sent, in each way.
    pub fn notices(&self) -> u64 {
        if self.quick { 20 } else { 500 }
    }

    /// The command that repeats this run, without this machine's folders.
    pub fn command_line(&self) -> String {
        command_line("venue", &self.load())
    }

    /// The flags that give the same arguments.
    pub fn flags(&self) -> Vec<String> {
        [self.load(), shown(self.lang, &self.output)].concat()
    }

    /// The flags that define the load.
    fn load(&self) -> Vec<String> {
        let values = [
            ("--rounds", self.rounds.map(|rounds| rounds.to_string())),
            ("--rate", (self.rate != RATE).then(|| self.rate.to_string())),
            ("--only", self.only.map(Part::name)),
        ];
        given(values).into_iter().chain(self.quick.then(|| "--quick".to_string())).collect()
    }
}

impl Part {
    /// Its name on the command line.
    fn name(self) -> String {
        self.to_possible_value().map_or(String::new(), |value| value.get_name().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        venue: VenueArgs,
    }

    #[test]
    fn flags_say_the_same_again() {
        let said = ["--quick", "--rate", "200", "--rounds", "2", "--only", "late", "--lang", "zh", "--output", "x"];
        let args = Cli::try_parse_from(["venue"].iter().chain(&said)).expect("flags").venue;
        let again = Cli::try_parse_from(["venue".to_string()].into_iter().chain(args.flags())).expect("flags").venue;
        assert_eq!(format!("{args:?}"), format!("{again:?}"));
        let line = "cargo run --release -- venue --rounds 2 --rate 200 --only late --quick";
        assert_eq!((again.command_line().as_str(), again.parts()), (line, &[Part::Late][..]));
        assert_eq!(again.file(), "venue-late.json");
    }

    #[test]
    fn all_parts_are_measured_by_default() {
        let args = Cli::try_parse_from(["venue"]).expect("flags").venue;
        assert_eq!((args.parts().len(), args.file().as_str()), (Part::value_variants().len(), "venue.json"));
    }
}
