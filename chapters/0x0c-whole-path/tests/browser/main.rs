//! The operator's page of the whole path, in a real browser.
//!
//! Needs Chromium and `npm ci` in `book/browser`, as 0x0a's test of the page does. `PAGE_PICTURES=folder` saves a picture of
//! each state.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]
#![allow(clippy::print_stderr, reason = "the test reports what was skipped")]

#[allow(dead_code, reason = "the book's pages change colours in another way")]
#[path = "../../../../book/tests/browser/cdp.rs"]
mod cdp;
#[path = "../../../0x0a-gateway/tests/browser/open.rs"]
mod open;
#[path = "../../../0x0a-gateway/tests/browser/picture.rs"]
mod picture;
#[allow(dead_code, reason = "other pages need more")]
#[path = "../../../0x0a-gateway/tests/browser/server.rs"]
mod server;
#[path = "../../../0x0a-gateway/tests/support/mod.rs"]
mod support;
#[allow(dead_code, reason = "other pages need more")]
#[path = "../../../0x0a-gateway/tests/browser/trader.rs"]
mod trader;

use open::{axe, browser};
use serde_json::json;
use server::Server;
use tempfile::TempDir;
use trader::Trader;

#[test]
fn the_operator_sees_where_the_time_goes() {
    for (language, look, title) in [("en", (1280, false), "The whole path"), ("zh-CN", (390, true), "完整路径")] {
        let Some(browser) = browser(language) else { return };
        let folder = TempDir::new().unwrap();
        // Each request that takes more than a millisecond is slow here.
        let server = Server::start_with(folder.path(), &["--sample", "1", "--slow", "1"]);
        let market = server.open_market("Will it snow?", "会下雪吗？");
        let [mut ann, _] = server.two_accounts();
        let order = json!({ "market": market, "intent": "buy-yes", "price": 5, "quantity": 1 });
        (0..200).for_each(|_| assert_eq!(ann.post("/v1/orders", &order).unwrap().status, 200));
        let mut operator = Trader::new(browser, "path", look);
        operator.browser.open(&server.url("/page/path.html"));
        operator.sees("h1", title);
        operator.write("#path-key", &server.operator);
        operator.press("main [type=submit]");
        operator.until("document.querySelectorAll('.path tbody tr').length >= 12");
        operator.until("document.querySelectorAll('svg.falls').length > 0");
        // Each bar of a waterfall begins where the one before ends.
        let gaps = "[...document.querySelector('svg.falls').children].map(one => ['x', 'width'].map(name => +one.getAttribute(name))) \
                    .reduce(([end, worst], [x, width]) => [x + width, Math.max(worst, Math.abs(x - end))], [0, 0])[1]";
        assert!(operator.browser.ask(gaps).as_f64().unwrap() < 0.31, "{language}");
        // Cells are there, and a label says how many syncs they stand for.
        operator.until("document.querySelectorAll('svg.heat .cell').length > 0");
        let label = "document.querySelector('svg.heat').getAttribute('aria-label')";
        let label = operator.browser.ask(label).as_str().unwrap().to_owned();
        let count: u32 =
            label.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty()).unwrap().parse().unwrap();
        assert!(count >= 200, "one at a time, so a sync for each order: {label}");
        let strongest = "Math.max(...[...document.querySelectorAll('svg.heat .cell')].map(cell => +cell.getAttribute('fill-opacity')))";
        assert_eq!(operator.browser.ask(strongest).as_f64().unwrap(), 1.0, "{language}");
        let stages = operator.text(".path tbody");
        for name in whole_path::stage::NAMES {
            assert!(stages.contains(name), "{name} is missing: {stages}");
        }
        operator.is_sound(&format!("shown-{language}"));
        assert_eq!(operator.browser.errors.len(), 0, "{:?}", operator.browser.errors);
    }
}
