//! This chapter's program: `cargo run --release` here.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use gateway::args::Args;
use gateway::bot::{self, BotArgs};
use gateway::front::Fronts;
use gateway::{fill, serve};
use gauge::soak::{self, SoakArgs};
use load::open_loop::{self, LoadArgs};
use results::venue_args::VenueArgs;

/// One thread makes answers and others send them, so memory is freed on another thread than the one that allocated it.
/// Under load a profile showed the system's allocator ahead of all our own code; this one is faster at that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The gateway: a venue that a browser can open; every answer means that the command is on disk.
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
    /// Measures the time from a client to the disk and back, and writes output/venue.json
    Venue(VenueArgs),
    /// Runs a venue under half its maximum load, checks that it stays stable, and writes output/soak.json
    Soak(SoakArgs),
    Load(LoadArgs),
    Bot(BotArgs),
}

fn main() -> ExitCode {
    match Program::try_parse() {
        Ok(Program { instead: Some(Instead::Venue(args)), .. }) => program::end(gauge::run(&args, &fill::fill)),
        Ok(Program { instead: Some(Instead::Soak(args)), .. }) => program::end(soak::run(&args)),
        Ok(Program { instead: Some(Instead::Load(args)), .. }) => program::end(open_loop::run(&args)),
        Ok(Program { instead: Some(Instead::Bot(args)), .. }) => program::end(bot::run(&args)),
        Ok(Program { serve: args, .. }) => program::end(serve::run(&args, Fronts::default())),
        Err(error) => program::refuse(&error),
    }
}
