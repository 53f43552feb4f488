//! `lab`: builds the experiments of `chapters/lab` and runs them, as a separate program.

use program::Verdict;
use results::error::MeasureError;
use results::lab_args::LabArgs;
use results::programs::{self, Program};

use crate::handed_on::hand_on;

/// Builds the lab, runs it, and returns whether all variants computed the same.
///
/// # Errors
/// [`MeasureError::Unusable`] and [`MeasureError::Disk`], by the program's exit code; it has printed
/// the reason.
pub fn run(args: &LabArgs) -> Result<Verdict, MeasureError> {
    let lab = Program::of_package("lab");
    programs::build(std::slice::from_ref(&lab))?;
    hand_on(&lab, &args.flags())
}
