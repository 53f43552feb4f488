//! `/metrics` as its readers see it: Prometheus itself, its linter, its rules for alerts, and hostile scrapers.
//!
//! The alerts take the longest, and mostly wait: in one program, these tests wait at the same time.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]
#![allow(clippy::print_stdout, reason = "what was skipped is said to those who run it")]

mod address;
mod alerts;
mod buckets;
mod hostile;
mod prometheus;
mod scraped;
mod site;
#[path = "../../../0x0a-gateway/tests/support/mod.rs"]
mod support;
