//! What every program here does the same way: how it prints, how it ends, and with which code.
//!
//! | code | means | comes from |
//! |---|---|---|
//! | 0 | it is done, and the answer is yes where there was a question | [`Verdict::Yes`] |
//! | 1 | a comparison, a verification or a check says no | [`Verdict::No`] |
//! | 2 | its input or its arguments can't be used | [`Failure::exit_code`] |
//! | 3 | the log or the disk can't be trusted or written, its own output included | [`Failure::exit_code`] |
//!
//! A `main` is one expression, and whatever it calls returns what could not be printed with `?`:
//!
//! ```no_run
//! # #[derive(clap::Parser)] struct Args {}
//! # #[derive(Debug, thiserror::Error)] #[error(transparent)] struct MyError(#[from] program::Unprinted);
//! # impl program::Failure for MyError { fn exit_code(&self) -> u8 { self.0.exit_code() } }
//! use program::{Verdict, print};
//!
//! fn main() -> std::process::ExitCode {
//!     program::run(|_args: Args| -> Result<Verdict, MyError> {
//!         print(format_args!("{} orders\n", 5))?;
//!         Ok(Verdict::Yes)
//!     })
//! }
//! ```
//!
//! The standard library's `println!` panics when nobody can take the line. Here a closed pipe (`| head -1`)
//! ends a program quietly, for whoever reads has enough, and a full disk (`> /dev/full`) ends it with a sentence.
//! Clippy's `print_stdout` and `print_stderr` see to it that no other way of printing is used.
#![forbid(unsafe_code)]

pub mod figures;
pub mod repository;
pub mod room;
pub mod rounds;
pub mod said;

use std::fmt::{Arguments, Display};
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;

/// What a program that was asked a question found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Yes, or there was no question. Exit code 0.
    Yes,
    /// No. What is wrong has been printed. Exit code 1.
    No,
}

impl From<bool> for Verdict {
    fn from(yes: bool) -> Verdict {
        if yes { Verdict::Yes } else { Verdict::No }
    }
}

/// Why a program could not do what it was asked. Its words say what happened, where, and what to do.
pub trait Failure: Display {
    /// 2 when input or arguments can't be used, 3 when a disk can't be trusted or written.
    fn exit_code(&self) -> u8;

    /// Whether nobody reads the program's output any more: then nothing is said.
    fn is_closed_pipe(&self) -> bool {
        false
    }
}

/// What was to be printed could not be. Exit code 3, or a quiet end when the reader has gone.
#[derive(Debug, thiserror::Error)]
#[error("could not write to standard output: {0}; mend that, or send the output elsewhere, and start again")]
pub struct Unprinted(#[from] io::Error);

impl Failure for Unprinted {
    fn exit_code(&self) -> u8 {
        3
    }

    fn is_closed_pipe(&self) -> bool {
        self.0.kind() == ErrorKind::BrokenPipe
    }
}

/// Writes to standard output, at once.
///
/// # Errors
/// When nobody takes it. A program has no reason to go on then.
pub fn print(text: Arguments<'_>) -> Result<(), Unprinted> {
    let mut output = io::stdout().lock();
    Ok(output.write_fmt(text).and_then(|()| output.flush())?)
}

/// Writes a line to standard error: what a program does meanwhile, and why it ends. When that can't be
/// written either, there is nobody left to tell.
pub fn tell(line: Arguments<'_>) {
    let mut output = io::stderr().lock();
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}

/// Reads the arguments, does the work, and ends as it went.
pub fn run<A: Parser, E: Failure>(work: impl FnOnce(A) -> Result<Verdict, E>) -> ExitCode {
    match A::try_parse() {
        Ok(args) => end(work(args)),
        Err(error) => refuse(&error),
    }
}

/// Ends a program with what its arguments led to: help and version are asked for, all else is a mistake.
pub fn refuse(error: &clap::Error) -> ExitCode {
    let printed = error.print();
    match printed {
        Err(unprinted) if !error.use_stderr() => end(Err::<Verdict, _>(Unprinted(unprinted))),
        _ => ExitCode::from(error.exit_code() as u8),
    }
}

/// Ends a program: says why it failed, if it did, and gives the exit code.
pub fn end<E: Failure>(done: Result<Verdict, E>) -> ExitCode {
    match done {
        Ok(Verdict::Yes) => ExitCode::SUCCESS,
        Ok(Verdict::No) => ExitCode::from(1),
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            tell(format_args!("error: {error}"));
            ExitCode::from(error.exit_code())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_has_its_code() {
        let unprinted = |kind: ErrorKind| Err::<Verdict, _>(Unprinted(kind.into()));
        let code = |done| format!("{:?}", end(done));
        let expected = |code: u8| format!("{:?}", ExitCode::from(code));
        assert_eq!(code(Ok(true.into())), expected(0));
        assert_eq!(code(Ok(false.into())), expected(1));
        assert_eq!(code(unprinted(ErrorKind::BrokenPipe)), expected(0));
        assert_eq!(code(unprinted(ErrorKind::StorageFull)), expected(3));
    }
}
