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
use load::open_loop::{self, LoadArgs};
use program::Verdict;
use whole_path::args::PathArgs;
use whole_path::layer::WholePath;
use whole_path::path::{self, PathToolArgs, TraceToolArgs};

/// Answers are built on one thread and sent on others, so memory is freed by threads that did not allocate it, as in 0x0a.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The venue so far, and its instruments: where the time of each request goes
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Program {
    #[command(flatten)]
    serve: Args,
    #[command(flatten)]
    path: PathArgs,
    #[command(subcommand)]
    instead: Option<Instead>,
}

#[derive(Debug, Subcommand)]
enum Instead {
    Load(LoadArgs),
    Bot(BotArgs),
    Path(PathToolArgs),
    Trace(TraceToolArgs),
}

fn main() -> ExitCode {
    match Program::try_parse() {
        Ok(Program { instead: Some(Instead::Load(args)), .. }) => program::end(open_loop::run(&args)),
        Ok(Program { instead: Some(Instead::Bot(args)), .. }) => program::end(bot::run(&args)),
        Ok(Program { instead: Some(Instead::Path(args)), .. }) => program::end(path::run(&args, &[])),
        Ok(Program { instead: Some(Instead::Trace(args)), .. }) => program::end(path::run_trace(&args)),
        Ok(Program { serve: args, path, .. }) => program::end(run(&args, &path)),
        Err(error) => program::refuse(&error),
    }
}

fn run(args: &Args, path: &PathArgs) -> Result<Verdict, VenueError> {
    serve::run(args, Arc::new([Once::new(args.shards), WholePath::listening(path, args.shards)?]))
}
