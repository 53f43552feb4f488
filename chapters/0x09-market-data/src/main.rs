//! This chapter's program: `cargo run --release` here.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;
use market_data::live::{self, args::LiveArgs};

/// Market data: an engine, its feed, and readers that can fall behind without losing anything they need.
#[derive(Debug, Parser)]
struct Args {
    #[command(flatten)]
    live: LiveArgs,
}

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(Args { live }) => program::end(live::run(&live)),
        Err(error) => program::refuse(&error),
    }
}
