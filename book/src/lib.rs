//! The book's machinery: two page trees in, one static site out, and a checker that keeps prose, code and
//! numbers from drifting apart.
//!
//! mdBook renders the pages. Around it this crate adds what a measured, bilingual book needs: figures from
//! committed records, code and diffs from the tested crates, a language switch that stays on the section, and
//! `check`, which fails on everything that mdBook ignores silently.
#![forbid(unsafe_code)]

pub mod chart;
pub mod check;
pub mod chinese;
pub mod code;
pub mod diff;
pub mod directive;
pub mod expand;
pub mod figure;
pub mod format;
pub mod glossary;
pub mod guess;
pub mod html;
pub mod minutes;
pub mod named_test;
pub mod number;
pub mod online;
pub mod page;
mod pattern;
pub mod player;
pub mod pointer;
pub mod problem;
pub mod project;
pub mod prose;
pub mod record;
pub mod sandbox;
pub mod sentences;
pub mod serve;
pub mod site;
pub mod sources;
pub mod stamp;
pub mod table;
mod words;
pub mod yours;
