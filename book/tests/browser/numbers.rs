//! A window of numbers, played on its page.

use super::looks::looks_of;
use super::rules::faults;
use super::{Browser, Site, browser, keep_picture};
use results::language::Language;
use serde_json::{Value, json};

/// How many cells are used, under way and not a number; the lowest number and the highest; and whether the mark is
/// visible.
const SHOWN: &str = "(() => {
    const count = kind => document.querySelectorAll(`#player-numbers rect.${kind}`).length;
    const text = name => document.querySelector(`#player-numbers [data-part=${name}]`).textContent;
    const mark = document.querySelector('#player-numbers [data-part=mark]').getBoundingClientRect().width > 0;
    return [count('used'), count('under-way'), count('none'), text('low-0'), text('high-3'), mark].join(' ');
})()";
/// Which cell the mark is under, from 0 to 255; nothing if it is beside the window.
const MARKED: &str = "(() => {
    const { left, width, top } = document.querySelector('#player-numbers [data-part=mark]').getBoundingClientRect();
    const under = [...document.querySelectorAll('#player-numbers .cell')].map(cell => cell.getBoundingClientRect())
        .map((cell, at) => ({ cell, at })).filter(({ cell }) => cell.left <= left + width / 2 && left + width / 2 <= cell.right
            && cell.bottom <= top && top - cell.bottom < cell.height);
    return under.map(({ at }) => at);
})()";
const FOUND: &str = "document.querySelector('#player-numbers [data-part=found]').textContent";

fn go(browser: &mut Browser, step: usize) {
    browser.ask(&format!(
        "(s => {{ s.value = {step}; s.dispatchEvent(new Event('input')); }})(document.querySelector('#player-numbers input'))"
    ));
}

fn open(browser: &mut Browser, site: &Site, lang: Language) {
    browser.open(&site.url(&format!("{}/exactly-once.html", lang.tag())));
}

#[test]
fn numbers_come_overtake_repeat_and_are_too_old() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    for &(lang, width, dark) in looks_of(4) {
        browser.look(width, dark);
        open(&mut browser, site, lang);
        // Empty; 3 before 2; 100 is lost; the window moves; 100 comes late; a jump; and a kill that changes nothing.
        for (step, shown) in [
            (0, "0 0 256   false"),
            (1, "0 0 256   true"),
            (4, "2 0 253  3 true"),
            (5, "2 1 253  3 true"),
            (10, "249 0 6  250 false"),
            (11, "255 0 0 4 259 false"),
            (14, "255 1 0 4 259 true"),
            (15, "256 0 0 4 259 true"),
            (17, "1 0 0 745 1,000 true"),
            (20, "1 0 0 745 1,000 true"),
            (21, "1 0 0 745 1,000 false"),
            (23, "2 0 0 746 1,001 true"),
        ] {
            go(&mut browser, step);
            assert_eq!(browser.ask(SHOWN), shown, "step {step}");
        }
        for (step, cells) in [(12, json!([])), (14, json!([96])), (20, json!([])), (23, json!([255]))] {
            go(&mut browser, step);
            assert_eq!(browser.ask(MARKED), cells, "step {step}: the cell above the mark");
        }
        let found = [(9, "number-reused"), (12, "number-too-old"), (13, "number-done"), (19, "number-too-old")];
        for (step, word) in found {
            go(&mut browser, step);
            let said = browser.ask(FOUND);
            assert!(said.as_str().unwrap().ends_with(word), "step {step}: {said}");
        }
        for step in [0, 10, 12, 14, 19] {
            go(&mut browser, step);
            // The part of the page under its head, where it is scrolled to, would be counted as
            // covered.
            browser.ask("scrollTo(0, 0)");
            assert_eq!(faults(&mut browser, "#player-numbers", &format!("step {step}")), Vec::<String>::new());
            browser.ask("document.querySelector('#player-numbers').scrollIntoView()");
            keep_picture(&mut browser, &format!("{}-numbers-{step}", lang.tag()), width, dark);
        }
        // By key, like every player.
        browser.ask("document.querySelector('#player-numbers .forward').focus()");
        let press = |browser: &mut Browser, key: &str, code: u32| {
            let event = json!({"type": "rawKeyDown", "key": key, "code": key, "windowsVirtualKeyCode": code});
            browser.call("Input.dispatchKeyEvent", event);
        };
        press(&mut browser, "Home", 36);
        press(&mut browser, "ArrowRight", 39);
        assert_eq!(browser.ask(SHOWN), "0 0 256   true");
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn without_its_script_the_window_is_drawn_with_the_late_number_in_it() {
    let Some(mut browser) = browser("en") else { return };
    browser.look(1280, false);
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    open(&mut browser, Site::book(), Language::English);
    assert_eq!(browser.ask(SHOWN), "256 0 0 4 259 true");
    let sentences: Value = browser
        .ask("[...document.querySelectorAll('#player-numbers ol li')].filter(li => li.checkVisibility()).length");
    assert_eq!(sentences, 25);
}
