//! This chapter's program: `cargo run --release` here.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use exactly_once::once::Once;
use gateway::args::Args;
use gateway::bot::{self, BotArgs};
use gateway::error::VenueError;
use gateway::serve;
use history::args::{AtArgs, FollowArgs, HistoryArgs};
use history::history::History;
use history::{at, follow};
use load::open_loop::{self, LoadArgs};
use program::Verdict;
use whole_path::args::PathArgs;
use whole_path::layer::WholePath;

/// Answers are built on one thread and sent on others, so memory is freed by threads that did not allocate it, as in 0x0a.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The venue so far, and its history: trades, orders, money and prices of all days
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Program {
    #[command(flatten)]
    serve: Args,
    #[command(flatten)]
    path: PathArgs,
    #[command(flatten)]
    history: HistoryArgs,
    #[command(subcommand)]
    instead: Option<Instead>,
}

#[derive(Debug, Subcommand)]
enum Instead {
    Load(LoadArgs),
    Bot(BotArgs),
    Follow(FollowArgs),
    At(AtArgs),
}

fn main() -> ExitCode {
    match Program::try_parse() {
        Ok(Program { instead: Some(Instead::Load(args)), .. }) => program::end(open_loop::run(&args)),
        Ok(Program { instead: Some(Instead::Bot(args)), .. }) => program::end(bot::run(&args)),
        Ok(Program { instead: Some(Instead::Follow(args)), .. }) => program::end(follow::run(&args)),
        Ok(Program { instead: Some(Instead::At(args)), .. }) => program::end(at::run(&args)),
        Ok(Program { serve: args, path, history, .. }) => program::end(run(&args, &path, &history)),
        Err(error) => program::refuse(&error),
    }
}

fn run(args: &Args, path: &PathArgs, history: &HistoryArgs) -> Result<Verdict, VenueError> {
    let (whole_path, history) = (WholePath::listening(path, args.shards)?, History::new(history));
    let once = Once::with_archive(args.shards, history.clone());
    serve::run(args, Arc::new([once, whole_path, history]))
}
