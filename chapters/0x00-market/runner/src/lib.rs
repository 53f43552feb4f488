//! The program of a chapter: runs its engine over a flow and prints what it saw.
//!
//! Three passes, each on a fresh log: *throughput* with no instrumentation, the stage *breakdown*
//! with a clock read at every stage, and *latency* at a fixed offered rate. They are apart because a
//! measurement changes what it measures.

mod args;
mod measure;
mod receivers;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

pub use args::{Args, Pass};
pub use measure::{Latency, Throughput};

use market::csv::CsvError;
use market::{Engine, EngineError};

/// A chapter, as its program knows it.
pub trait Chapter {
    /// The chapter's folder, such as `0x01-naive`.
    const NAME: &'static str;
    /// How many orders it runs unless told otherwise: about a second's worth, but at least the
    /// 100,000 of the classic flow.
    const ORDERS: usize;
    /// The most commands in a batch, unless told otherwise; `None` before there are batches.
    const BATCH: Option<usize> = None;
    /// Whether the engine can have more than one shard.
    const SHARDS: bool = false;
    /// The engine, with no instrumentation.
    type Engine: Engine + 'static;
    /// The engine that measures its stages. Before 0x02 it is the same.
    type Measured: Engine + 'static;

    /// Rewrites a data directory for another number of shards.
    ///
    /// # Errors
    /// When the chapter has no shards, or the logs can't be read or written.
    fn reshard(_data_dir: &std::path::Path, _shards: u16) -> Result<String, EngineError> {
        Err(EngineError::Refused(format!("{} has no shards, so there is nothing to reshard", Self::NAME)))
    }
}

/// Why a run ended early. The exit code follows from it.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Arguments that do not fit the chapter. Exit code 2.
    #[error("{0}")]
    Usage(String),
    /// An input file that can't be used. Exit code 2.
    #[error(transparent)]
    Input(#[from] CsvError),
    /// The log or the disk can't be trusted or written. Exit code 3.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// What the program itself writes could not be written. Exit code 3.
    #[error("{path}: could not {what}: {source}; mend that and start again")]
    Output {
        /// What was tried.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl RunError {
    fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            RunError::Usage(_) | RunError::Input(_) | RunError::Engine(EngineError::Refused(_)) => 2,
            RunError::Engine(_) | RunError::Output { .. } => 3,
        })
    }
}

/// The chapter's `main`.
pub fn main<C: Chapter>() -> ExitCode {
    let command = Args::command().name(C::NAME).about(format!("Runs the engine of {} over a flow", C::NAME));
    let args = match Args::from_arg_matches(&command.get_matches()) {
        Ok(args) => args,
        Err(error) => error.exit(),
    };
    match run::<C>(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            error.exit_code()
        }
    }
}

fn run<C: Chapter>(args: &Args) -> Result<(), RunError> {
    args.check::<C>()?;
    if let Some(shards) = args.reshard {
        let data_dir = args.data_dir.as_deref().ok_or_else(|| RunError::Usage("--reshard needs --data-dir".into()))?;
        println!("{}", C::reshard(data_dir, shards)?);
        return Ok(());
    }
    let flow = args.input::<C>()?;
    let output = report::OutputFolder::find(C::NAME, args)?;
    if let Some(path) = &args.events {
        return measure::record_events::<C>(args, &flow, &output, path);
    }
    let mut report = report::Report::new::<C>(args, &flow);
    for pass in args.passes::<C>() {
        match pass {
            Pass::Throughput => report.throughput = Some(measure::throughput::<C, C::Engine>(args, &flow, &output)?),
            Pass::Breakdown if !measures::<C>() => {}
            Pass::Breakdown => report.breakdown = measure::breakdown::<C>(args, &flow, &output)?,
            Pass::Latency => {
                let rate = args.rate.unwrap_or_else(|| report.half_rate());
                report.latency = Some(measure::latency::<C>(args, &flow, &output, rate)?);
            }
        }
    }
    report.publish(args, &output)
}

/// Whether the chapter has an engine that measures its stages.
fn measures<C: Chapter>() -> bool {
    std::any::TypeId::of::<C::Engine>() != std::any::TypeId::of::<C::Measured>()
}
