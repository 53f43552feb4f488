//! What happened while the page was closed is there when it is opened, once.

use serde_json::json;
use tempfile::TempDir;

use crate::lost::{entries, open_orders};
use crate::server::Server;
use crate::support::client::Client;
use crate::trader::Trader;

#[test]
fn what_happened_while_the_page_was_closed_is_shown_once() {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let page = server.url(&format!("/#/market/{market}"));
    let mut ann = Trader::new(browser, "closed", (360, false));
    ann.browser.open(&page);
    ann.join();
    ann.sees(".status", "Live");
    assert!(ann.place("buy-yes", 60, 10, "gtc").contains("10 rest at 60."));
    ann.until(
        "Object.entries(localStorage).some(([name, item]) => name.startsWith('nnc-lane') && JSON.parse(item).cursor)",
    );
    ann.browser.open("about:blank");

    let mut ben = Client::connect(server.address).unwrap();
    let made = ben.post("/v1/accounts", &json!({})).unwrap().json();
    let mut ben = ben.with_key(made["key"].as_str().unwrap());
    let mut meets = |quantity: u64| {
        let order = json!({"market": market, "intent": "buy-no", "price": 40, "quantity": quantity});
        assert_eq!(ben.post("/v1/orders", &order).unwrap().status, 200);
    };
    meets(3);
    meets(4);
    let traded = |quantity: u8| format!("traded: buy YES, {quantity} at 60 (maker).");
    // In the end each is there once, and the order too, however often the page is loaded.
    for load in 0..3 {
        ann.browser.open(&page);
        ann.sees(".entries", &traded(4));
        assert_eq!(
            [3, 4].map(|quantity| entries(&mut ann, &traded(quantity))),
            [1, 1],
            "{load}: {}",
            ann.text(".entries")
        );
        assert_eq!(
            ann.browser.ask("document.querySelectorAll('.entries li').length"),
            3,
            "{load}: {}",
            ann.text(".entries")
        );
        ann.browser.open("about:blank");
    }
    // Orders of this account from another program are shown too, and the events of one command are
    // one entry.
    ann.browser.open(&page);
    ann.sees(".status", "Live");
    ann.sees(".entries", &traded(4));
    let key = ann.browser.ask("localStorage.getItem('nnc-key')");
    let mut program = Client::connect(server.address).unwrap().with_key(key.as_str().unwrap());
    let order = json!({"market": market, "intent": "buy-yes", "price": 70, "quantity": 5, "time_in_force": "ioc"});
    assert_eq!(program.post("/v1/orders", &order).unwrap().status, 200);
    ann.sees(".entries", "buy YES, 5 at 70. ");
    ann.sees(".entries", "5 cancelled. Its time in force does not let it rest.");
    assert_eq!(ann.browser.ask("document.querySelectorAll('.entries li').length"), 4, "{}", ann.text(".entries"));
    ann.is_sound("closed");
    assert_eq!(open_orders(&mut ann, &server).len(), 1);
}

/// A venue with other logs knows neither the key nor the cursor. The page goes on, and shows nothing of the old one.
#[test]
fn a_cursor_of_other_logs_is_given_up() {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let page = server.url(&format!("/#/market/{market}"));
    let mut ann = Trader::new(browser, "other logs", (1280, false));
    ann.browser.open(&page);
    ann.join();
    assert!(ann.place("buy-yes", 60, 10, "gtc").contains("10 rest at 60."));
    ann.until(
        "Object.entries(localStorage).some(([name, item]) => name.startsWith('nnc-lane') && JSON.parse(item).cursor)",
    );
    ann.browser.open("about:blank");
    // As after a restore from a backup: the cursor is of other logs.
    ann.browser.open(&server.url("/page/icon.svg"));
    ann.browser.ask(
        "Object.keys(localStorage).filter(name => name.startsWith('nnc-lane')).forEach(name => {
            const item = JSON.parse(localStorage.getItem(name));
            item.cursor = item.cursor.replace(/^[0-9a-f]{8}/, '00000000');
            localStorage.setItem(name, JSON.stringify(item));
        })",
    );
    ann.browser.open(&page);
    ann.sees(".status", "Live");
    // The page has given up the cursor, and what was kept with it, and has begun anew.
    ann.until(
        "Object.entries(localStorage).some(([name, item]) => name.startsWith('nnc-lane') && /\"cursor\":\"(?!0{8})/.test(item))",
    );
    assert!(ann.place("buy-yes", 50, 1, "gtc").contains("1 rest at 50."));
    ann.until("document.querySelectorAll('.entries li').length === 1");
}
