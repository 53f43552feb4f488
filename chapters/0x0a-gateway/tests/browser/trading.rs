//! Two traders, one at a desk in English, one on a phone in Chinese: an account in one press, an order that rests, one
//! that trades with it, one that is cancelled, one that is rejected, and the end of the market.

use serde_json::json;
use tempfile::TempDir;

use crate::server::Server;
use crate::trader::Trader;

#[test]
fn two_traders_in_two_languages_trade_and_are_paid() {
    let (Some(ann), Some(ben)) = (crate::browser("en"), crate::browser("zh-CN")) else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it rain <b>tomorrow</b>?", "明天会下雨吗？");
    let mut ann = Trader::at(ann, "ann", &server, (1280, false));
    let mut ben = Trader::at(ben, "ben", &server, (360, true));
    ann.is_sound("list");
    ben.is_sound("list");
    for trader in [&mut ann, &mut ben] {
        trader.press(&format!(".list a[href='#/market/{market}']"));
    }
    // A question is text, even if it looks like markup.
    ann.sees("h1", "Will it rain <b>tomorrow</b>?");
    ben.sees("h1", "明天会下雨吗？");
    ann.sees(".status", "Live");
    ann.is_sound("newcomer");
    for trader in [&mut ann, &mut ben] {
        trader.join();
    }

    an_order_rests_and_is_met(&mut ann, &mut ben);
    an_order_is_cancelled_in_the_ladder(&mut ann, &mut ben);
    a_refusal_says_what_to_do(&mut ben);

    assert!(ann.place("buy-yes", 20, 5, "gtc").contains("5 rest at 20."));
    ben.is_sound("trading");
    ann.is_sound("trading");
    server.operate(&format!("/v1/markets/{market}/resolve"), &json!({"outcome": "yes"}));
    ann.sees(".entries", "You were paid $10.00.");
    ann.sees(".entries", "5 cancelled. The market was resolved.");
    for trader in [&mut ann, &mut ben] {
        trader.sees(".percent", "100%");
    }
    ann.sees(".position", "$1,004.00");
    // The loser gets no cash, and still sees that the market is over.
    ben.sees(".entries", "市场已裁决：YES。");
    ben.sees(".position", "$996.00");
    ben.until("!document.querySelector('.position').innerText.includes('NO')");
    ann.is_sound("resolved");
    ben.is_sound("resolved");

    another_language_and_colour(&mut ann);
    for trader in [&mut ann, &mut ben] {
        assert_eq!(trader.browser.errors, Vec::<String>::new(), "{}", trader.name);
        let ours = server.url("/");
        let elsewhere = trader.browser.requests.iter().filter(|to| !to.starts_with(&ours) && *to != "about:blank");
        assert_eq!(elsewhere.count(), 0, "{}: {:?}", trader.name, trader.browser.requests);
    }
}

/// The example of the book's first chapter: two buyers create a pair of shares, at the maker's price.
fn an_order_rests_and_is_met(ann: &mut Trader, ben: &mut Trader) {
    let said = ann.place("buy-yes", 60, 10, "gtc");
    assert!(said.contains("10 rest at 60.") && said.contains("On disk after"), "{said}");
    ben.rests_at(60, "10", "");
    ann.sees(".position", "$994.00 + $6.00 locked");
    let said = ben.place("buy-no", 45, 10, "gtc");
    assert!(said.contains("成交 10 份，价格 40。") && said.contains("全部成交。") && said.contains("落盘"), "{said}");
    ann.sees(".entries", "traded: buy YES, 10 at 60 (maker).");
    ben.rests_at(60, "", "");
    for trader in [ann, ben] {
        trader.sees(".trades tbody", "60");
        trader.sees(".percent", "60%");
    }
}

fn an_order_is_cancelled_in_the_ladder(ann: &mut Trader, ben: &mut Trader) {
    ann.place("sell-yes", 70, 10, "gtc");
    ben.rests_at(70, "", "10");
    ann.press(".ladder .chip.yes");
    ben.rests_at(70, "", "");
    ann.sees(".entries", "Cancelled: Order");
    ann.sees(".orders", "No open orders.");
}

fn a_refusal_says_what_to_do(ben: &mut Trader) {
    let said = ben.place("sell-no", 30, 50, "gtc");
    assert!(said.starts_with("被拒") && said.contains("你可用的份额没有这么多"), "{said}");
    let said = ben.place("buy-yes", 50, 5, "fok");
    assert!(said.starts_with("被拒") && said.contains("无法当场全部成交"), "{said}");
    ben.sees(".ticket .warning[id]", "会被拒绝");
}

/// The switches work, and the settings persist.
fn another_language_and_colour(ann: &mut Trader) {
    ann.press("header .language");
    ann.sees("h1", "明天会下雨吗？");
    ann.browser.ask(
        "(select => { select.value = 'dark'; select.dispatchEvent(new Event('change')); })(document.querySelector('header select'))",
    );
    ann.browser.call("Page.reload", json!({}));
    ann.browser.until("document.readyState === 'complete' && document.documentElement.lang === 'zh'");
    ann.until("document.documentElement.dataset.colours === 'dark'");
    ann.sees(".position", "$1,004.00");
    ann.sees(".entries", "10 份，价格 60（挂单方）");
}
