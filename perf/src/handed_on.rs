//! A program that measures by itself: it is started with the flags that were given here, and says what it has to say.

use std::process::Command;

use program::Verdict;
use results::chapters;
use results::error::MeasureError;
use results::programs::{self, Program};

/// Builds the chapter that `verb` is about, and has its program measure with these flags.
///
/// # Errors
/// When there is none, or it can't be built or run.
pub fn measure(verb: &str, flags: Vec<String>) -> Result<Verdict, MeasureError> {
    let chapter = Program::from(chapters::catalogue()?.find_verb(verb)?);
    programs::build(std::slice::from_ref(&chapter))?;
    hand_on(&chapter, &[vec![verb.to_string()], flags].concat())
}

/// Runs a program on this terminal, and takes over how it ended.
///
/// # Errors
/// [`MeasureError::Unusable`] and [`MeasureError::Disk`], by the program's exit code; it has said why.
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
