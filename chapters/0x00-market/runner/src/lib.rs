//! The program of a chapter: runs its engine over a flow and prints the results.
//!
//! Three passes, each on a fresh log: *throughput* with no instrumentation, the stage *breakdown* with
//! a clock read at every stage, and *latency* at a fixed offered rate. They are apart because a
//! measurement changes what it measures.
//!
//! A chapter describes itself with [`Chapter`] and its own flags with [`Flags`]; its `main` is
//! [`main`].
#![forbid(unsafe_code)]

mod args;
mod chapter;
mod error;
mod flags;
mod measure;
mod offer;
mod output;
mod processor;
mod receivers;
mod report;
mod slow_disk;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use program::Verdict;

pub use args::{Args, Pass, RUN_FLAGS};
pub use chapter::{Chapter, has_flag, measures};
pub use error::RunError;
pub use flags::{BatchFlags, Flags, NoFlags, PipelineFlags};
pub use measure::Throughput;
pub use offer::{Latency, Timers, offer};
pub use processor::{processor_time, thread_time, times_of_threads};
pub use receivers::Timer;

use output::OutputFolder;
use report::Report;

/// The chapter's `main`.
pub fn main<C: Chapter>() -> ExitCode {
    let command = Args::<C::Flags>::command();
    let command = command.name(C::NAME).about(format!("Runs the engine of {} over a flow", C::NAME));
    match command.try_get_matches().and_then(|matches| Args::<C::Flags>::from_arg_matches(&matches)) {
        Ok(args) => program::end(run::<C>(&args).map(|()| Verdict::Yes)),
        Err(error) => program::refuse(&error),
    }
}

fn run<C: Chapter>(args: &Args<C::Flags>) -> Result<(), RunError> {
    if let Some(done) = args.own.instead_of_a_run(args.data_dir.as_deref())? {
        program::print(format_args!("{done}\n"))?;
        return Ok(());
    }
    let passes = args.passes::<C>()?;
    let flow = args.input::<C>()?;
    let output = OutputFolder::find(C::NAME, args.output.as_deref())?;
    if let Some(path) = &args.events {
        return measure::record_events::<C>(args, &flow, &output, path);
    }
    let mut report = Report::new::<C>(args, &flow);
    for pass in passes {
        match pass {
            Pass::Throughput => report.throughput = Some(measure::throughput::<C, C::Engine>(args, &flow, &output)?),
            Pass::Breakdown => report.breakdown = measure::breakdown::<C>(args, &flow, &output)?,
            Pass::Latency => {
                let rate = args.rate.unwrap_or_else(|| report.half_rate());
                report.latency = Some(measure::latency::<C>(args, &flow, &output, rate)?);
            }
        }
    }
    report.publish(args.baseline, args.quiet, &output)
}
