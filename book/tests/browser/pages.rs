//! Every page, opened once, and all that holds for each: it is sound, nothing of it is cut off, and nothing comes from
//! elsewhere, whatever is used on it.

use super::fixture::Mini;
use super::looks::{is_asked, keeps_pictures};
use super::origin::{USE, elsewhere, served};
use super::rules::{OVERFLOW, PICTURES, broken_rules};
use super::{Browser, Site, browser, keep_picture};
use program::rounds::Rounds;
use results::language::Language;
use std::fs;

/// A phone's width and a desk's, and whether a page is opened in the dark there.
pub const WIDTHS: [(u32, bool); 2] = [(390, true), (1280, false)];

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

/// Looks at these pages of a language, and gives what is wrong. `then` looks further, at a page that is open.
///
/// A page is opened once for each width; then, where both are asked for, its reader's system changes its colours.
fn look_at_all(
    address: &str,
    (lang, pages): (Language, &[String]),
    browser: &mut Browser,
    mut then: impl FnMut(&mut Browser, &str) -> Vec<String>,
) -> Vec<String> {
    let ways = ways();
    let mut faults = vec![];
    // Where a page has one way, its translation has another.
    for (number, page) in (lang as usize..).zip(pages) {
        for (width, colours) in ways(number) {
            browser.look(width, colours[0]);
            browser.open(&format!("{address}{page}"));
            for dark in colours {
                browser.recolour(dark);
                let told = [
                    ("overflow", browser.ask(OVERFLOW)),
                    ("picture", browser.ask(PICTURES)),
                    ("accessibility", broken_rules(browser, "html")),
                ];
                let colour = if dark { "dark" } else { "light" };
                let told =
                    told.iter().filter_map(|(kind, what)| Some((kind, what.as_str().filter(|w| !w.is_empty())?)));
                faults.extend(told.map(|(kind, what)| format!("{page} {width} {colour}: {kind}: {what}")));
                keep_picture(browser, page, width, dark);
            }
        }
        faults.extend(then(browser, page).iter().map(|fault| format!("{page}: {fault}")));
        faults.extend(browser.errors.drain(..).map(|error| format!("{page}: console: {error}")));
    }
    faults
}

/// What is cut off on a page as it stands.
const CUT: &str = "[...document.querySelectorAll('main :is(pre > code, .table-wrapper.record)')]
    .filter(box => box.scrollWidth > box.clientWidth).map(box => box.innerText.slice(0, 60))";

/// What is cut off at a desk on the page that is open, and what it asks for elsewhere while all that answers is used.
fn cut_off_or_elsewhere(browser: &mut Browser, origin: &str) -> Vec<String> {
    browser.look(1280, false);
    let cut = browser.ask(CUT);
    let mut faults: Vec<String> = cut.as_array().unwrap().iter().map(|lines| format!("cut off: {lines}")).collect();
    browser.ask(USE);
    // The index of all pages is read for a first search, which takes longer than to open a page.
    if Rounds::asked().pick(false, true) {
        browser.until("document.querySelectorAll('#search-results a').length > 0");
    }
    faults.extend(elsewhere(browser, origin).iter().map(|url| format!("asked for elsewhere: {url}")));
    browser.ask("localStorage.clear()");
    faults
}

/// The two languages are two tests, so that they are looked at side by side.
fn every_page_is_sound(lang: Language) {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    let (origin, _) = served(site);
    // The other language has the same figures, tables and players in the same places: where rounds are few, it shows the
    // pages in between.
    let (pages, then) =
        (site.pages_asked(lang), |browser: &mut Browser, _: &str| cut_off_or_elsewhere(browser, &origin));
    let mut faults = look_at_all(&origin, (lang, &pages), &mut browser, then);
    // The page for printing stands still while it is printed.
    if is_asked(lang, 0) {
        browser.open(&format!("{origin}{}/print.html", lang.tag()));
        let asked = elsewhere(&mut browser, &origin);
        faults.extend(asked.iter().map(|url| format!("{}/print.html: asked for elsewhere: {url}", lang.tag())));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(browser.errors, Vec::<String>::new(), "and the policy stops nothing of ours");
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
