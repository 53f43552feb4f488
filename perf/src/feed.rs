//! `feed`: what watching costs. 0x09's own program measures it; here it is started, and its record drawn.

use program::{Verdict, print};
use results::chapters;
use results::charts::feed_charts;
use results::error::MeasureError;
use results::feed_args::FeedArgs;
use results::programs::{self, Program};
use results::record::{FeedRecord, Record};

use crate::handed_on::hand_on;

/// Which chapter measures.
const CHAPTER: &str = "0x09";

/// Builds the chapter, runs its measurement, and draws it.
///
/// # Errors
/// When it can't be built or run, or the charts can't be written.
pub fn run(args: &FeedArgs) -> Result<Verdict, MeasureError> {
    let chapter = Program::from(chapters::catalogue()?.find(CHAPTER)?);
    programs::build(std::slice::from_ref(&chapter))?;
    let verdict = hand_on(&chapter, &["feed".to_string()].into_iter().chain(args.flags()).collect::<Vec<_>>())?;
    let output = args.output.folder();
    let record = FeedRecord::load(&output.join("feed.json"))?;
    let files = feed_charts(&record, &output.join("charts"))?;
    let charts = [0, 4].map(|at| files[at].display().to_string()).join(" ");
    print(format_args!("charts  {charts}\n"))?;
    Ok(verdict)
}
