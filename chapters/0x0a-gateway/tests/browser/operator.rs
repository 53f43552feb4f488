//! The operator's page: a key that is typed in, a market that is opened, its end in two presses.

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

    // The key ends with the tab.
    let kept = teacher.browser.ask("[JSON.stringify(localStorage), Object.keys(sessionStorage).length]");
    assert_eq!(kept, json!(["{}", 1]));
    // The browser itself says that a key was refused; nothing else went wrong.
    let errors = teacher.browser.errors.iter().filter(|error| !error.contains("401"));
    assert_eq!(errors.count(), 0, "{:?}", teacher.browser.errors);
}
