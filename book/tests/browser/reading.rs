//! Where readers could get lost: the place in the book is always shown, and a sentence stays above its lines.

use super::{Site, browser};
use results::language::Language;
use serde_json::json;

#[test]
fn every_page_shows_its_place_in_the_book() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    for (width, lang) in [(390, Language::Chinese), (1280, Language::English)] {
        browser.look(width, false);
        let page = |name: &str| site.url(&format!("{}/{name}.html", lang.tag()));
        for (name, before, after, rung) in [
            ("group-commit", "diff-0x02.html", "diff-0x03.html", 4),
            ("diff-0x03", "group-commit.html", "allocation-reuse.html", 4),
            ("measuring", "any-price.html", "history-of-figures.html", 0),
        ] {
            browser.open(&page(name));
            browser.ask("scrollTo(0, 600)");
            let seen = browser.ask(
                "(() => {
                    const bar = document.querySelector('#mdbook-menu-bar').getBoundingClientRect();
                    const name = link => link.getAttribute('href').split('/').pop();
                    const rungs = [...document.querySelectorAll('.rungs i')];
                    return [scrollY > 0 && bar.top === 0, name(document.querySelector('.way .before')),
                        name(document.querySelector('.way .after')), rungs.findIndex(rung => rung.className === 'now') + 1];
                })()",
            );
            assert_eq!(seen, json!([true, before, after, rung]), "{name} at {width}");
        }
    }
}

#[test]
fn a_diffs_sentence_stays_over_its_lines_and_roots_are_folded() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    browser.look(390, true);
    browser.open(&site.url("en/diff-0x05.html"));
    browser.ask("document.querySelector('.file pre.diff').scrollIntoView(); scrollBy(0, 700)");
    let seen = browser.ask(
        "(() => {
            const said = document.querySelector('.file .said').getBoundingClientRect();
            const bar = document.querySelector('#mdbook-menu-bar').getBoundingClientRect();
            return [Math.abs(said.top - bar.bottom) <= 1, document.elementFromPoint(195, said.top + 10).closest('.said') !== null,
                [...document.querySelectorAll('.file details:not([open])')].map(d => d.closest('.file').querySelector('h2').innerText)];
        })()",
    );
    assert_eq!(seen, json!([true, true, ["src/lib.rs", "src/main.rs", "Cargo.toml"]]));
    // On a wide screen removed lines are beside their replacement.
    browser.look(1920, false);
    let beside = "(() => {
        const run = [...document.querySelectorAll('.run')].find(run => run.querySelector('del') && run.querySelector('ins'));
        const [del, ins] = ['del', 'ins'].map(tag => run.querySelector(tag).getBoundingClientRect());
        return [Math.abs(del.top - ins.top) < 2, del.right <= ins.left + 1];
    })()";
    assert_eq!(browser.ask(beside), json!([true, true]));
}
