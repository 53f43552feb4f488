//! The start of the page: at a desk the first open market is chosen, and everywhere the list shows what moved.

use serde_json::json;
use tempfile::TempDir;

use crate::server::Server;
use crate::support::client::Client;
use crate::trader::Trader;

#[test]
fn a_desk_starts_with_the_first_open_market() {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let over = server.open_market("Did it rain?", "下雨了吗？");
    let open = server.open_market("Will it snow?", "会下雪吗？");
    server.operate(&format!("/v1/markets/{over}/resolve"), &json!({"outcome": "yes"}));
    let mut ann = Trader::new(browser, "desk", (1280, false));
    ann.browser.open(&server.url("/page/icon.svg"));
    let pages_before = ann.browser.ask("history.length").as_u64().unwrap();
    ann.browser.open(&server.url("/"));
    ann.sees("h1", "Will it snow?");
    assert_eq!(ann.browser.ask("location.hash"), format!("#/market/{open}"));
    // Back leaves the page: it has not added an address of its own.
    assert_eq!(ann.browser.ask("history.length"), pages_before + 1);
    ann.is_sound("start");

    // A reader who asks for the list gets it, and so does one whose window has no room for both.
    ann.press(".brand");
    ann.until("document.body.dataset.view === 'list'");
    ann.browser.open(&server.url("/page/icon.svg"));
    ann.browser.look(1279, false);
    ann.browser.open(&server.url("/"));
    ann.until("document.querySelectorAll('.list li a').length === 2");
    ann.until("document.body.dataset.view === 'list' && location.hash === ''");
    ann.browser.open(&server.url("/page/icon.svg"));
    ann.browser.look(1280, false);
    ann.browser.open(&server.url(&format!("/#/market/{over}")));
    ann.sees("h1", "Did it rain?");
}

/// Trades one share at this price of YES, between the accounts of these keys.
fn trade(server: &Server, keys: &[String; 2], market: u64, price: u64) {
    for (key, (intent, price)) in keys.iter().zip([("buy-yes", price), ("buy-no", 100 - price)]) {
        let mut client = Client::connect(server.address).unwrap().with_key(key);
        let order = json!({"market": market, "intent": intent, "price": price, "quantity": 1});
        assert_eq!(client.post("/v1/orders", &order).unwrap().status, 200);
    }
}

#[test]
fn the_list_shows_what_moved() {
    let (Some(desk), Some(phone)) = (crate::browser("en"), crate::browser("zh-CN")) else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let moved = server.open_market("Will it snow?", "会下雪吗？");
    let fell = server.open_market("Will it thaw?", "会化雪吗？");
    let once = server.open_market("Will it freeze?", "会结冰吗？");
    let keys = [(); 2].map(|()| {
        let made = Client::connect(server.address).unwrap().post("/v1/accounts", &json!({})).unwrap().json();
        made["key"].as_str().unwrap().to_owned()
    });
    for (market, price) in [(moved, 40), (moved, 45), (moved, 43), (fell, 62), (fell, 55), (once, 50)] {
        trade(&server, &keys, market, price);
    }
    let row = |market: u64| format!(".list a[href='#/market/{market}']");
    let mut ann = Trader::at(desk, "list-desk", &server, (1280, true));
    let mut ben = Trader::at(phone, "list-phone", &server, (360, false));
    ann.sees(&row(moved), "+3¢ since ");
    ann.sees(&row(fell), "−7¢ since ");
    ben.sees(&row(moved), "以来 +3¢");
    ben.sees(&row(fell), "以来 −7¢");
    let line = |trader: &mut Trader, market: u64| {
        let label = format!(
            "document.querySelector(\"{} .spark:not([hidden])\")?.getAttribute('aria-label') ?? ''",
            row(market)
        );
        trader.browser.ask(&label).as_str().unwrap().to_owned()
    };
    assert_eq!(line(&mut ann, moved), "The last 3 trades: from 40 to 43, lowest 40, highest 45 cents.");
    assert_eq!(line(&mut ben, fell), "最近 2 笔成交：从 62 到 55，最低 55，最高 62 美分。");
    // One trade is neither a change nor a line.
    assert_eq!(line(&mut ann, once), "");
    assert!(!ann.text(&row(once)).contains("since"), "{}", ann.text(&row(once)));
    // 40, 45, 43: to the right, up, and down a little. Up is a smaller y.
    let points =
        ann.browser.ask(&format!("document.querySelector(\"{} polyline\").getAttribute('points')", row(moved)));
    let points: Vec<Vec<f64>> =
        points.as_str().unwrap().split(' ').map(|at| at.split(',').map(|n| n.parse().unwrap()).collect()).collect();
    assert_eq!(points.len(), 6, "each price holds until the next trade");
    assert!(points.is_sorted_by(|one, other| one[0] <= other[0]), "{points:?}");
    assert!(points[2][1] < points[4][1] && points[4][1] < points[0][1], "{points:?}");
    ann.is_sound("moved");
    ben.is_sound("moved");

    // It follows the stream.
    trade(&server, &keys, moved, 50);
    ann.sees(&row(moved), "+10¢ since ");
    ben.sees(&row(moved), "以来 +10¢");
    assert!(line(&mut ann, moved).starts_with("The last 4 trades: from 40 to 50"), "{}", line(&mut ann, moved));
}
