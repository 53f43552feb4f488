//! An order whose answer is lost: this chapter's page says that it does not know, and sends nothing again. 0x0b's does.

use tempfile::TempDir;

use crate::server::Server;
use crate::trader::Trader;

#[test]
fn an_order_without_an_answer_is_not_sent_again() {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let mut ann = Trader::at(browser, "lost", &server, (1280, false));
    ann.press(&format!(".list a[href='#/market/{market}']"));
    ann.join();
    let address = server.kill();
    ann.sees(".status", "Stale");
    let said = ann.place("buy-yes", 30, 1, "gtc");
    assert!(said.contains("No answer arrived."), "{said}");

    let _again = Server::start_at(folder.path(), &address.to_string());
    ann.sees(".status", "Live");
    assert!(ann.place("buy-yes", 30, 2, "gtc").contains("2 rest at 30."));
    ann.rests_at(30, "2", "");
    // No number of an order is kept, because this venue promises nothing for it.
    let kept = ann.browser.ask("Object.keys(localStorage).join()");
    assert_eq!(kept, "nnc-key");
}
