//! `feed`: what watching costs. A program beside 0x09 measures it; here it is started, and its record drawn.

use program::{Verdict, print};
use results::charts::feed_charts;
use results::error::MeasureError;
use results::feed_args::FeedArgs;
use results::programs::Program;
use results::record::{FeedRecord, Record};

use crate::handed_on::measure;

/// Builds that program, runs it, and draws it.
///
/// # Errors
/// When it can't be built or run, or the charts can't be written.
pub fn run(args: &FeedArgs) -> Result<Verdict, MeasureError> {
    let verdict = measure(&Program::of_package("watching"), &args.flags())?;
    let output = args.output.folder();
    let record = FeedRecord::load(&output.join("feed.json"))?;
    let files = feed_charts(&record, &output.join("charts"))?;
    let charts = [0, 4].map(|at| files[at].display().to_string()).join(" ");
    print(format_args!("charts  {charts}\n"))?;
    Ok(verdict)
}
