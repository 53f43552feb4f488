//! This chapter's program: `cargo run --release` here.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use exactly_once::once::Once;
use gateway::args::Args;
use gateway::bot::{self, BotArgs};
use gateway::front::Front;
use history::args::{AtArgs, FollowArgs, HistoryArgs};
use history::history::History;
use history::{at, follow};
use load::open_loop::{self, LoadArgs};
use program::lines::set_form;
use replication::args::ReplicaArgs;
use replication::backup::{self, BackupArgs};
use replication::error::ReplicaError;
use replication::primary::{self, Others};
use replication::servers::{self, ClusterArgs};
use replication::standby::{self, StandbyArgs};
use replication::takeover::{self, TakeoverArgs};
use replication::trim::{self, TrimArgs};
use whole_path::args::PathArgs;
use whole_path::layer::WholePath;

/// Answers are built on one thread and sent on others, so memory is freed by threads that did not allocate it, as in 0x0a.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The venue so far, and copies of its log on other machines
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Program {
    #[command(flatten)]
    venue: VenueArgs,
    #[command(subcommand)]
    instead: Option<Instead>,
}

#[derive(Debug, clap::Args)]
struct VenueArgs {
    #[command(flatten)]
    serve: Args,
    #[command(flatten)]
    path: PathArgs,
    #[command(flatten)]
    history: HistoryArgs,
    #[command(flatten)]
    replicas: ReplicaArgs,
}

#[derive(Debug, Subcommand)]
enum Instead {
    Load(LoadArgs),
    Bot(BotArgs),
    Follow(FollowArgs),
    At(AtArgs),
    Cluster(ClusterArgs),
    Standby(Box<OtherMachineArgs>),
    Takeover(TakeoverArgs),
    Trim(TrimArgs),
    Backup(BackupArgs),
}

/// Follows the streams of a primary into this machine's own log, and takes its place when it is asked to
#[derive(Debug, clap::Args)]
struct OtherMachineArgs {
    #[command(flatten)]
    venue: VenueArgs,
    #[command(flatten)]
    standby: StandbyArgs,
}

fn main() -> ExitCode {
    match Program::try_parse() {
        Ok(Program { instead: Some(Instead::Load(args)), .. }) => program::end(open_loop::run(&args)),
        Ok(Program { instead: Some(Instead::Bot(args)), .. }) => program::end(bot::run(&args)),
        Ok(Program { instead: Some(Instead::Follow(args)), .. }) => program::end(follow::run(&args)),
        Ok(Program { instead: Some(Instead::At(args)), .. }) => program::end(at::run(&args)),
        Ok(Program { instead: Some(Instead::Cluster(args)), .. }) => program::end(servers::run(&args)),
        Ok(Program { instead: Some(Instead::Takeover(args)), .. }) => program::end(takeover::run(&args)),
        Ok(Program { instead: Some(Instead::Trim(args)), .. }) => program::end(trim::run(&args)),
        Ok(Program { instead: Some(Instead::Backup(args)), .. }) => program::end(backup::run(&args)),
        Ok(Program { instead: Some(Instead::Standby(args)), .. }) => {
            let OtherMachineArgs { venue, standby } = &*args;
            let run = |(others, path)| standby::run(&venue.serve, &venue.replicas, standby, others, &path);
            program::end(venue.layers().and_then(run))
        }
        Ok(Program { venue, .. }) => {
            let run = |(others, _)| primary::run(&venue.serve, &venue.replicas, others);
            program::end(venue.layers().and_then(run))
        }
        Err(error) => program::refuse(&error),
    }
}

impl VenueArgs {
    /// The venue so far, the innermost layer first; and again the one that has the address of the metrics.
    fn layers(&self) -> Result<(Others, Arc<WholePath>), ReplicaError> {
        set_form(self.serve.log_format);
        let shards = self.serve.shards;
        let path = WholePath::listening(&self.path, shards)?;
        let own: Arc<dyn Front> = path.clone();
        let history = History::new(&self.history);
        Ok((vec![Once::with_archive(shards, history.clone()), own, history], path))
    }
}
