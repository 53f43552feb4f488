//! The lab: optimizations that people expect to pay off, each in a short experiment.
//!
//! An experiment has cases, a case has variants, and a variant is one way of doing the case's work. Variants of a
//! case compute the same answer, or the lab stops: a faster way to do something else is not a finding. Rounds go over
//! all variants in turn, so that a machine that slows down slows all of them.
//!
//! To add an experiment, write a file in `experiments/` and name it in [`experiments::ALL`]. Each says at its top
//! what people expect, what is compared, and what that leaves out.
#![forbid(unsafe_code)]

pub mod error;
pub mod experiment;
pub mod experiments;
pub mod measure;
pub mod pattern;
pub mod programs;
pub mod run;
pub mod table;
pub mod threads;
pub mod words;
