//! An order whose answer is lost: the page sends it again by itself, it is placed once, and *What happened* says so.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::proxy::Proxy;
use crate::server::Server;
use crate::support::client::Client;
use crate::trader::Trader;

/// The words of a page: in English and in Chinese.
struct Words {
    language: &'static str,
    no_answer_yet: &'static str,
    sent_again: &'static str,
    next: &'static str,
    rests: &'static str,
    live: &'static str,
}

const ENGLISH: Words = Words {
    language: "en",
    no_answer_yet: "No answer yet.",
    sent_again: "Sent again.",
    next: "buy YES, 2 at 30.",
    rests: "7 rest at 40.",
    live: "Live",
};
const CHINESE: Words = Words {
    language: "zh-CN",
    no_answer_yet: "还没有收到答复。",
    sent_again: "已重发。",
    next: "买 YES，2 份，价格 30。",
    rests: "7 份挂在 40。",
    live: "实时",
};

/// The account's orders in the book, according to the server.
pub fn open_orders(trader: &mut Trader, server: &Server) -> Vec<Value> {
    let key = trader.browser.ask("localStorage.getItem('nnc-key')");
    let mut client = Client::connect(server.address).unwrap().with_key(key.as_str().unwrap());
    client.get("/v1/orders").unwrap().json()["orders"].as_array().unwrap().clone()
}

/// Fills in the ticket, sends it, and does not wait for an answer.
pub fn send(trader: &mut Trader, price: u8, quantity: u32) {
    trader.press("input[value=buy-yes]");
    trader.write("#ticket-price", &price.to_string());
    trader.write("#ticket-quantity", &quantity.to_string());
    trader.until(&format!("document.querySelector('.ticket [type=submit]').innerText.includes('{price}')"));
    trader.press(".ticket [type=submit]");
}

/// How many entries of *What happened* contain these words.
pub fn entries(trader: &mut Trader, words: &str) -> u64 {
    let count = "[...document.querySelectorAll('.entries li')].filter(entry => entry.innerText.includes";
    trader.browser.ask(&format!("{count}({})).length", json!(words))).as_u64().unwrap()
}

fn a_lost_answer(name: &'static str, look: (u32, bool), words: &Words) {
    let Some(browser) = crate::browser(words.language) else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let proxy = Proxy::start(server.address);
    let mut ann = Trader::new(browser, name, look);
    ann.browser.open(&format!("http://{}/#/market/{market}", proxy.address));
    ann.join();
    ann.sees(".status", words.live);

    proxy.lose_answers(true);
    send(&mut ann, 40, 7);
    while open_orders(&mut ann, &server).is_empty() {}
    // The order is in the book, and the page can't know it: what is in the browser's storage can.
    assert_eq!(entries(&mut ann, words.rests), 0);
    proxy.cut();
    ann.sees(".entries", words.no_answer_yet);
    ann.sees(".answer", words.no_answer_yet);
    ann.is_sound("under way");
    proxy.lose_answers(false);
    proxy.cut();
    ann.sees(".entries", words.sent_again);
    ann.sees(".answer", words.sent_again);
    ann.sees(".answer", words.rests);
    ann.sees(".status", words.live);
    ann.rests_at(40, "7", "");
    ann.is_sound("sent again");
    assert_eq!(entries(&mut ann, words.rests), 1);
    assert_eq!(entries(&mut ann, words.no_answer_yet), 0);
    assert_eq!(open_orders(&mut ann, &server).len(), 1);

    // The next one is sent once, and a cancellation has a number too.
    let said = ann.place("buy-yes", 30, 2, "gtc");
    assert!(!said.contains(words.sent_again), "{said}");
    ann.until("document.querySelectorAll('.orders li').length === 2");
    ann.press(".orders .row .quiet");
    ann.until("document.querySelectorAll('.orders li').length === 0");
    let kinds = ann.browser.ask(
        "fetch('/v1/lanes', { headers: { authorization: `Bearer ${localStorage.getItem('nnc-key')}` } })
            .then(answer => answer.json()).then(({ lanes }) => lanes.map(({ kind, highest }) => `${kind} ${highest}`).join())",
    );
    assert_eq!(kinds, "orders 2,cancels 2");
    // The events of the page's own commands are not shown a second time, neither in a separate entry nor in another one.
    assert_eq!(ann.text(".entries").matches(words.next).count(), 1, "{}", ann.text(".entries"));
    assert_eq!(ann.browser.ask("document.querySelectorAll('.entries li').length"), 3, "{}", ann.text(".entries"));
}

#[test]
fn an_order_whose_answer_is_cut_off_is_placed_once() {
    a_lost_answer("cut", (1280, false), &ENGLISH);
}

#[test]
fn an_order_whose_answer_is_cut_off_is_placed_once_in_chinese() {
    a_lost_answer("cut-zh", (360, true), &CHINESE);
}

/// The server is killed while it has the order, and another server continues its log.
#[cfg(unix)]
#[test]
fn an_order_survives_the_server() {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let mut ann = Trader::at(browser, "killed", &server, (1280, true));
    ann.press(&format!(".list a[href='#/market/{market}']"));
    ann.join();
    ann.sees(".status", "Live");
    server.signal("STOP");
    send(&mut ann, 40, 7);
    ann.until(
        "Object.entries(localStorage).some(([name, item]) => name.startsWith('nnc-lane') && item.includes('buy-yes'))",
    );
    let address = server.kill();
    ann.sees(".entries", "No answer yet.");
    ann.sees(".answer", "No answer yet.");
    let again = Server::start_at(folder.path(), &address.to_string());
    ann.sees(".entries", "7 rest at 40.");
    ann.sees(".entries", "Sent again.");
    assert_eq!(open_orders(&mut ann, &again).len(), 1);
    assert_eq!(entries(&mut ann, "7 rest at 40."), 1);
}

/// The page that sent the order is closed before the answer comes; the next page that is loaded sends the same request.
#[cfg(unix)]
#[test]
fn an_order_survives_its_page() {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let mut ann = Trader::at(browser, "reloaded", &server, (1280, false));
    ann.press(&format!(".list a[href='#/market/{market}']"));
    ann.join();
    ann.sees(".status", "Live");
    server.signal("STOP");
    send(&mut ann, 40, 7);
    ann.until(
        "Object.entries(localStorage).some(([name, item]) => name.startsWith('nnc-lane') && item.includes('buy-yes'))",
    );
    ann.browser.open("about:blank");
    server.signal("CONT");
    ann.browser.open(&server.url(&format!("/#/market/{market}")));
    ann.sees(".entries", "7 rest at 40.");
    ann.sees(".entries", "Sent again.");
    assert_eq!(open_orders(&mut ann, &server).len(), 1);
    // With its answer, nothing is under way any more: the next load sends nothing.
    ann.until("Object.entries(localStorage).every(([name, item]) => !name.startsWith('nnc-lane') || JSON.parse(item).underWay.length === 0)");
    ann.browser.open("about:blank");
    ann.browser.open(&server.url(&format!("/#/market/{market}")));
    ann.sees(".entries", "7 rest at 40.");
    assert_eq!(entries(&mut ann, "Order 1"), 1);
    assert_eq!(open_orders(&mut ann, &server).len(), 1);
}
