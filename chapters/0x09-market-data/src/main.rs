//! This chapter's program: `cargo run --release` here.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use market_data::live::args::LiveArgs;
use market_data::{live, measure};
use results::feed_args::FeedArgs;

/// Market data: an engine, its feed, and readers that can fall behind without losing anything they need.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Args {
    #[command(flatten)]
    live: LiveArgs,
    #[command(subcommand)]
    instead: Option<Instead>,
}

#[derive(Debug, Subcommand)]
enum Instead {
    /// Measures the cost of watching for various numbers of readers, and writes output/feed.json; `perf feed` also
    /// draws it
    Feed(FeedArgs),
}

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(Args { instead: Some(Instead::Feed(args)), .. }) => program::end(measure::run(&args)),
        Ok(Args { live, .. }) => program::end(live::run(&live)),
        Err(error) => program::refuse(&error),
    }
}
