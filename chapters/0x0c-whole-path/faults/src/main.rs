//! Five venues, each of which has one planted fault. The page of this chapter lists the faults, and asks which venue has which.
//!
//! Each fault is a layer of its own around the chapter's venue, which has none of them. To find a fault, start a venue and use
//! the tools; these sources are the answers.
#![forbid(unsafe_code)]

mod buckets;
mod line;
mod lock;
mod pieces;
mod pinned;

use std::net::TcpListener;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use exactly_once::once::Once;
use gateway::args::Args;
use gateway::error::VenueError;
use gateway::front::Front;
use gateway::serve;
use program::Verdict;
use whole_path::args::PathArgs;
use whole_path::layer::WholePath;
use whole_path::path::{self, PathToolArgs};

/// As in the chapter's own program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Five venues with a planted fault each, and the tools to find it
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Program {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    serve: Args,
    #[command(flatten)]
    path: PathArgs,
    #[command(subcommand)]
    instead: Option<Instead>,
}

#[derive(Debug, Clone, clap::Args)]
struct Which {
    /// The venue, from 1 to 5 [default: one without a fault]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    venue: Option<u8>,
}

#[derive(Debug, Subcommand)]
enum Instead {
    Path(Path),
}

/// Loads a venue, and shows where the time of its requests goes
#[derive(Debug, Clone, clap::Args)]
struct Path {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    tool: PathToolArgs,
}

fn main() -> ExitCode {
    match Program::try_parse() {
        Ok(Program { instead: Some(Instead::Path(Path { which, tool })), .. }) => {
            let number = which.venue.map(|number| number.to_string());
            let flags: Vec<&str> = number.iter().flat_map(|number| ["--venue", number]).collect();
            program::end(path::run(&tool, &flags))
        }
        Ok(Program { which, serve: args, path, .. }) => program::end(run(which.venue, &args, &path)),
        Err(error) => program::refuse(&error),
    }
}

fn run(venue: Option<u8>, args: &Args, path: &PathArgs) -> Result<Verdict, VenueError> {
    let metrics = WholePath::bind(path)?;
    let behind = |metrics: TcpListener| WholePath::new(path, args.shards, metrics);
    let (fault, whole_path): (Option<Arc<dyn Front>>, _) = match venue {
        Some(1) => (Some(Arc::new(line::Lines::default())), behind(metrics)),
        Some(2) => (None, behind(buckets::in_front_of(metrics).map_err(VenueError::System)?)),
        Some(3) => (Some(Arc::new(lock::Counted::default())), behind(metrics)),
        Some(4) => {
            let whole_path = behind(metrics);
            (Some(Arc::new(pieces::Pieces(Arc::clone(&whole_path)))), whole_path)
        }
        Some(5) => (Some(Arc::new(pinned::Pinned)), behind(metrics)),
        _ => (None, behind(metrics)),
    };
    // The first of them that watches connections is the only one that does.
    let layers =
        [Once::new(args.shards) as Arc<dyn Front>].into_iter().chain(fault).chain([whole_path as Arc<dyn Front>]);
    serve::run(args, layers.collect())
}
