//! The trading page in a real browser: two traders in two languages, a server that is killed while they watch, and the
//! page's own rules compared with the originals.
//!
//! Needs Chromium (`apt-get install chromium fonts-noto-cjk`) and, for the accessibility rules, `npm ci` in
//! `book/browser`. Without them the tests report what was skipped; with `CI` set that is a failure.
//! `PAGE_PICTURES=folder` saves a picture of each state.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]
#![allow(clippy::print_stderr, reason = "the test reports what was skipped")]

#[allow(dead_code, reason = "the book's pages change colours in another way")]
#[path = "../../../../book/tests/browser/cdp.rs"]
mod cdp;
#[path = "../../../0x09-market-data/tests/view/chain.rs"]
mod chain;
#[path = "../../../0x09-market-data/tests/view/contract.rs"]
mod contract_of_views;
mod cut_off;
mod desk;
mod estimate;
mod lost;
mod open;
mod operator;
mod picture;
mod server;
#[path = "../support/mod.rs"]
mod support;
mod trader;
mod trading;
mod view;

use open::{axe, browser};
