//! How long the page waits before it sends a request again, by a clock that the test turns.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::Server;

/// Runs `untilAnswered` against answers, one for each attempt, and returns how long it waited before each repeat.
const WAITS: &str = "(async answers => {
    const { extend } = await import('/page/once.js');
    const { Problem } = await import('/page/net.js');
    const account = new (extend(class { constructor() { this.key = null; this.clear(); this.key = 'key'; } clear() {} }))();
    const { setTimeout } = globalThis;
    const waits = [];
    globalThis.setTimeout = (then, ms) => { waits.push(ms); return setTimeout(then); };
    const attempt = async () => {
        const answer = answers.shift();
        if (answer) throw new Problem(answer);
        return 'done';
    };
    const end = await account.untilAnswered('key', Date.now(), attempt).catch(problem => problem.reason);
    globalThis.setTimeout = setTimeout;
    return [end, waits, answers.length];
})";

fn waits(browser: &mut crate::cdp::Browser, answers: &Value) -> (String, Vec<f64>, u64) {
    let found = browser.ask(&format!("{WAITS}({answers})"));
    serde_json::from_value(found).unwrap()
}

#[test]
fn waits_grow_and_obey_the_server() {
    let Some(mut browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    browser.open(&server.url("/page/icon.svg"));
    let lost = json!({"reason": "lost"});
    let (end, all, _) = waits(&mut browser, &json!(vec![lost.clone(); 12]));
    assert_eq!((end.as_str(), all.len()), ("done", 12));
    for (wait, expected) in all.iter().zip([300.0, 600.0, 1200.0, 2400.0, 4800.0, 9600.0, 10000.0, 10000.0]) {
        assert!((expected * 0.5..expected * 1.5).contains(wait), "{expected}: {all:?}");
    }
    // Two pages that failed together do not return together.
    assert_ne!(all, waits(&mut browser, &json!(vec![lost; 12])).1);

    for (status, reason) in [(503, "busy"), (429, "too-many-requests")] {
        let busy = json!({"reason": reason, "status": status, "retryAfter": 4});
        let (end, all, _) = waits(&mut browser, &json!([busy]));
        assert_eq!(end, "done", "{reason}");
        assert!((4000.0..4500.0).contains(&all[0]), "{reason}: {all:?}");
    }
    let refused = json!([{"reason": "insufficient-cash", "status": 422}, {"reason": "lost"}]);
    assert_eq!(waits(&mut browser, &refused), ("insufficient-cash".into(), vec![], 1), "a refusal is an answer");
}

/// Each word that only this chapter's program says has a text in both languages.
#[test]
fn the_page_has_a_text_for_every_refusal_of_a_number() {
    let Some(mut browser) = crate::browser("zh-CN") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    browser.open(&server.url("/"));
    for refused in [&exactly_once::table::TOO_OLD, &exactly_once::table::REUSED, &exactly_once::table::DONE] {
        let said = browser.ask(&format!("import('/page/words.js').then(({{ say }}) => say('r-{}'))", refused.word));
        assert!(said.as_str().unwrap().contains('。'), "{}: {said}", refused.word);
    }
}
