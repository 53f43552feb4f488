//! The built book in a real browser: every page, both languages, both themes, a phone and a desk.
//!
//! Needs Chromium (`apt-get install chromium fonts-noto-cjk`) and, for the accessibility rules, `npm ci` in
//! `book/browser`, which the test runs itself. Without them the test prints what was skipped; with `CI` set
//! that is a failure. `BOOK_PICTURES=folder` keeps a picture of each page; `BOOK_ROOT=folder` checks another
//! copy of the repository.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue stops")]
#![allow(clippy::print_stderr, reason = "the person who runs the test sees what was skipped")]

mod books;
mod cdp;
#[path = "../fixture/mod.rs"]
mod fixture;
mod fold;
mod guess;
mod log;
mod looks;
mod mask;
mod numbers;
mod online;
mod origin;
mod pages;
mod player;
mod reading;
mod rules;
mod sandbox;
mod sheets;
mod takeover;
mod timelines;
mod trace;
mod yours;

use book::project::Project;
use book::site;
use cdp::Browser;
use looks::is_asked;
use results::language::Language;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// The browser, or `None` after a message; in CI there must be one.
fn browser(language: &str) -> Option<Browser> {
    match cdp::installed() {
        Some(program) => Some(Browser::start(&program, language)),
        None => {
            assert!(std::env::var_os("CI").is_none(), "no chromium, and this is CI");
            eprintln!("skipped: no chromium");
            None
        }
    }
}

/// A site that is built.
struct Site {
    dist: PathBuf,
    project: Project,
}

impl Site {
    /// The book itself, built once for all tests: none of them writes there.
    fn book() -> &'static Site {
        static BOOK: OnceLock<Site> = OnceLock::new();
        BOOK.get_or_init(|| {
            let root = std::env::var_os("BOOK_ROOT").map_or_else(|| Path::new(CRATE).join(".."), PathBuf::from);
            let dist = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
            if dist.exists() {
                fs::remove_dir_all(&dist).unwrap();
            }
            // As it is online: without this machine's own measurements.
            Site::build(Project::at(root).with_own_output(dist.join("none")), dist)
        })
    }

    fn build(project: Project, dist: PathBuf) -> Site {
        site::build(&project, &dist).unwrap_or_else(|failure| panic!("{failure}"));
        Site { dist, project }
    }

    fn url(&self, page: &str) -> String {
        format!("file://{}/{page}", self.dist.display())
    }

    fn pages(&self, lang: Language) -> Vec<String> {
        let pages = self.project.pages(lang).unwrap();
        let names = pages.iter().map(|page| page.name()).filter(|name| name != "SUMMARY.md");
        names.map(|name| format!("{}/{}", lang.tag(), name.replace(".md", ".html"))).collect()
    }

    /// The pages of a language for a check that one of the two languages is enough for.
    fn pages_asked(&self, lang: Language) -> Vec<String> {
        (0..).zip(self.pages(lang)).filter(|(number, _)| is_asked(lang, *number)).map(|(_, page)| page).collect()
    }
}

/// With `BOOK_PICTURES=folder`, a picture of the page, to look at.
fn keep_picture(browser: &mut Browser, page: &str, width: u32, dark: bool) {
    let Some(folder) = std::env::var_os("BOOK_PICTURES").map(PathBuf::from) else { return };
    let name = format!("{}-{width}-{}.png", page.replace(['/', '.'], "-"), if dark { "dark" } else { "light" });
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), decode(&browser.picture())).unwrap();
}

/// Base64.
fn decode(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|c| *c != b'=').map(value).collect();
    let bytes = digits.chunks(4).flat_map(|four| {
        let joined = (0..4).fold(0u32, |sum, i| sum << 6 | u32::from(*four.get(i).unwrap_or(&0)));
        joined.to_be_bytes()[1..four.len()].to_vec()
    });
    bytes.collect()
}

#[test]
fn the_switch_stays_on_the_page_and_the_section() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    browser.look(1280, false);
    for (from, to, id) in
        [("en/preface.html", "zh/preface.html", "read"), ("zh/preface.html", "en/preface.html", "numbers")]
    {
        browser.open(&site.url(&format!("{from}#{id}")));
        browser.ask("document.getElementById('switch').click()");
        browser.until(&format!("location.href.endsWith('{to}#{id}') && document.readyState === 'complete'"));
        let lang = if to.starts_with("zh") { "zh-CN" } else { "en" };
        assert_eq!(browser.ask("document.documentElement.lang"), lang);
        assert_eq!(
            browser.ask(&format!("document.getElementById('{id}').getBoundingClientRect().top < innerHeight")),
            true
        );
    }
    // Scrolled to a section by hand, without an anchor in the address.
    browser.open(&site.url("en/preface.html"));
    browser.ask("document.getElementById('read').scrollIntoView()");
    browser.ask("document.getElementById('switch').click()");
    browser.until("location.href.endsWith('zh/preface.html#read')");
}

#[test]
fn search_finds_chinese_and_english_and_opens_the_section() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    browser.look(390, false);
    for (start, words) in [("zh/preface.html", ["撮合", "订单簿"]), ("en/preface.html", ["matching", "order book"])]
    {
        for word in words {
            browser.open(&site.url(start));
            browser.ask("document.getElementById('mdbook-search-toggle').click()");
            browser.ask(&format!("(() => {{ const i = document.getElementById('search-input'); i.value = '{word}'; i.dispatchEvent(new Event('input')); }})()"));
            browser.until("document.querySelectorAll('#search-results a').length > 0");
            let hits = browser
                .ask("[...document.querySelectorAll('#search-results li')].map(li => li.textContent).join('\\n')");
            assert!(hits.as_str().unwrap().to_lowercase().contains(word), "{hits}");
            let target = browser.ask("document.querySelector('#search-results a').href");
            assert!(
                target.as_str().unwrap().contains(".html?mark=") && target.as_str().unwrap().contains('#'),
                "{target}"
            );
            browser.ask("document.querySelector('#search-results a').click()");
            browser.until(&format!("location.href === {target} && document.readyState === 'complete'"));
            assert_eq!(browser.ask("document.querySelector('main mark').textContent.toLowerCase()"), word);
            assert_eq!(browser.ask("document.querySelector(location.hash) !== null"), true);
        }
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn the_start_page_follows_the_browsers_language() {
    for (language, page) in [("zh-CN", "zh/index.html"), ("en-US", "en/index.html"), ("de", "en/index.html")] {
        let Some(mut browser) = browser(language) else { return };
        let site = Site::book();
        browser.call("Page.navigate", serde_json::json!({"url": site.url("index.html")}));
        browser.until(&format!("location.href.endsWith('{page}')"));
    }
}
