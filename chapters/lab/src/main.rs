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
    match lab::run::run(&Cli::parse().lab) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
