//! Nothing is loaded from elsewhere and nothing is sent there: every request of every page is watched, from a server
//! and from a folder, with all interactive elements in use, and the pages' own policy is tested.

use super::{Browser, Site, browser};
use book::serve;
use program::rounds::Rounds;
use serde_json::json;
use std::net::{Ipv4Addr, TcpListener};
use std::thread;

/// Serves the site, and returns its origin and another one that leads to the same files.
pub fn served(site: &Site) -> (String, String) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let dist = site.dist.clone();
    thread::spawn(move || serve::answer_all(&listener, &dist));
    (format!("http://127.0.0.1:{port}/"), format!("http://localhost:{port}/"))
}

/// What was requested from elsewhere since the last call; something must have been requested here.
pub fn elsewhere(browser: &mut Browser, origin: &str) -> Vec<String> {
    let (here, elsewhere): (Vec<String>, Vec<String>) =
        browser.requests.drain(..).partition(|url| url.starts_with(origin) || url.starts_with("data:"));
    assert!(!here.is_empty(), "nothing was requested from {origin}");
    elsewhere
}

/// Uses every interactive element on a page.
pub const USE: &str = "(() => {
    for (const button of document.querySelectorAll('main button, .choices a')) button.click();
    for (const details of document.querySelectorAll('details')) details.open = true;
    document.getElementById('mdbook-theme-toggle').click();
    document.getElementById('mdbook-theme-navy').click();
})()";

/// Searches all pages, which reads their index.
const SEARCH: &str = "(() => {
    document.getElementById('mdbook-search-toggle').click();
    const input = document.getElementById('search-input');
    input.value = 'ring';
    input.dispatchEvent(new Event('input'));
})()";

/// Searches from the open page, until there are results.
pub fn search(browser: &mut Browser) {
    browser.ask(SEARCH);
    browser.until("document.querySelectorAll('#search-results a').length > 0");
}

/// Each page on a server is checked where all of them are opened, in `pages`.
#[test]
fn no_request_leaves_the_first_page_or_a_folder() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    browser.look(1280, false);
    let folder = site.url("");
    for page in ["en/market.html", "zh/pinned-ring.html", "zh/naive.html"] {
        browser.open(&format!("{folder}{page}"));
        browser.ask(USE);
        search(&mut browser);
        assert_eq!(elsewhere(&mut browser, &folder), Vec::<String>::new(), "{page} from a folder");
    }
    let (origin, _) = served(site);
    browser.call("Page.navigate", json!({"url": origin}));
    browser.until("location.href.endsWith('en/index.html') && document.readyState === 'complete'");
    browser.requests.retain(|url| !url.starts_with(&folder));
    assert_eq!(elsewhere(&mut browser, &origin), Vec::<String>::new(), "the first page");
    assert_eq!(browser.errors, Vec::<String>::new(), "and the policy blocks nothing of ours");
}

/// What the policy blocks of each attempt.
const ATTEMPTS: [(&str, &str); 5] = [
    ("img-src", "new Image().src = to"),
    ("connect-src", "fetch(to).catch(() => 0)"),
    ("script-src", "document.head.append(Object.assign(document.createElement('script'), {src: to}))"),
    ("script-src", "document.head.append(Object.assign(document.createElement('script'), {textContent: '0'}))"),
    ("style-src", "document.head.append(Object.assign(document.createElement('link'), {rel: 'stylesheet', href: to}))"),
];

#[test]
fn the_policy_of_every_page_lets_nothing_out() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    let (origin, other) = served(site);
    // The page for printing is the whole book, and takes as long to open as ten others.
    for page in Rounds::asked().pick(&["en/preface.html", "zh/market.html"][..], &["zh/market.html", "en/print.html"]) {
        browser.open(&format!("{origin}{page}"));
        browser.requests.clear();
        for (directive, attempt) in ATTEMPTS {
            let stopped = browser.ask(&format!(
                "new Promise(done => {{
                    const to = '{other}en/favicon.svg';
                    document.addEventListener('securitypolicyviolation', e => done(e.effectiveDirective), {{once: true}});
                    setTimeout(() => done('nothing stopped it'), 5000);
                    {attempt};
                }})"
            ));
            assert!(stopped.as_str().unwrap().starts_with(directive), "{page}: {attempt}: {stopped}");
        }
    }
    // Without the policy, the watch above sees what would leave.
    browser.call("Page.setBypassCSP", json!({"enabled": true}));
    browser.open(&format!("{origin}en/naive.html"));
    browser.requests.retain(|url| url.starts_with(&origin));
    browser.ask(&format!(
        "new Promise(done => {{ const i = new Image(); i.onload = i.onerror = done; i.src = '{other}x'; }})"
    ));
    assert_eq!(elsewhere(&mut browser, &origin), [format!("{other}x")]);
}
