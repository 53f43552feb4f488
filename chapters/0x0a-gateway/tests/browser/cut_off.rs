//! A page whose server is gone shows that, since when, and what it does about it; when the server is back, the page
//! recovers with every acknowledged order. No other request has to be answered for that.

use tempfile::TempDir;

use crate::server::Server;
#[cfg(unix)]
use crate::support::client::Client;
#[cfg(unix)]
use crate::support::feed::end_the_feed;
use crate::trader::Trader;

#[test]
fn a_page_is_stale_while_its_server_is_gone() {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let mut ann = Trader::at(browser, "cut-off", &server, (1280, true));
    ann.press(&format!(".list a[href='#/market/{market}']"));
    ann.join();
    assert!(ann.place("buy-yes", 40, 7, "gtc").contains("7 rest at 40."));
    ann.sees(".orders", "Order 1");

    let address = server.kill();
    ann.sees(".status", "Stale");
    ann.sees(".banner", "Stale since");
    ann.until(
        "document.querySelector('.book').matches('.stale') && document.querySelector('.headline').matches('.stale')",
    );
    ann.sees(".banner", "Trying again");
    // The page shows no price at which one could trade at the moment.
    assert!(!ann.text(".choices").contains("now"), "{}", ann.text(".choices"));
    ann.is_sound("stale");

    let _again = Server::start_at(folder.path(), &address.to_string());
    ann.sees(".status", "Live");
    ann.until("document.querySelector('.banner').hidden && !document.querySelector('.book').matches('.stale')");
    ann.rests_at(40, "7", "");
    ann.sees(".orders", "Order 1");
    ann.sees(".position", "$997.20 + $2.80 locked");
    assert!(ann.place("buy-yes", 30, 2, "gtc").contains("2 rest at 30."));
    ann.rests_at(30, "2", "");
}

/// A server that is up but silent counts as gone too.
#[cfg(unix)]
#[test]
fn silence_is_detected() {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let mut ann = Trader::at(browser, "silence", &server, (360, false));
    ann.press(&format!(".list a[href='#/market/{market}']"));
    ann.sees(".status", "Live");
    // A page shows since when its book is old, so it has to have one.
    ann.sees(".headline .age", "As of command");
    server.signal("STOP");
    ann.sees(".status", "Stale");
    ann.sees(".banner", "Stale since");
    server.signal("CONT");
    ann.sees(".status", "Live");
    ann.until("document.querySelector('.banner').hidden");
}

/// A venue without a feed still accepts orders, and its page shows since when the book is old, even if it was opened
/// later.
#[cfg(unix)]
#[test]
fn a_feed_that_ends_is_shown() {
    let Some(browser) = crate::browser("en") else { return };
    let Some(later) = crate::browser("zh") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start_with(folder.path(), &["--orders-per-second", "0"]);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let [_one, other] = server.two_accounts();
    let mut ann = Trader::at(browser, "no feed", &server, (1280, true));
    ann.press(&format!(".list a[href='#/market/{market}']"));
    ann.join();
    ann.rests_at(1, "17,000", "");
    ann.sees(".status", "Live");

    // Its connection has been idle for as long as the browser took, and the venue closes idle ones.
    let mut other = Client::connect(server.address).unwrap().with_key(other.key.as_ref().unwrap());
    let hidden = end_the_feed(folder.path(), &mut other);
    ann.sees(".status", "Stale");
    ann.sees(".banner", "Stale since");
    ann.sees(".banner", "The feed has failed and is being restarted");
    let since = ann.text(".banner p").split_once('.').unwrap().0.replace("Stale since ", "");
    assert!(ann.place("buy-yes", 40, 7, "gtc").contains("7 rest at 40."), "orders are accepted");
    ann.is_sound("no feed");
    let mut ben = Trader::at(later, "later", &server, (360, false));
    ben.press(&format!(".list a[href='#/market/{market}']"));
    ben.sees(".status", "旧数据");
    ben.sees(".banner", &format!("{since} 之后的变化还不知道"));

    hidden.give_back();
    ann.sees(".status", "Live");
    ben.sees(".status", "实时");
    ann.until("document.querySelector('.banner').hidden && !document.querySelector('.book').matches('.stale')");
    ann.rests_at(40, "7", "");
}

/// A request that is never answered must not hold up anything else.
#[test]
fn a_page_recovers_without_its_list() {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let mut ann = Trader::at(browser, "no list", &server, (1280, false));
    ann.press(&format!(".list a[href='#/market/{market}']"));
    ann.sees(".status", "Live");
    ann.browser.ask("globalThis.fetch = () => new Promise(() => {}); 0");
    let address = server.kill();
    ann.sees(".status", "Stale");
    let _again = Server::start_at(folder.path(), &address.to_string());
    ann.sees(".status", "Live");
}

/// A server that returns with another log does not have everything that the page knows; the page continues with the
/// rest.
#[test]
fn a_market_that_is_gone_does_not_stop_the_page_from_watching_others() {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    server.open_market("Will it thaw?", "会化雪吗？");
    let mut ann = Trader::at(browser, "another log", &server, (1280, false));
    ann.press(&format!(".list a[href='#/market/{market}']"));
    ann.sees(".status", "Live");
    let address = server.kill();
    ann.sees(".status", "Stale");
    let another = TempDir::new().unwrap();
    let again = Server::start_at(another.path(), &address.to_string());
    again.open_market("Will it snow?", "会下雪吗？");
    ann.sees(".status", "Live");
}

/// The connection to the server, with a fake clock and socket: every check runs a minute late, and no message arrives.
const WOKEN_RARELY: &str = "(async () => {
    const clock = Date.now, { setInterval, WebSocket } = globalThis;
    const { Stream } = await import('/page/net.js');
    let now = clock();
    Date.now = () => now;
    globalThis.setInterval = () => 0;
    globalThis.WebSocket = class { close() {} };
    const stream = new Stream({ message() {}, changed() {} });
    stream.connect();
    stream.socket.onmessage({ data: '{\"kind\":\"hello\"}' });
    const states = [stream.state];
    for (let look = 0; look < 2; look++) {
        now += 60000;
        stream.look();
        states.push(stream.state);
    }
    [Date.now, globalThis.setInterval, globalThis.WebSocket] = [clock, setInterval, WebSocket];
    return states.join(' ');
})()";

/// A browser wakes a hidden page once a minute. Messages that arrived meanwhile are handled first, but silence is still
/// silence.
#[test]
fn a_page_that_is_woken_rarely_detects_silence() {
    let Some(mut browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    browser.open(&server.url("/page/icon.svg"));
    assert_eq!(browser.ask(WOKEN_RARELY), "live live waiting");
}
