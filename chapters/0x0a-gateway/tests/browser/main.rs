//! The trading page in a real browser: two traders in two languages, a server that is killed while they watch, and the
//! page's own rules compared with the originals.
//!
//! Needs Chromium (`apt-get install chromium fonts-noto-cjk`) and, for the accessibility rules, `npm ci` in
//! `book/browser`. Without them the tests report what was skipped; with `CI` set that is a failure.
//! `PAGE_PICTURES=folder` saves a picture of each state.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stderr, reason = "the test reports what was skipped")]

#[allow(dead_code, reason = "the book's pages change colours in another way")]
#[path = "../../../../book/tests/browser/cdp.rs"]
mod cdp;
#[path = "../../../0x09-market-data/tests/view/chain.rs"]
mod chain;
#[path = "../../../0x09-market-data/tests/view/contract.rs"]
mod contract_of_views;
mod cut_off;
mod estimate;
mod operator;
mod picture;
mod server;
#[path = "../support/mod.rs"]
mod support;
mod trader;
mod trading;
mod view;

use std::path::Path;
use std::sync::OnceLock;

use cdp::Browser;

/// A browser, or none after reporting that; in CI there must be one.
fn browser(language: &str) -> Option<Browser> {
    match cdp::installed() {
        Some(program) => Some(Browser::start(&program, language)),
        None => {
            assert!(std::env::var_os("CI").is_none(), "CI has no chromium");
            eprintln!("skipped: no chromium");
            None
        }
    }
}

/// The source of axe-core as the book's own test installs it, or none after reporting that; in CI it must be there.
fn axe() -> Option<&'static str> {
    static AXE: OnceLock<Option<String>> = OnceLock::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/browser");
    AXE.get_or_init(|| cdp::axe_in(&folder)).as_deref()
}
