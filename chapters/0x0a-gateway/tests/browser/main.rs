//! The trading page in a real browser: two traders in both languages, a server that is killed under their eyes, and the
//! page's own rules beside those that they repeat.
//!
//! Needs Chromium (`apt-get install chromium fonts-noto-cjk`) and, for the accessibility rules, `npm ci` in
//! `book/browser`. A reader without them is told what was skipped; with `CI` set that is a failure.
//! `PAGE_PICTURES=folder` keeps a picture of each state.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stderr, reason = "what was skipped is said to whoever runs the test")]

#[allow(dead_code, reason = "the book's pages are recoloured in another way")]
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

/// A browser, or none after saying so; in CI there must be one.
fn browser(language: &str) -> Option<Browser> {
    match cdp::installed() {
        Some(program) => Some(Browser::start(&program, language)),
        None => {
            assert!(std::env::var_os("CI").is_none(), "no chromium, and this is CI");
            eprintln!("skipped: no chromium");
            None
        }
    }
}

/// The source of axe-core as the book's own test installs it, or none after saying so; in CI it must be there.
fn axe() -> Option<&'static str> {
    static AXE: OnceLock<Option<String>> = OnceLock::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/browser");
    AXE.get_or_init(|| cdp::axe_in(&folder)).as_deref()
}
