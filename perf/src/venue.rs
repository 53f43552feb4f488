//! `venue`: the path from a client to the disk. 0x0a's own program measures it; here it is started, and its record
//! drawn.

use program::{Verdict, print};
use results::chapters;
use results::charts::venue_charts;
use results::error::MeasureError;
use results::programs::Program;
use results::record::{Record, VenueRecord};
use results::venue_args::VenueArgs;

use crate::handed_on::measure;

/// Builds the chapter, runs its measurement, and draws it.
///
/// # Errors
/// When it can't be built or run, or the charts can't be written.
pub fn run(args: &VenueArgs) -> Result<Verdict, MeasureError> {
    let chapter = Program::from(chapters::catalogue()?.find_verb("venue")?);
    let verdict = measure(&chapter, &[vec!["venue".to_string()], args.flags()].concat())?;
    let output = args.output.folder();
    let record = VenueRecord::load(&output.join(args.file()))?;
    let files = venue_charts(&record, &output.join("charts"))?;
    let english = files.iter().filter(|file| file.to_string_lossy().ends_with(".en.svg"));
    let charts = english.map(|file| file.display().to_string()).collect::<Vec<_>>().join(" ");
    if !charts.is_empty() {
        print(format_args!("charts  {charts}\n"))?;
    }
    Ok(verdict)
}
