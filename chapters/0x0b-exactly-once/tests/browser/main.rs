//! The trading page of this chapter's program in a real browser: what 0x0a's page shows, and orders whose answer is lost.
//!
//! Needs Chromium and `npm ci` in `book/browser`, as 0x0a's test of the page does. `PAGE_PICTURES=folder` saves a picture of
//! each state.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]
#![allow(clippy::print_stderr, reason = "the test reports what was skipped")]

#[allow(dead_code, reason = "the book's pages change colours in another way")]
#[path = "../../../../book/tests/browser/cdp.rs"]
mod cdp;
#[path = "../../../0x0a-gateway/tests/browser/cut_off.rs"]
mod cut_off;
mod lost;
mod notices;
#[path = "../../../0x0a-gateway/tests/browser/open.rs"]
mod open;
#[path = "../../../0x0a-gateway/tests/browser/picture.rs"]
mod picture;
mod proxy;
#[path = "../../../0x0a-gateway/tests/browser/server.rs"]
mod server;
#[path = "../../../0x0a-gateway/tests/support/mod.rs"]
mod support;
mod tabs;
#[path = "../../../0x0a-gateway/tests/browser/trader.rs"]
mod trader;
#[path = "../../../0x0a-gateway/tests/browser/trading.rs"]
mod trading;
mod waits;

use open::{axe, browser};
