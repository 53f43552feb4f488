//! The page in a real browser: the last candle moves while a reader looks at it, and an account sees what it has won.
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
use serde_json::{Value, json};
use server::Server;
use support::client::Client;
use tempfile::TempDir;
use trader::Trader;

/// How many requests for candles the page has made, and what the chart says in place of its picture.
const REQUESTS: &str = "performance.getEntriesByType('resource').filter(one => one.name.includes('/candles')).length";
const SAYS: &str = "document.querySelector('.chart canvas').getAttribute('aria-label')";

fn trade([buyer, seller]: &mut [Client; 2], market: u64, price: u64) {
    let order = |intent, price| json!({ "market": market, "intent": intent, "price": price, "quantity": 3 });
    assert_eq!(seller.post("/v1/orders", &order("buy-no", 100 - price)).unwrap().status, 200);
    assert_eq!(buyer.post("/v1/orders", &order("buy-yes", price)).unwrap().status, 200);
}

#[test]
fn the_last_candle_moves_while_a_reader_looks_at_it() {
    for (language, look) in [("en", (1280, false)), ("zh-CN", (390, true))] {
        let Some(browser) = browser(language) else { return };
        let folder = TempDir::new().unwrap();
        let server = Server::start_with(folder.path(), &[]);
        let market = server.open_market("Will it snow?", "会下雪吗？");
        let other = server.open_market("Will it rain?", "会下雨吗？");
        let mut two = server.two_accounts();
        trade(&mut two, market, 31);
        let mut reader = Trader::at(browser, "past", &server, look);
        reader.browser.open(&server.url(&format!("/#/market/{market}")));
        let mut before = 31;
        for (button, price) in [(2, 41), (3, 42), (4, 43)] {
            reader.press(&format!(".past button:nth-child({button})"));
            reader.until(&format!("document.querySelector('.past button:nth-child({button})').ariaPressed === 'true'"));
            reader.until(&ends_at(before));
            // What it asks for when it is pressed has been asked for.
            let settled = "new Promise(done => setTimeout(() => done(true), 700))";
            assert_eq!(reader.browser.ask(settled), Value::from(true));
            let asked = reader.browser.ask(REQUESTS);
            trade(&mut two, other, 99);
            trade(&mut two, market, price);
            reader.until(&ends_at(price));
            assert_eq!(
                reader.browser.ask(REQUESTS),
                asked,
                "it moved because it was asked for again, not by the stream"
            );
            let says = reader.browser.ask(SAYS);
            assert!(!says.as_str().unwrap().contains("99"), "the chart has another market's price: {says}");
            before = price;
        }
        reader.is_sound(&format!("moving-{language}"));
        assert_eq!(reader.browser.errors.len(), 0, "{:?}", reader.browser.errors);
    }
}

#[test]
fn an_account_sees_its_profit_and_loss_beside_its_orders() {
    let Some(browser) = browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start_with(folder.path(), &[]);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let other = server.open_market("Will it rain?", "会下雨吗？");
    let mut two = server.two_accounts();
    let mut trader = Trader::at(browser, "profit", &server, (390, true));
    trader.browser.open(&server.url(&format!("/#/market/{market}")));
    trader.join();
    let of = |market, intent, price| json!({ "market": market, "intent": intent, "price": price, "quantity": 10 });
    assert_eq!(two[0].post("/v1/orders", &of(market, "buy-no", 60)).unwrap().status, 200);
    trader.place("buy-yes", 40, 10, "gtc");
    // Ten shares for 40 cents each, and then another trade at 55.
    trader.sees(".profit", "$4.00");
    trade(&mut two, market, 55);
    trader.sees(".profit", "+$1.50");
    assert_eq!(two[0].post("/v1/orders", &of(other, "buy-no", 60)).unwrap().status, 200);
    trader.browser.open(&server.url(&format!("/#/market/{other}")));
    trader.place("buy-yes", 40, 10, "gtc");
    trade(&mut two, other, 30);
    trader.sees(".profit", "−$1.00");
    trader.sees(".profit", "+$0.50");
    trader.is_sound("two-markets");
    trader.browser.ask("document.querySelector('header .language').click()");
    trader.sees(".profit", "盈亏");
    trader.is_sound("two-markets-zh");
    assert_eq!(trader.browser.errors.len(), 0, "{:?}", trader.browser.errors);
}

/// Whether the line of the chart ends at this price, as the chart says it in words.
fn ends_at(price: u64) -> String {
    format!("/(last|最近) {price}[,，]/.test({SAYS})")
}
