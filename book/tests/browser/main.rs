//! The built book in a real browser: every page, both languages, both themes, a phone and a desk.
//!
//! Needs Chromium (`apt-get install chromium fonts-noto-cjk`) and, for the accessibility rules, `npm ci` in
//! `book/browser`, which the test runs itself. A reader without them is told what was skipped; with `CI` set
//! that is a failure. `BOOK_PICTURES=folder` keeps a picture of each page; `BOOK_ROOT=folder`
//! looks at another copy of the repository.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stderr, reason = "what was skipped is said to whoever runs the test")]

mod books;
mod cdp;
#[path = "../fixture/mod.rs"]
mod fixture;
mod fold;
mod guess;
mod log;
mod looks;
mod mask;
mod online;
mod origin;
mod player;
mod reading;
mod sandbox;
mod timelines;
mod yours;

use book::project::Project;
use book::site;
use cdp::Browser;
use fixture::Mini;
use looks::{is_asked, keeps_pictures, looks};
use program::rounds::Rounds;
use results::language::Language;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A phone's width and a desk's, and whether a page is opened in the dark there.
const WIDTHS: [(u32, bool); 2] = [(390, true), (1280, false)];

/// How a page is looked at: the widths, and at each the colours, dark or not.
type Ways = Vec<(u32, Vec<bool>)>;

/// Both widths and both colours, each width in one colour: two pages together have every way.
fn two_ways(page: usize) -> Ways {
    WIDTHS.map(|(width, dark)| (width, vec![dark == page.is_multiple_of(2)])).into()
}

/// One way for a page, another for the next: four pages have all of them.
fn one_way(page: usize) -> Ways {
    vec![(WIDTHS[page % 2].0, vec![(page / 2).is_multiple_of(2)])]
}

/// Every way, for who keeps pictures.
fn every_way(_: usize) -> Ways {
    WIDTHS.map(|(width, dark)| (width, vec![dark, !dark])).into()
}

/// How the pages are looked at: as many ways as were asked for, and every one where a picture of each is kept.
fn ways() -> fn(usize) -> Ways {
    if keeps_pictures() { every_way } else { Rounds::asked().pick(one_way as fn(usize) -> Ways, two_ways) }
}

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

/// The browser, or none after saying so; in CI there must be one.
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

/// The source of axe-core, or none after saying so; in CI it must be there.
///
/// Tests run side by side and share the folder: the first to ask installs, the others wait for it.
fn axe() -> Option<&'static str> {
    static AXE: OnceLock<Option<String>> = OnceLock::new();
    AXE.get_or_init(|| cdp::axe_in(&Path::new(CRATE).join("browser"))).as_deref()
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
            // As it is online: without what was measured here.
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

    /// The pages of a language that are asked a question that one of the two languages can answer.
    fn pages_asked(&self, lang: Language) -> Vec<String> {
        (0..).zip(self.pages(lang)).filter(|(number, _)| is_asked(lang, *number)).map(|(_, page)| page).collect()
    }
}

/// What sticks out of the window, by its tag and class.
const OVERFLOW: &str = "(() => {
    const wide = document.documentElement.scrollWidth > innerWidth || document.body.scrollWidth > innerWidth;
    const inside = element => element.closest('.scroll, .table-wrapper, pre, .sidebar, .skip');
    const out = [...document.querySelectorAll('main *, header *')].filter(e => !inside(e) && e.getBoundingClientRect().right > innerWidth + 1);
    return (wide ? ['the page'] : []).concat(out.map(e => e.tagName + '.' + e.className)).join(', ');
})()";

/// Pictures that did not load, and drawings without size or words.
const PICTURES: &str = "[...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src)
    .concat([...document.querySelectorAll('figure svg')].filter(s => s.getBoundingClientRect().width < 50 || !s.getAttribute('aria-label')).map(s => 'svg')).join(', ')";

/// What breaks a rule. What keeps them is not listed: that costs most on a long page, and nobody reads it.
const AXE: &str = "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations']})
    .then(r => r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + (n.any[0] || n.all[0] || n.none[0] || {}).message).join(' | ')).join('\\n'))";

/// What is wrong with the page as it stands: the rules for accessibility, and what sticks out.
fn faults(browser: &mut Browser, state: &str) -> Vec<String> {
    let mut found = vec![browser.ask(OVERFLOW)];
    if let Some(axe) = axe() {
        browser.ask(&format!("if (!window.axe) {{ {axe} }}; 0"));
        found.push(browser.ask(AXE));
    }
    let told = found.iter().filter_map(Value::as_str).filter(|fault| !fault.is_empty());
    told.map(|fault| format!("{state}: {fault}")).collect()
}

/// Looks at these pages of a language, and gives what is wrong.
///
/// A page is opened once for each width; then, where both are asked for, its reader's system changes its colours.
fn look_at_all(site: &Site, lang: Language, pages: &[String], browser: &mut Browser) -> Vec<String> {
    let axe = axe();
    let ways = ways();
    let mut faults = vec![];
    // Where a page has one way, its translation has another.
    for (number, page) in (lang as usize..).zip(pages) {
        for (width, colours) in ways(number) {
            browser.look(width, colours[0]);
            browser.open(&site.url(page));
            if let Some(axe) = axe {
                browser.ask(&format!("{axe}; 0"));
            }
            for dark in colours {
                browser.recolour(dark);
                let mut fault = |kind: &str, what: &Value| {
                    if let Some(what) = what.as_str().filter(|what| !what.is_empty()) {
                        faults.push(format!("{page} {width} {}: {kind}: {what}", if dark { "dark" } else { "light" }));
                    }
                };
                fault("overflow", &browser.ask(OVERFLOW));
                fault("picture", &browser.ask(PICTURES));
                if axe.is_some() {
                    fault("accessibility", &browser.ask(AXE));
                }
                keep_picture(browser, page, width, dark);
            }
        }
        faults.extend(browser.errors.drain(..).map(|error| format!("{page}: console: {error}")));
    }
    faults
}

/// With `BOOK_PICTURES=folder`, a picture of the page, for looking at.
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

/// The two languages are two tests, so that they are looked at side by side.
fn every_page_is_sound(lang: Language) {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    // The other language has the same figures, tables and players in the same places: where rounds are few, it shows the
    // pages in between.
    let faults = look_at_all(site, lang, &site.pages_asked(lang), &mut browser);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_english_page_is_sound() {
    every_page_is_sound(Language::English);
}

#[test]
fn every_chinese_page_is_sound() {
    every_page_is_sound(Language::Chinese);
}

#[test]
fn every_kind_of_directive_is_sound() {
    let Some(mut browser) = browser("en") else { return };
    let mini = Mini::new();
    fs::copy(mini.path("output/reference/ladder.json"), mini.path("output/ladder.json")).unwrap();
    let site = Site::build(mini.project(), mini.project().dist());
    let faults = Language::ALL.map(|lang| look_at_all(&site, lang, &site.pages(lang), &mut browser)).concat();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
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
    // Scrolled to a section by hand, with nothing in the address.
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
        browser
            .call("Network.setUserAgentOverride", serde_json::json!({"userAgent": "test", "acceptLanguage": language}));
        browser.call("Page.navigate", serde_json::json!({"url": site.url("index.html")}));
        browser.until(&format!("location.href.endsWith('{page}')"));
    }
}
