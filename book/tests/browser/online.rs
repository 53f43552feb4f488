//! The book online: served under a folder of a host, as it is after `build --site-url`.

use super::pages::WIDTHS;
use super::rules;
use super::{Browser, Site, browser, keep_picture};
use book::online::{self, Online};
use book::serve;
use results::language::Language;
use serde_json::json;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

/// The folder of the book on its host.
const FOLDER: &str = "books/cents";

/// The maximum size of the first page and everything it loads, before any compression. There are no fonts in
/// it.
const FIRST_PAGE_BYTES_MAX: u64 = 200_000;

/// The same for any page. The heaviest has three players, redrawn charts, and highlighted code.
const PAGE_BYTES_MAX: u64 = 700_000;

/// The book made ready for the web, once for all tests: none of them writes there.
fn book_online() -> &'static PathBuf {
    static HOST: OnceLock<PathBuf> = OnceLock::new();
    HOST.get_or_init(|| publish("online"))
}

/// A host's folder with the book in it. The book that was built for a folder is copied, not built again.
fn publish(name: &str) -> PathBuf {
    let host = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if host.exists() {
        fs::remove_dir_all(&host).unwrap();
    }
    let site = Site::book();
    let dist = host.join(FOLDER);
    copy(&site.dist, &dist);
    let address = |text: &str| Some(text.parse().unwrap());
    let online = Online {
        site: address(&format!("https://example.org/{FOLDER}")),
        repository: address("https://example.org/you/cents"),
    };
    online::publish(&site.project, &dist, &online).unwrap_or_else(|failure| panic!("{failure}"));
    // The page that redirects at once, without its redirect: `axe` needs scripts to run.
    let start = fs::read_to_string(dist.join("index.html")).unwrap();
    let (before, after) = (start.find("<script>").unwrap(), start.find("</script>").unwrap());
    fs::write(dist.join("still.html"), format!("{}{}", &start[..before], &start[after..])).unwrap();
    host
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A host that can stop answering.
struct Host {
    files: PathBuf,
    /// The address of the book, with a slash at the end.
    book: String,
    up: Arc<AtomicBool>,
}

impl Host {
    fn of(files: &Path) -> Host {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let book = format!("http://127.0.0.1:{}/{FOLDER}/", listener.local_addr().unwrap().port());
        let up = Arc::new(AtomicBool::new(true));
        let (host, answers) = (files.to_path_buf(), Arc::clone(&up));
        thread::spawn(move || {
            for stream in listener.incoming().flatten().filter(|_| answers.load(Ordering::SeqCst)) {
                let host = host.clone();
                // A browser also connects without requesting anything.
                thread::spawn(move || serve::answer(stream, &host));
            }
        });
        Host { files: files.to_path_buf(), book, up }
    }

    fn is_up(&self, up: bool) {
        self.up.store(up, Ordering::SeqCst);
    }

    fn url(&self, page: &str) -> String {
        format!("{}{page}", self.book)
    }

    /// The size of the file behind an address, in bytes.
    fn size(&self, url: &str) -> u64 {
        let path = url.strip_prefix(&self.book).unwrap_or_else(|| panic!("{url} is elsewhere"));
        let path = self.files.join(FOLDER).join(path.split(['?', '#']).next().unwrap());
        let path = if path.is_dir() { path.join("index.html") } else { path };
        fs::metadata(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())).len()
    }

    /// The size of everything that was requested since the last call. A request to another host fails the
    /// test.
    fn weight(&self, browser: &mut Browser) -> u64 {
        let ours = browser.requests.drain(..).filter(|url| !url.starts_with("data:"));
        ours.map(|url| self.size(&url)).sum()
    }
}

/// Opens an address that may redirect, and waits for the page that it leads to.
fn led(browser: &mut Browser, from: &str, to: &str) {
    browser.open("about:blank");
    browser.call("Page.navigate", json!({"url": from}));
    browser.until(&format!("location.href === {} && document.readyState === 'complete'", json!(to)));
}

