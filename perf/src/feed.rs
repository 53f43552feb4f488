//! `feed`: what watching costs. 0x09's own program measures it; here it is started, and its record drawn.

use program::{Verdict, print};
use results::charts::feed_charts;
use results::error::MeasureError;
use results::feed_args::FeedArgs;
use results::record::{FeedRecord, Record};

use crate::handed_on::measure;

/// Builds the chapter, runs its measurement, and draws it.
///
/// # Errors
/// When it can't be built or run, or the charts can't be written.
pub fn run(args: &FeedArgs) -> Result<Verdict, MeasureError> {
    let verdict = measure("feed", args.flags())?;
    let output = args.output.folder();
    let record = FeedRecord::load(&output.join("feed.json"))?;
    let files = feed_charts(&record, &output.join("charts"))?;
    let charts = [0, 4].map(|at| files[at].display().to_string()).join(" ");
    print(format_args!("charts  {charts}\n"))?;
    Ok(verdict)
}
