//! Whatever would answer a guess is folded for readers who ask for that, until the guesses are written; others see no
//! difference.

use super::rules::faults;
use super::{Browser, Site, browser, keep_picture};
use results::language::Language;
use serde_json::{Value, json};

/// The visible charts, tables and answers after the guesses.
const SEEN: &str = "[...document.querySelectorAll('main figure.chart, main .table-wrapper.record')]
    .filter(e => e.checkVisibility()).length";

/// The buttons that replace what is folded.
const FOLDED: &str = "[...document.querySelectorAll('button.fold')].filter(e => e.checkVisibility()).length";

fn open(browser: &mut Browser, site: &Site, lang: Language) {
    browser.open(&site.url(&format!("{}/sharding.html", lang.tag())));
}

fn count(browser: &mut Browser, what: &str) -> u64 {
    browser.ask(what).as_u64().expect("a number")
}

fn write(browser: &mut Browser, id: &str) {
    browser.ask(&format!("document.querySelector('#guess-{id} input').value = '2'"));
    browser.ask(&format!("document.querySelector('#guess-{id} [type=submit]').click()"));
}

/// Whether a reader sees the number that answers. It is found by its exact value, because another one may be rounded
/// to the same text.
const TELLS: &str = "(answer => [...document.querySelectorAll('main data.num')]
    .some(number => number.getAttribute('value') === answer && number.checkVisibility()))(
    String(JSON.parse(document.querySelector('#guess-shards-two').dataset.guess).guess.measured.value))";

#[test]
fn what_answers_is_folded_until_the_guesses_are_written() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    for lang in Language::ALL {
        browser.look(390, lang == Language::Chinese);
        open(&mut browser, site, lang);
        browser.ask("localStorage.clear()");
        open(&mut browser, site, lang);
        let all = count(&mut browser, SEEN);
        assert!(all >= 5 && count(&mut browser, FOLDED) == 0, "nothing is folded for a reader who did not ask");
        assert_eq!(browser.ask(TELLS), true, "the page shows the answer");

        browser.ask("document.querySelector('.fold-choice input').click()");
        let before_guess = "[...document.querySelectorAll('main figure.chart, main .table-wrapper.record')]
            .filter(e => e.compareDocumentPosition(document.querySelector('.guess')) & 4).length";
        assert_eq!(count(&mut browser, SEEN), count(&mut browser, before_guess));
        assert!(count(&mut browser, FOLDED) > all, "charts, tables, and numbers between the words");
        assert_eq!(browser.ask(TELLS), false, "the answer can still be read");
        assert_eq!(faults(&mut browser, "main", "folded"), Vec::<String>::new());
        keep_picture(&mut browser, &format!("folded-{}", lang.tag()), 390, lang == Language::Chinese);

        // One piece opens by itself, and the reader's focus moves there.
        browser.ask("document.querySelector('button.fold.chart').click()");
        assert_eq!(
            browser.ask("document.activeElement.matches('figure.chart') && document.activeElement.checkVisibility()"),
            true
        );

        // Kept over a reload, and gone with the last guess.
        browser.call("Page.reload", json!({}));
        browser.until(
            "document.readyState === 'complete' && document.querySelector('.fold-choice input')?.checked === true",
        );
        write(&mut browser, "shards-two");
        assert!(count(&mut browser, FOLDED) > 0, "one guess is missing");
        write(&mut browser, "shards-four");
        assert_eq!((count(&mut browser, FOLDED), count(&mut browser, SEEN)), (0, all));
        assert_eq!(browser.ask(TELLS), true);
        assert_eq!(browser.errors, Vec::<String>::new());
    }
}

#[test]
fn what_is_folded_is_printed_and_a_page_without_guesses_asks_nothing() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    browser.look(1280, false);
    open(&mut browser, site, Language::English);
    let all = count(&mut browser, SEEN);
    browser.ask("document.querySelector('.fold-choice input').click()");
    assert!(count(&mut browser, SEEN) < all);
    browser.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    assert_eq!((count(&mut browser, SEEN), count(&mut browser, FOLDED)), (all, 0));
    browser.call("Emulation.setEmulatedMedia", json!({"media": ""}));
    browser.open(&site.url("en/glossary.html"));
    assert_eq!(browser.ask("document.querySelector('.fold-choice')"), Value::Null);
    assert_eq!(browser.errors, Vec::<String>::new());
}
