//! Ten commands through two books, played on their page.

use super::looks::looks_of;
use super::rules::faults;
use super::{Browser, Site, browser, keep_picture};
use results::language::Language;
use serde_json::{Value, json};

/// How many cells of each book are drawn as read and as written, the lines, and the best ask of 0x05.
const SHOWN: &str = "['naive', 'array'].map(book => ['read', 'at-disk'].map(look =>
    document.querySelectorAll(`#player-books [data-part^=${book}].${look}`).length)
    .concat(Number(document.querySelector(`#player-books [data-part=${book}-lines]`).textContent)))
    .concat(document.querySelector('#player-books [data-part=array-asks-best]').textContent.replace(/\\D/g, ''))";

/// Whether the two pictures are beside each other.
const BESIDE: &str = "(([a, b]) => a.getBoundingClientRect().top === b.getBoundingClientRect().top)(
    [...document.querySelectorAll('#player-books svg')])";

fn open(browser: &mut Browser, site: &Site, lang: Language) {
    browser.open(&site.url(&format!("{}/array-book.html", lang.tag())));
}

#[test]
fn ten_commands_touch_their_cells_in_both_books() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    let recorded: Value = serde_json::from_str(include_str!("../../recordings/books.json")).unwrap();
    let steps = recorded["steps"].as_array().unwrap();
    for &(lang, width, dark) in looks_of(0) {
        browser.look(width, dark);
        open(&mut browser, site, lang);
        assert_eq!(browser.ask(BESIDE), json!(width == 1280));
        for (at, step) in steps.iter().enumerate() {
            let shown = browser.ask(SHOWN);
            for engine in 0..2 {
                let [read, written] = ["read", "written"].map(|how| step["engines"][engine][how].as_array().unwrap());
                // Two cells of a freed queue are one in the picture.
                let gone = |cells: &[Value]| {
                    let is_gone = |cell: &&Value| cell.as_str().unwrap().starts_with("gone-");
                    cells.iter().filter(is_gone).count() as u64
                };
                for (drawn, cells) in [(&shown[engine][0], read), (&shown[engine][1], written)] {
                    let (drawn, all) = (drawn.as_u64().unwrap(), cells.len() as u64);
                    assert!((all - gone(cells)..=all).contains(&drawn), "step {at}: {drawn} of {cells:?}");
                }
                assert_eq!(shown[engine][2], step["engines"][engine]["lines"], "step {at}");
            }
            let best = step["engines"][1]["holds"]["asks-best"].as_str().unwrap();
            assert_eq!(shown[2], best, "step {at}");
            if [6, 10].contains(&at) {
                // The part of the page under its head, where it is scrolled to, would be counted as
                // covered.
                browser.ask("scrollTo(0, 0)");
                assert_eq!(faults(&mut browser, "#player-books", &format!("step {at}")), Vec::<String>::new());
                browser.ask("document.querySelector('#player-books').scrollIntoView()");
                keep_picture(&mut browser, &format!("{}-books-{at}", lang.tag()), width, dark);
            }
            browser.ask("document.querySelector('#player-books .forward').click()");
        }
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn without_its_script_the_books_are_drawn_as_an_order_leaves_the_middle_of_its_queue() {
    let Some(mut browser) = browser("en") else { return };
    browser.look(1280, false);
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    open(&mut browser, Site::book(), Language::English);
    assert_eq!(browser.ask(SHOWN), json!([[10, 4, 7], [7, 6, 8], "48"]));
    let sentences = "[...document.querySelectorAll('#player-books ol li')].filter(li => li.checkVisibility()).length";
    assert_eq!(browser.ask(sentences), 11);
}
