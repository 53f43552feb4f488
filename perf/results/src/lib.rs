//! What a result is, for whoever makes, draws, compares or prints one: the measuring tool, the lab and the book.
//!
//! A [`record`] says what was measured, on which [`machine`], in which state ([`probe`]), at which commit and by which
//! command, and is checked when it is written and again when it is read. [`charts`] draws it, [`units`] puts its
//! figures into words, in both [`language`]s. A [`program`] is what is measured: a chapter as a reader runs it.
#![forbid(unsafe_code)]

pub mod chapters;
#[cfg(feature = "charts")]
pub mod charts;
pub mod error;
pub mod figures;
pub mod json;
pub mod lab_args;
pub mod language;
pub mod machine;
pub mod probe;
pub mod program;
pub mod progress;
pub mod record;
pub mod spread;
pub mod units;
pub mod usl;
pub mod words;
