//! A page whose server is gone says so, since when, and what it does about it; when the server is back, so is the page,
//! with every order that it was told of.

use tempfile::TempDir;

use crate::server::Server;
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
    // Nothing says what one could trade at now.
    assert!(!ann.text(".choices").contains("now"), "{}", ann.text(".choices"));
    let said = ann.place("buy-yes", 30, 1, "gtc");
    assert!(said.contains("No answer came."), "{said}");
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

/// A server that is there and says nothing is gone too.
#[cfg(unix)]
#[test]
fn silence_is_noticed() {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let mut ann = Trader::at(browser, "silence", &server, (360, false));
    ann.press(&format!(".list a[href='#/market/{market}']"));
    ann.sees(".status", "Live");
    server.signal("STOP");
    ann.sees(".status", "Stale");
    ann.sees(".banner", "Stale since");
    server.signal("CONT");
    ann.sees(".status", "Live");
    ann.until("document.querySelector('.banner').hidden");
}
