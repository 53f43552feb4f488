//! `/metrics` as those who read it do: Prometheus itself, its linter, its rules for alerts, and scrapers that mean no good.
//!
//! The alerts take the longest, and wait for most of that: as one program these tests wait at the same time.
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
