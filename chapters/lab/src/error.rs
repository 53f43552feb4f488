//! Errors of the lab, and their exit codes.

use program::{Failure, Unprinted};
use results::error::MeasureError;

/// A reason why the lab stopped.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// A program, a file or an argument can't be used, or a disk can't.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// Two variants of a case computed different answers.
    #[error(
        "{experiment}, {case}: `{variant}` computed {answer}, but `{first}` computed {expected}; one of them does \
         other work, so their times say nothing"
    )]
    Disagree {
        /// The experiment's name.
        experiment: &'static str,
        /// The case's name.
        case: String,
        /// The variant that differs.
        variant: &'static str,
        /// What it computed.
        answer: u64,
        /// The case's first variant.
        first: &'static str,
        /// What that computed.
        expected: u64,
    },
}

impl Failure for LabError {
    /// 1 is a verdict: the variants don't agree. 2 and 3 are as in the other programs.
    fn exit_code(&self) -> u8 {
        match self {
            LabError::Measure(error) => error.exit_code(),
            LabError::Disagree { .. } => 1,
        }
    }

    fn is_closed_pipe(&self) -> bool {
        matches!(self, LabError::Measure(error) if error.is_closed_pipe())
    }
}

impl From<Unprinted> for LabError {
    fn from(unprinted: Unprinted) -> Self {
        LabError::Measure(unprinted.into())
    }
}
