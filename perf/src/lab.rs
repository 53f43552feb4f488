//! `lab`: builds the experiments of `chapters/lab` and runs them, as a program of its own.

use std::process::Command;

use results::error::MeasureError;
use results::lab_args::LabArgs;
use results::programs::{self, Program};

/// Builds the lab, runs it, and says whether all variants agreed on what they computed.
///
/// # Errors
/// [`MeasureError::Unusable`] and [`MeasureError::Disk`], by the program's exit code; it has said why.
pub fn run(args: &LabArgs) -> anyhow::Result<bool> {
    let lab = Program::of_package("lab");
    programs::build(std::slice::from_ref(&lab))?;
    let status = Command::new(lab.path()).args(args.flags()).status();
    let status = status.map_err(|error| MeasureError::Unusable(format!("cannot start the lab: {error}")))?;
    match status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        Some(3) => Err(MeasureError::Disk("the lab stopped; its message is above".into()).into()),
        _ => Err(MeasureError::Unusable(format!("the lab stopped ({status}); its message is above")).into()),
    }
}
