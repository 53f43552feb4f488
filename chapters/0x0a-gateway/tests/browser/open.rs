//! A browser to test with, and the rules for accessibility, where they are installed.

use std::path::Path;
use std::sync::OnceLock;

use crate::cdp::{self, Browser};

/// A browser, or none after reporting that; in CI there must be one.
pub fn browser(language: &str) -> Option<Browser> {
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
pub fn axe() -> Option<&'static str> {
    static AXE: OnceLock<Option<String>> = OnceLock::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/browser");
    AXE.get_or_init(|| cdp::axe_in(&folder)).as_deref()
}
