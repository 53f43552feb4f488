//! A slow reader that catches up, played on its page.

use super::looks::looks_of;
use super::rules::faults;
use super::{Browser, Site, browser, keep_picture};
use results::language::Language;
use serde_json::{Value, json};

/// What the slate and the slow reader show at 41 and 42 cents, which of these two are in the reader's mask, and its
/// version.
const SHOWN: &str = "(() => {
    const part = name => document.querySelector(`#player-mask [data-part=${name}]`);
    const text = names => names.map(name => part(name).textContent).join(' ');
    const missed = ['slow-box-3', 'slow-box-4'].map(name => part(name).classList.contains('box-accent') ? 'x' : '.');
    return [text(['slate-3', 'slate-4']), text(['slow-3', 'slow-4']), missed.join('')].join(' | ');
})()";
const STALE: &str = "['slate', 'fast', 'slow'].map(row =>
    document.querySelector(`#player-mask [data-part=${row}-title]`).classList.contains('bad'))";

fn go(browser: &mut Browser, step: usize) {
    browser.ask(&format!(
        "(s => {{ s.value = {step}; s.dispatchEvent(new Event('input')); }})(document.querySelector('#player-mask input'))"
    ));
}

fn open(browser: &mut Browser, site: &Site, lang: Language) {
    browser.open(&site.url(&format!("{}/market-data.html", lang.tag())));
}

#[test]
fn a_slow_reader_takes_one_amount_for_five_changes() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    for &(lang, width, dark) in looks_of(2) {
        browser.look(width, dark);
        open(&mut browser, site, lang);
        let mut shown: Vec<Value> = (0..23)
            .map(|_| {
                let shown = browser.ask(SHOWN);
                browser.ask("document.querySelector('#player-mask .forward').click()");
                shown
            })
            .collect();
        shown.dedup();
        let seen = [
            "0 −7 | 0 0 | xx",
            "0 −7 | 0 −7 | ..",
            "+5 −7 | 0 −7 | x.",
            "+5 −4 | 0 −7 | xx",
            "+9 −4 | 0 −7 | xx",
            "+4 −4 | 0 −7 | xx",
            "+24 −4 | 0 −7 | xx",
            "+14 −4 | 0 −7 | xx",
            "+14 −4 | +14 −4 | ..",
            "+14 0 | +14 −4 | .x",
            "+14 0 | +14 0 | ..",
            "+14 0 | +14 0 | xx",
            "+14 0 | +14 0 | ..",
        ];
        assert_eq!(shown, seen.map(Value::from));
        // A book of an epoch that has ended is stale, until a whole one arrives.
        for (step, stale) in [(16, [false; 3]), (17, [true, false, false]), (19, [true; 3]), (22, [false; 3])] {
            go(&mut browser, step);
            assert_eq!(browser.ask(STALE), json!(stale), "step {step}");
        }
        for step in [12, 19] {
            go(&mut browser, step);
            // The part of the page under its head, where it is scrolled to, would be counted as
            // covered.
            browser.ask("scrollTo(0, 0)");
            assert_eq!(faults(&mut browser, "#player-mask", &format!("step {step}")), Vec::<String>::new());
            browser.ask("document.querySelector('#player-mask').scrollIntoView()");
            keep_picture(&mut browser, &format!("{}-mask-{step}", lang.tag()), width, dark);
        }
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn without_its_script_the_mask_is_drawn_before_the_slow_reader_wakes() {
    let Some(mut browser) = browser("en") else { return };
    browser.look(1280, false);
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    open(&mut browser, Site::book(), Language::English);
    assert_eq!(browser.ask(SHOWN), "+14 −4 | 0 −7 | xx");
    let sentences = "[...document.querySelectorAll('#player-mask ol li')].filter(li => li.checkVisibility()).length";
    assert_eq!(browser.ask(sentences), 23);
}
