//! This chapter's program: `cargo run --release` here.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use exactly_once::once::Once;
use gateway::args::Args;
use gateway::bot::{self, BotArgs};
use gateway::serve;
use load::open_loop::{self, LoadArgs};

/// Answers are built on one thread and sent on others, so memory is freed by threads that did not allocate it, as in 0x0a.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The venue so far, and exactly once: a request that is sent again is carried out once
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Program {
    #[command(flatten)]
    serve: Args,
    #[command(subcommand)]
    instead: Option<Instead>,
}

#[derive(Debug, Subcommand)]
enum Instead {
    Load(LoadArgs),
    Bot(BotArgs),
}

fn main() -> ExitCode {
    match Program::try_parse() {
        Ok(Program { instead: Some(Instead::Load(args)), .. }) => program::end(open_loop::run(&args)),
        Ok(Program { instead: Some(Instead::Bot(args)), .. }) => program::end(bot::run(&args)),
        Ok(Program { serve: args, .. }) => program::end(serve::run(&args, Arc::new([Once::new(args.shards)]))),
        Err(error) => program::refuse(&error),
    }
}
