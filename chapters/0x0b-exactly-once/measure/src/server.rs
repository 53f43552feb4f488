//! The venues of two chapters, each in a process of its own.

use std::path::Path;
use std::process::Command;

use load::server::{Server, UNLIMITED};
use results::chapters;
use results::error::MeasureError;
use results::programs::{self, Program};

/// Builds both venues.
///
/// # Errors
/// When the compiler refuses.
pub fn build() -> Result<(), MeasureError> {
    let chapters = chapters::catalogue()?;
    let both = ["0x0a", "0x0b"].map(|name| chapters.find(name).map(Program::from));
    programs::build(&both.into_iter().collect::<Result<Vec<_>, _>>()?)
}

/// Starts the program of this package on a folder. It was [built](build), and stands beside this one.
///
/// # Errors
/// When it does not start.
pub fn start(package: &str, data_dir: &Path, more: &[&str]) -> Result<Server, MeasureError> {
    let own = std::env::current_exe().map_err(|error| MeasureError::Unusable(format!("where am I? {error}")))?;
    let mut command = Command::new(own.with_file_name(format!("{package}{}", std::env::consts::EXE_SUFFIX)));
    command.arg("--no-demo").args(UNLIMITED).arg("--data-dir").arg(data_dir).args(more);
    Server::of(command)
}
