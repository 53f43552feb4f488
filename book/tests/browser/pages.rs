//! Every page, opened once, and everything that must hold for each: it is sound, nothing is cut off, and nothing is
//! loaded from elsewhere, whatever is used on it.

use super::fixture::Mini;
use super::looks::{is_asked, keeps_pictures};
use super::origin::{USE, elsewhere, search, served};
use super::rules::{OVERFLOW, PICTURES, broken_rules};
use super::{Browser, Site, browser, keep_picture};
use program::rounds::Rounds;
use results::language::Language;
use serde_json::Value;
use std::fs;

/// A phone's width and a desk's, and whether a page is opened in the dark there.
pub const WIDTHS: [(u32, bool); 2] = [(390, true), (1280, false)];

/// One way in which a page is looked at.
#[derive(Clone, Copy)]
struct Way {
    width: u32,
    dark: bool,
    /// Whether the rules for accessibility are asked, which takes longest.
    rules: bool,
}

/// The ways for a page of a language.
type Ways = fn(usize, Language) -> Vec<Way>;

/// Both widths, each in one colour: two pages together cover every combination. The rules are asked in one of the two, and
/// for the page's translation, which has the same elements in the same colours, in the other.
fn two_ways(page: usize, lang: Language) -> Vec<Way> {
    let asked = WIDTHS[(page / 2 + lang as usize) % 2].0;
    WIDTHS.map(|(width, dark)| Way { width, dark: dark == page.is_multiple_of(2), rules: width == asked }).into()
}

#[test]
fn a_page_and_its_translation_are_asked_the_rules_at_both_widths_and_in_both_colours() {
    for page in 0..4 {
        let [one, other] = Language::ALL.map(|lang| two_ways(page, lang).into_iter().find(|way| way.rules).unwrap());
        assert!(one.width != other.width && one.dark != other.dark, "page {page}");
    }
}

/// One way for a page, another for the next and for the page's translation: four pages cover all of them.
fn one_way(page: usize, lang: Language) -> Vec<Way> {
    let page = page + lang as usize;
    vec![Way { width: WIDTHS[page % 2].0, dark: (page / 2).is_multiple_of(2), rules: true }]
}

/// Every way, for keeping pictures.
fn every_way(_: usize, _: Language) -> Vec<Way> {
    WIDTHS.map(|(width, _)| [true, false].map(|dark| Way { width, dark, rules: true })).concat()
}

/// How the pages are checked: in as many ways as were asked for, and in all of them if a picture of each is kept.
fn ways() -> Ways {
    if keeps_pictures() { every_way } else { Rounds::asked().pick(one_way as Ways, two_ways) }
}

/// Checks these pages of a language, and returns what is wrong. `then` checks an open page further.
fn look_at_all(
    address: &str,
    (lang, pages): (Language, &[String]),
    browser: &mut Browser,
    mut then: impl FnMut(&mut Browser, &str) -> Vec<String>,
) -> Vec<String> {
    let ways = ways();
    let mut faults = vec![];
    for (number, page) in pages.iter().enumerate() {
        for Way { width, dark, rules } in ways(number, lang) {
            browser.look(width, dark);
            browser.open(&format!("{address}{page}"));
            let broken = if rules { broken_rules(browser, "html") } else { Value::Null };
            let told =
                [("overflow", browser.ask(OVERFLOW)), ("picture", browser.ask(PICTURES)), ("accessibility", broken)];
            let colour = if dark { "dark" } else { "light" };
            let told = told.iter().filter_map(|(kind, what)| Some((kind, what.as_str().filter(|w| !w.is_empty())?)));
            faults.extend(told.map(|(kind, what)| format!("{page} {width} {colour}: {kind}: {what}")));
            keep_picture(browser, page, width, dark);
        }
        faults.extend(then(browser, page).iter().map(|fault| format!("{page}: {fault}")));
        faults.extend(browser.errors.drain(..).map(|error| format!("{page}: console: {error}")));
    }
    faults
}

/// What is cut off on the page in its current state.
const CUT: &str = "[...document.querySelectorAll('main :is(pre > code, .table-wrapper.record)')]
    .filter(box => box.scrollWidth > box.clientWidth).map(box => box.innerText.slice(0, 60))";

/// What is cut off at a desk on the open page, and what it requests from elsewhere while all its interactive elements
/// are used, and the search if it is asked for.
fn cut_off_or_elsewhere(browser: &mut Browser, origin: &str, searches: bool) -> Vec<String> {
    browser.look(1280, false);
    let cut = browser.ask(CUT);
    let mut faults: Vec<String> = cut.as_array().unwrap().iter().map(|lines| format!("cut off: {lines}")).collect();
    browser.ask(USE);
    if searches {
        search(browser);
    }
    faults.extend(elsewhere(browser, origin).iter().map(|url| format!("requested from elsewhere: {url}")));
    browser.ask("localStorage.clear()");
    faults
}

/// The two languages are two tests, so that they run in parallel.
fn every_page_is_sound(lang: Language) {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    let (origin, _) = served(site);
    // The other language has the same figures, tables and players in the same places: with few rounds, it covers the
    // pages in between.
    let pages = site.pages_asked(lang);
    // The search is the same on every page, and reads the index of all pages, which takes longer than opening one.
    let then = |browser: &mut Browser, page: &str| cut_off_or_elsewhere(browser, &origin, page == pages[0]);
    let mut faults = look_at_all(&origin, (lang, &pages), &mut browser, then);
    // Nothing on the page for printing moves while it is printed.
    if is_asked(lang, 0) {
        browser.open(&format!("{origin}{}/print.html", lang.tag()));
        let asked = elsewhere(&mut browser, &origin);
        faults.extend(asked.iter().map(|url| format!("{}/print.html: requested from elsewhere: {url}", lang.tag())));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(browser.errors, Vec::<String>::new(), "and the policy blocks nothing of ours");
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
    let look = |lang| look_at_all(&site.url(""), (lang, &site.pages(lang)), &mut browser, |_, _| vec![]);
    let faults = Language::ALL.map(look).concat();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