fn bypass_worker(browser: &mut Browser) {
    browser.call("Network.setBypassServiceWorker", json!({"bypass": true}));
}

/// What is wrong with a page, on a phone in the dark and at a desk in the light.
fn faults(browser: &mut Browser, name: &str, url: &str) -> Vec<String> {
    let mut found = vec![];
    for (width, dark) in WIDTHS {
        browser.look(width, dark);
        browser.open(url);
        found.extend(rules::faults(browser, "html", &format!("{name} {width}")));
        keep_picture(browser, name, width, dark);
    }
    found
}

#[test]
fn the_first_visit_asks_the_browser_and_later_ones_the_reader() {
    let Some(mut browser) = browser("zh-CN") else { return };
    let host = Host::of(book_online());
    bypass_worker(&mut browser);
    browser.look(1280, false);
    led(&mut browser, &host.book, &host.url("zh/index.html"));
    browser.ask("document.getElementById('switch').click()");
    browser.until("location.pathname.endsWith('/en/index.html') && document.readyState === 'complete'");
    led(&mut browser, &host.book, &host.url("en/index.html"));
    assert_eq!(browser.errors, Vec::<String>::new());
    // Without scripts the reader chooses on the page itself.
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    led(&mut browser, &host.book, &host.book);
    let links = browser.ask("[...document.querySelectorAll('main a')].map(a => a.href + ' ' + a.lang).sort()");
    assert_eq!(
        links,
        json!([format!("{} ", host.url("en/index.html")), format!("{} zh-CN", host.url("zh/index.html"))])
    );
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": false}));
    assert_eq!(faults(&mut browser, "start", &host.url("still.html")), Vec::<String>::new());
}

#[test]
fn the_missing_page_is_in_both_languages_at_any_depth() {
    let Some(mut browser) = browser("en") else { return };
    let host = Host::of(book_online());
    for page in ["gone.html", "en/gone.html", "zh/chapters/0x09/gone.html"] {
        browser.open(&host.url(page));
        let seen = browser.ask(
            "[performance.getEntriesByType('navigation')[0].responseStatus, document.querySelector('meta[name=robots]').content,
                ...[...document.querySelectorAll('main a')].map(a => a.href)]",
        );
        assert_eq!(seen, json!([404, "noindex", host.url("en/index.html"), host.url("zh/index.html")]), "{page}");
    }
    assert_eq!(faults(&mut browser, "missing", &host.url("x/gone.html")), Vec::<String>::new());
    // The browser reports each as not found, and nothing else.
    assert!(browser.errors.iter().all(|error| error.contains("a status of 404")), "{:?}", browser.errors);
    browser.ask("document.querySelector('main a[lang]').click()");
    browser.until("document.documentElement.lang === 'zh-CN' && document.readyState === 'complete'");
}

/// How many interactive elements of a page do not work.
const MUTE: &str = "[...document.querySelectorAll('.sandbox, .player, .guess')].filter(e => !e.querySelector('button')).length
    + document.querySelectorAll('code.language-rust').length - [...document.querySelectorAll('code.language-rust')].filter(c => c.querySelector('[class^=hljs]')).length";

