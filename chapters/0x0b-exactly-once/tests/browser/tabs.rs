//! Two tabs of one browser, with one account: each has a lane of its own, so the same order in both is two orders.

use serde_json::json;
use tempfile::TempDir;

use crate::lost::open_orders;
use crate::server::Server;
use crate::trader::Trader;

/// The lanes that the browser's storage holds.
const LANES: &str = "Object.keys(localStorage).filter(name => name.startsWith('nnc-lane')).length";

fn two_tabs(name: &'static str, prepare: &str) {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let page = server.url(&format!("/#/market/{market}"));
    let mut left = Trader::new(browser, name, (1280, false));
    let mut right = Trader::new(left.browser.beside(), name, (1280, false));
    for tab in [&mut left, &mut right] {
        tab.browser.call("Page.addScriptToEvaluateOnNewDocument", json!({"source": prepare}));
    }
    left.browser.open(&page);
    left.join();
    right.browser.open(&page);
    right.sees(".position", "$1,000.00");
    for tab in [&mut left, &mut right] {
        assert!(tab.place("buy-yes", 40, 7, "gtc").contains("7 rest at 40."));
        tab.place("buy-yes", 41, 7, "gtc");
    }
    let orders = open_orders(&mut left, &server);
    assert_eq!(orders.len(), 4, "{orders:?}");
    // The account's number for an order has the lane in its high 8 bits.
    let lane = |at: usize| orders[at]["client_order_id"].as_u64().unwrap() >> 56;
    assert_eq!((lane(0), lane(2)), (lane(1), lane(3)), "{orders:?}");
    assert_ne!(lane(0), lane(2), "{orders:?}");
    // Each tab sees the other's orders.
    left.until("document.querySelectorAll('.entries li').length === 4");
    right.until("document.querySelectorAll('.entries li').length === 4");
}

#[test]
fn two_tabs_have_two_lanes() {
    two_tabs("tabs", "");
}

/// A page that was loaded over plain HTTP from another machine has no locks.
#[test]
fn two_tabs_without_locks_have_two_lanes() {
    two_tabs("tabs without locks", "Object.defineProperty(navigator, 'locks', { value: undefined })");
}

/// A tab that is closed gives its lane back, so a browser does not use up the account's 256.
#[test]
fn the_next_tab_goes_on_in_the_same_lane() {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let page = server.url(&format!("/#/market/{market}"));
    let mut ann = Trader::new(browser, "next tab", (1280, false));
    ann.browser.open(&page);
    ann.join();
    for number in 1..4 {
        assert!(ann.place("buy-yes", 40, number, "gtc").contains("rest at 40."));
        ann.until(&format!("document.querySelectorAll('.orders li').length === {number}"));
        ann.browser.open("about:blank");
        ann.browser.open(&page);
        ann.sees(".status", "Live");
    }
    assert_eq!(ann.browser.ask(LANES), 1);
    let numbers = open_orders(&mut ann, &server).into_iter().map(|order| order["client_order_id"].as_u64().unwrap());
    assert_eq!(numbers.map(|number| number & 0xff).collect::<Vec<_>>(), [1, 2, 3]);
}
