//! `cargo run --release` at the root runs the ladder. Subcommands do the rest.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use numbers::NumbersArgs;
use perf::compare::{self, CompareArgs};
use perf::disks::{self, DisksArgs};
use perf::exercise::{self, ExerciseArgs, chinese_help};
use perf::feed;
use perf::flame::{self, FlameArgs};
use perf::generate::{self, GenerateArgs};
use perf::guard::{self, GuardArgs};
use perf::history_of_figures;
use perf::lab;
use perf::ladder::{self, LadderArgs};
use perf::latency::{self, LatencyArgs};
use perf::mutants::{self, MutantsArgs};
use perf::race::{self, RaceArgs};
use perf::recover::{self, RecoverArgs};
use perf::scale::{self, ScaleArgs};
use perf::sweep::{self, SweepArgs};
use perf::venue;
use perf::verify::{self, VerifyArgs};
use results::feed_args::FeedArgs;
use results::lab_args::LabArgs;
use results::venue_args::VenueArgs;

/// Ninety-Nine Cents: builds the chapters, runs each on the same flow, and prints what every step gained.
#[derive(Parser)]
#[command(name = "perf", args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Verb>,
    #[command(flatten)]
    ladder: LadderArgs,
}

#[derive(Subcommand)]
enum Verb {
    /// Run every chapter, interleaved, and print what each step gained (the default)
    Ladder(LadderArgs),
    /// Compare two runs, or a run with a baseline; exits with 1 on a regression
    Compare(CompareArgs),
    /// Did my change make it slower? Runs two trees in pairs, and judges their ratios; exits with 1 when it
    /// did
    Race(RaceArgs),
    /// Offer a chapter a fixed rate and print the latency to the durable acknowledgement
    Latency(LatencyArgs),
    /// Run every chapter over a flow and compare their events byte for byte
    Verify(VerifyArgs),
    /// Draw where a chapter's cores are busy, as a flame graph in output; needs Linux's perf
    Flame(FlameArgs),
    /// Write a flow as CSV
    Generate(GenerateArgs),
    /// Count instructions, compare them with the committed counts, check the ratios between chapters
    Guard(GuardArgs),
    /// Lay out a chapter as an exercise, or check what was written
    Exercise(ExerciseArgs),
    /// Leave out each change of a chapter in turn, and see whether its tests detect it
    Mutants(MutantsArgs),
    /// The latency numbers worth memorizing, measured on this machine
    Numbers(NumbersArgs),
    /// Throughput against latency by batch size
    Sweep(SweepArgs),
    /// What a slower disk would do: throughput and latency by how long a sync takes
    Disks(DisksArgs),
    /// Throughput by number of shards
    Scale(ScaleArgs),
    /// Start-up time by the log's length, and what a snapshot costs while it is made
    Recover(RecoverArgs),
    /// What watching costs for any number of readers, compared with a channel for each: 0x09
    /// measures it
    Feed(FeedArgs),
    /// The path from a client to the disk, by protocol, engine and number of connections: 0x0a measures it
    Venue(VenueArgs),
    /// What did not help, and by how much: run the experiments of `chapters/lab`
    Lab(LabArgs),
    /// Read from git how the ladder's reference record has changed; nothing is measured
    HistoryOfFigures,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(help) = chinese_help::asked_for(&arguments) {
        let printed = program::print(format_args!("{help}"));
        return program::end(printed.map(|()| program::Verdict::Yes));
    }
    program::run(|cli: Cli| match cli.command {
        None => ladder::run(&cli.ladder),
        Some(Verb::Ladder(args)) => ladder::run(&args),
        Some(Verb::Compare(args)) => compare::run(&args),
        Some(Verb::Race(args)) => race::run(&args),
        Some(Verb::Latency(args)) => latency::run(&args),
        Some(Verb::Verify(args)) => verify::run(&args),
        Some(Verb::Flame(args)) => flame::run(&args),
        Some(Verb::Generate(args)) => generate::run(&args),
        Some(Verb::Guard(args)) => guard::run(&args),
        Some(Verb::Exercise(args)) => exercise::run(&args),
        Some(Verb::Mutants(args)) => mutants::run(&args),
        Some(Verb::Numbers(args)) => numbers::run(&args),
        Some(Verb::Sweep(args)) => sweep::run(&args),
        Some(Verb::Disks(args)) => disks::run(&args),
        Some(Verb::Scale(args)) => scale::run(&args),
        Some(Verb::Recover(args)) => recover::run(&args),
        Some(Verb::Feed(args)) => feed::run(&args),
        Some(Verb::Venue(args)) => venue::run(&args),
        Some(Verb::Lab(args)) => lab::run(&args),
        Some(Verb::HistoryOfFigures) => history_of_figures::run(),
    })
}
