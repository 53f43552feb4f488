//! What a result is, for the programs that make, draw, compare or print one: the measuring tool, the lab and the
//! book.
//!
//! A [`record`] says what was measured, on which [`machine`], in which state ([`probe`]), at which commit and by
//! which command, and is checked when it is written and again when it is read. [`charts`] draws it, [`units`] formats
//! its figures, in both [`language`]s. [`programs`] are what is measured: chapters as a reader runs them.
#![forbid(unsafe_code)]

pub mod chapters;
#[cfg(feature = "scenes")]
pub mod charts;
pub mod community;
pub mod error;
pub mod feed_args;
pub mod figures;
mod handed_on;
pub mod json;
pub mod lab_args;
pub mod language;
pub mod machine;
pub mod memory;
pub mod output;
pub mod pairs;
pub mod probe;
pub mod programs;
pub mod progress;
pub mod record;
pub mod spread;
pub mod units;
pub mod usl;
pub mod venue_args;
pub mod words;
