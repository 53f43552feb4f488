//! The program that `recover` runs: each start and each run is a separate process, so its memory and time can be
//! measured. `cargo run --release -- recover` builds and runs it; it has no other use.
//!
//! ```text
//! recovered lay    makes a log of a given number of commands, with a snapshot some commands before its end
//! recovered start  starts an engine on it, and sends one command
//! recovered state  loads the newest snapshot, and writes it again
//! recovered offer  offers orders at a rate, while snapshots are made in one way or another, or not
//! ```
//!
//! It writes its results to `figures.txt`, one `key=value` line each.
#![forbid(unsafe_code)]

mod figures;
mod lay;
mod offer;
mod start;
mod state;
mod stopped;
mod system;
mod year;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use program::Verdict;

#[derive(Parser)]
#[command(name = "recovered")]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
    /// The folder for figures.txt
    #[arg(long, global = true, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// Accepted and ignored: it never prints
    #[arg(long, global = true)]
    quiet: bool,
}

#[derive(Subcommand)]
enum Verb {
    /// Make a log of a given number of commands, with a snapshot some commands before its end
    Lay(lay::LayArgs),
    /// Start an engine, and send one command
    Start(start::StartArgs),
    /// Load the newest snapshot, and write it again
    State(state::StateArgs),
    /// Offer orders at a rate while snapshots are made, or not
    Offer(offer::OfferArgs),
}

fn main() -> ExitCode {
    program::run(|cli: Cli| {
        let figures = match &cli.verb {
            Verb::Lay(args) => lay::run(args)?,
            Verb::Start(args) => start::run(args)?,
            Verb::State(args) => state::run(args)?,
            Verb::Offer(args) => offer::run(args)?,
        };
        figures.write(&cli.output).map(|()| Verdict::Yes)
    })
}
