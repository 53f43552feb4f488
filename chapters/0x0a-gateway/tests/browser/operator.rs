//! The operator's page: typing the key, opening a market, resolving it with two presses.

use serde_json::json;
use tempfile::TempDir;

use crate::server::Server;
use crate::trader::Trader;

#[test]
fn the_operator_opens_and_ends_a_market() {
    let Some(browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    let mut teacher = Trader::new(browser, "operator", (390, false));
    teacher.browser.open(&server.url("/page/operator.html"));
    teacher.write("#operator-key", "nnc_no-such-key");
    teacher.press("main [type=submit]");
    teacher.write("#question-en", "Will it snow?");
    teacher.write("#question-zh", "会下雪吗？");
    let open = "section:has(#question-en) [type=submit]";
    teacher.press(open);
    teacher.sees(".answer", "Refused. The server does not know this key.");

    teacher.press("main .row button");
    teacher.write("#operator-key", &server.operator);
    teacher.press("main [type=submit]");
    teacher.write("#question-en", "Will it snow?");
    teacher.press(open);
    teacher.sees(".answer", "Market 1 is open.");
    teacher.sees("main ul", "Will it snow?");
    teacher.is_sound("open");

    teacher.press("[data-focus=yes-1]");
    teacher.sees("main ul", "it cannot be undone");
    teacher.is_sound("sure");
    teacher.press("[data-focus=do-1]");
    teacher.sees("main ul", "Resolved: YES");

    // The tab forgets the key when it is closed.
    let kept = teacher.browser.ask("[JSON.stringify(localStorage), Object.keys(sessionStorage).length]");
    assert_eq!(kept, json!(["{}", 1]));
    // The browser itself logs that a key was refused; nothing else went wrong.
    let errors = teacher.browser.errors.iter().filter(|error| !error.contains("401"));
    assert_eq!(errors.count(), 0, "{:?}", teacher.browser.errors);
}

#[test]
fn a_class_gets_its_accounts_back_and_starts_afresh() {
    let (Some(browser), Some(laptop)) = (crate::browser("en"), crate::browser("zh-CN")) else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start_with(folder.path(), &["--classroom"]);
    let market = server.open_market("Will it snow?", "会下雪吗？");
    let mut teacher = Trader::new(browser, "teacher", (390, true));
    let mut ann = Trader::at(laptop, "ann", &server, (360, false));
    ann.press(&format!(".list a[href='#/market/{market}']"));
    ann.join();
    assert!(ann.place("buy-yes", 60, 10, "gtc").contains("落盘"));
    let shown = ann.browser.ask("localStorage.getItem('nnc-code')");
    let code = shown.as_str().unwrap().to_owned();

    teacher.browser.open(&server.url("/page/operator.html"));
    teacher.write("#operator-key", &server.operator);
    teacher.press("main [type=submit]");
    teacher.sees("main", &code);
    teacher.is_sound("class");

    // The laptop was closed, and the key is lost.
    ann.browser.ask("localStorage.clear()");
    ann.browser.open(&server.url("/page/icon.svg"));
    ann.browser.open(&server.url("/"));
    ann.until("document.querySelector('.list li a') !== null");
    ann.press(&format!(".list a[href='#/market/{market}']"));
    ann.press(".newcomer .quiet");
    ann.write("#account-key", &code.to_lowercase());
    ann.press("dialog form:has(#account-key) [type=submit]");
    ann.sees("dialog .code", &code);
    ann.is_sound("code");
    ann.press("dialog .quiet");
    ann.sees(".position", "$994.00");

    teacher.press("[data-focus=anew]");
    teacher.sees("main", "It cannot be undone");
    teacher.is_sound("anew");
    teacher.press("[data-focus=anew-no]");
    teacher.sees(".answer", "1 markets were reopened.");
    teacher.sees("main ul", "Resolved: NO");
    ann.sees(".list", "已裁决：NO");
    assert_eq!(teacher.browser.errors, Vec::<String>::new());
}