#[test]
fn pages_are_light_and_ask_for_nothing_elsewhere() {
    let Some(mut browser) = browser("en") else { return };
    let host = Host::of(book_online());
    bypass_worker(&mut browser);
    browser.look(1280, false);
    for lang in Language::ALL {
        browser.open("about:blank");
        browser.requests.clear();
        let first = format!("{}/index.html", lang.tag());
        browser.open(&host.url(&first));
        let weight = host.weight(&mut browser);
        assert!((1..FIRST_PAGE_BYTES_MAX).contains(&weight), "the first page in {lang:?} weighs {weight} bytes");
        // The heaviest pages, and one of each interactive kind.
        for name in ["pinned-ring", "diff-0x06", "market", "group-commit", "your-guesses", "glossary"] {
            let page = format!("{}/{name}.html", lang.tag());
            browser.open(&host.url(&page));
            let weight = host.weight(&mut browser);
            assert!((1..PAGE_BYTES_MAX).contains(&weight), "{page} weighs {weight} bytes");
            assert_eq!(browser.ask(MUTE), 0, "{page}");
        }
        let corrected = browser.ask("document.querySelector('main > .source a').href");
        let source = format!("/book/{}/", lang.tag());
        assert!(corrected.as_str().unwrap().contains(&source), "{corrected}");
        assert_eq!(faults(&mut browser, &format!("source-{}", lang.tag()), &host.url(&first)), Vec::<String>::new());
    }
    led(&mut browser, &host.book, &host.url("en/index.html"));
    host.weight(&mut browser);
    assert_eq!(browser.errors, Vec::<String>::new(), "and the policy blocks nothing of ours");
}

/// Waits until the worker of this version has stored its files and older caches are gone.
fn kept(browser: &mut Browser, version: &str) {
    browser.until("navigator.serviceWorker.controller?.state === 'activated'");
    let ours = "caches.keys().then(names => names.filter(name => name !== 'a neighbour').map(name => name.split(' ')[1]).join())";
    let done = format!(
        "(window.asked ??= setInterval(() => {ours}.then(names => {{ window.caches_now = names; }}), 50), window.caches_now === '{version}')"
    );
    browser.until(&done);
}

fn version(host: &Host) -> String {
    let worker = fs::read_to_string(host.files.join(FOLDER).join("worker.js")).unwrap();
    worker.lines().find_map(|line| line.split("${OURS}").nth(1)).unwrap().trim_end_matches(['`', ';']).to_owned()
}

#[test]
fn once_visited_the_book_opens_without_a_network_until_there_is_a_newer_one() {
    let Some(mut browser) = browser("en") else { return };
    let host = Host::of(&publish("offline"));
    browser.look(1280, false);
    browser.open(&host.url("en/preface.html"));
    browser.ask("caches.open('a neighbour').then(() => 0)");
    kept(&mut browser, &version(&host));
    assert_eq!(browser.errors, Vec::<String>::new());

    host.is_up(false);
    led(&mut browser, &host.book, &host.url("en/index.html"));
    for page in ["en/market.html", "en/pinned-ring.html", "en/diff-0x05.html?mark=bitmap", "en/"] {
        browser.open(&host.url(page));
        assert_eq!(
            browser.ask("[document.querySelectorAll('main h1').length > 0, typeof window.search]"),
            json!([true, "object"]),
            "{page}"
        );
        assert_eq!(browser.ask(MUTE), 0, "{page}");
    }
    browser.ask("document.getElementById('mdbook-search-toggle').click()");
    browser.ask("(() => { const i = document.getElementById('search-input'); i.value = 'ring'; i.dispatchEvent(new Event('input')); })()");
    browser.until("document.querySelectorAll('#search-results a').length > 0");
    assert_eq!(browser.errors, Vec::<String>::new());
    // The other language was never opened.
    browser.call("Page.navigate", json!({"url": host.url("zh/market.html")}));
    browser.until("location.href.startsWith('chrome-error:')");

    // A newer book replaces the old one, and nothing else.
    host.is_up(true);
    let page = host.files.join(FOLDER).join("en/market.html");
    fs::write(&page, fs::read_to_string(&page).unwrap().replace("<main>", "<main data-newer>")).unwrap();
    let worker = host.files.join(FOLDER).join("worker.js");
    let newer = fs::read_to_string(&worker).unwrap().replace(&version(&host), "newer");
    fs::write(&worker, newer).unwrap();
    browser.open(&host.url("en/preface.html"));
    kept(&mut browser, "newer");
    assert_eq!(browser.ask("caches.keys().then(names => names.includes('a neighbour'))"), true);
    host.is_up(false);
    browser.open(&host.url("en/market.html"));
    assert_eq!(browser.ask("document.querySelector('main').hasAttribute('data-newer')"), true);
}
