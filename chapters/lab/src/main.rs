//! The lab's program. `cargo run --release -- lab` at the root builds and starts it.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;
use results::lab_args::LabArgs;

/// What did not help, and by how much.
#[derive(Parser)]
#[command(name = "lab")]
struct Cli {
    #[command(flatten)]
    lab: LabArgs,
}

fn main() -> ExitCode {
    program::run(|cli: Cli| lab::run::run(&cli.lab))
}
