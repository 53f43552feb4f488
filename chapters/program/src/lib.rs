//! What every program here does the same way: how it prints, how it ends, and with which code.
//!
//! | code | means | comes from |
//! |---|---|---|
//! | 0 | it is done, and the answer is yes where there was a question | [`Verdict::Yes`] |
//! | 1 | a comparison, a verification or a check has failed | [`Verdict::No`] |
//! | 2 | its input or its arguments can't be used | [`Failure::exit_code`] |
//! | 3 | the log or the disk can't be trusted or written, including its own output | [`Failure::exit_code`] |
//!
//! A `main` is one expression, and functions that print use `?` to return a failure to print:
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
//! The standard library's `println!` panics when standard output is closed. Here a closed pipe (`| head -1`) ends
//! a program quietly, because the reader has read enough, and a full disk (`> /dev/full`) ends it with an error
//! message. Clippy's `print_stdout` and `print_stderr` make sure that there is no other printing.
#![forbid(unsafe_code)]

pub mod figures;
pub mod lines;
pub mod repository;
pub mod room;
pub mod rounds;
pub mod said;

use std::fmt::{Arguments, Display};
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;

/// The answer of a program that was asked a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Yes, or there was no question. Exit code 0.
    Yes,
    /// No. The reason has been printed. Exit code 1.
    No,
}

impl From<bool> for Verdict {
    fn from(yes: bool) -> Verdict {
        if yes { Verdict::Yes } else { Verdict::No }
    }
}

/// Why a program could not do what it was asked. Its message says what happened, where, and what to
/// do.
pub trait Failure: Display {
    /// 2 when input or arguments can't be used, 3 when a disk can't be trusted or written.
    fn exit_code(&self) -> u8;

    /// Whether the program's output is no longer read: then it prints no message.
    fn is_closed_pipe(&self) -> bool {
        false
    }
}

/// The output could not be printed. Exit code 3, or a quiet end when the reader is gone.
#[derive(Debug, thiserror::Error)]
#[error("could not write to standard output: {0}; fix that, or send the output elsewhere, and start again")]
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
/// When it is closed or can't be written. Then a program has no reason to continue.
pub fn print(text: Arguments<'_>) -> Result<(), Unprinted> {
    let mut output = io::stdout().lock();
    Ok(output.write_fmt(text).and_then(|()| output.flush())?)
}

/// Writes a line to standard error: progress, and what an operator should know. If that can't be written
/// either, the line is dropped.
pub fn tell(line: Arguments<'_>) {
    lines::tell_event("note", &[], line);
}

/// Parses the arguments, does the work, and ends with the right exit code.
pub fn run<A: Parser, E: Failure>(work: impl FnOnce(A) -> Result<Verdict, E>) -> ExitCode {
    match A::try_parse() {
        Ok(args) => end(work(args)),
        Err(error) => refuse(&error),
    }
}

/// Ends a program whose arguments did not lead to work: help and version were asked for, everything else
/// is a mistake.
pub fn refuse(error: &clap::Error) -> ExitCode {
    let printed = error.print();
    match printed {
        Err(unprinted) if !error.use_stderr() => end(Err::<Verdict, _>(Unprinted(unprinted))),
        _ => ExitCode::from(error.exit_code() as u8),
    }
}

/// Ends a program: prints the reason if it failed, and returns the exit code.
pub fn end<E: Failure>(done: Result<Verdict, E>) -> ExitCode {
    match done {
        Ok(Verdict::Yes) => ExitCode::SUCCESS,
        Ok(Verdict::No) => ExitCode::from(1),
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            lines::tell_event("failed", &[], format_args!("error: {error}"));
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
