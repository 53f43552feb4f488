//! A program that measures by itself: it is started with the flags given here, and prints its own output.

use std::process::Command;

use program::Verdict;
use results::error::MeasureError;
use results::programs::{self, Program};

/// Builds a program, and has it measure with these flags.
///
/// # Errors
/// When it can't be built or run.
pub fn measure(program: &Program, flags: &[String]) -> Result<Verdict, MeasureError> {
    programs::build(std::slice::from_ref(program))?;
    hand_on(program, flags)
}

/// Runs a program on this terminal, and returns its exit.
///
/// # Errors
/// [`MeasureError::Unusable`] and [`MeasureError::Disk`], by the program's exit code; it has printed
/// the reason.
pub fn hand_on(program: &Program, flags: &[String]) -> Result<Verdict, MeasureError> {
    let name = &program.name;
    let status = Command::new(program.path()).args(flags).status();
    let status = status.map_err(|error| MeasureError::Unusable(format!("cannot start {name}: {error}")))?;
    match status.code() {
        Some(0) => Ok(Verdict::Yes),
        Some(1) => Ok(Verdict::No),
        Some(3) => Err(MeasureError::Disk(format!("{name} stopped; its message is above"))),
        _ => Err(MeasureError::Unusable(format!("{name} stopped ({status}); its message is above"))),
    }
}
