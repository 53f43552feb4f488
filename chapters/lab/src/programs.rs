//! Variants that are programs: built with cargo, run once a round. An allocator and a compile option belong to a
//! whole program, so they can't be compared inside one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use results::chapters::repository;
use results::error::MeasureError;
use results::programs::Program;

use crate::error::LabError;
use crate::experiment::Sample;

/// The workload of `lab-work`, built like everything else.
pub fn work_program() -> PathBuf {
    Program::of_package("lab-work").path()
}

/// The same with mimalloc.
pub fn mimalloc_program() -> PathBuf {
    Program::of_package("lab-work-mimalloc").path()
}

/// Runs `cargo build --profile whole -p lab-work` with more arguments and variables. Cargo's messages are shown only
/// in an error; the last of them is the reason.
///
/// # Errors
/// [`MeasureError::Unusable`] with that reason.
pub fn build(args: &[&str], variables: &[(&str, &str)]) -> Result<(), MeasureError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--profile", "whole", "--locked", "--quiet", "-p", "lab-work"]).args(args);
    command.envs(variables.iter().copied()).current_dir(repository()).stdin(Stdio::null());
    let ended = command.output().map_err(|error| MeasureError::Unusable(format!("cannot start cargo: {error}")))?;
    if ended.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&ended.stderr);
    let reason = words.lines().find(|line| line.starts_with("error")).unwrap_or("no reason given");
    Err(MeasureError::Unusable(format!("cargo could not build lab-work: {reason}")))
}

/// Runs the workload once.
///
/// # Errors
/// [`MeasureError::Unusable`] when it does not run or prints something unexpected.
pub fn run(program: &Path, engine: &str, orders: usize) -> Result<Sample, LabError> {
    let name = || program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut command = Command::new(program);
    command.args([engine, &orders.to_string()]).stdin(Stdio::null());
    let ended = command.output();
    let ended = ended.map_err(|error| MeasureError::Unusable(format!("cannot start {}: {error}", name())))?;
    if !ended.status.success() {
        let words = String::from_utf8_lossy(&ended.stderr).trim().to_string();
        return Err(MeasureError::Unusable(format!("{} {engine} {orders}: {words}", name())).into());
    }
    let words = String::from_utf8_lossy(&ended.stdout);
    read(&words).ok_or_else(|| MeasureError::Unusable(format!("{} said {words:?}", name())).into())
}

/// Reads `ns=` and `answer=`.
fn read(words: &str) -> Option<Sample> {
    let value = |key: &str| words.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    Some(Sample { ns: value("ns")?.parse().ok()?, answer: value("answer")?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use program::Failure;

    use super::*;

    #[test]
    fn what_the_workload_prints_is_read() {
        assert_eq!(read("ns=12.5\nanswer=7\n"), Some(Sample { ns: 12.5, answer: 7 }));
        assert_eq!(read("ns=12.5\n"), None);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = run(Path::new("no-such-program"), "array", 1).expect_err("not there");
        assert!(error.to_string().contains("no-such-program"));
        assert_eq!(error.exit_code(), 2);
    }
}
