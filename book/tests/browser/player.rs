//! The player: forwards, backwards, by slider and by key, on a phone, and without its script.

use super::rules::faults;
use super::{Browser, Site, browser, keep_picture};
use results::language::Language;
use serde_json::{Value, json};

/// The picture: what every part of it shows.
const PICTURE: &str = "[...document.querySelectorAll('#player-ring [data-part]')].map(part =>
    [part.dataset.part, part.classList.contains('touched') ? '' : part.getAttribute('class'), part.getAttribute('transform'), part.querySelector('text') ? '' : part.textContent].join()).join(' ')";
const SAID: &str = "document.querySelector('#player-ring .said').innerText";

fn open(browser: &mut Browser, site: &Site, lang: Language) {
    browser.open(&site.url(&format!("{}/pinned-ring.html", lang.tag())));
}

fn click(browser: &mut Browser, button: &str) {
    browser.ask(&format!("document.querySelector('#player-ring .{button}').click()"));
}

/// The positions of head, matching and journal, and what is acknowledged and with the caller.
fn counts(browser: &mut Browser) -> Value {
    browser.ask("['head', 'matching', 'journal', 'acknowledged', 'waiting'].map(name => Number(document.querySelector(`#player-ring [data-part=${name}-count]`).textContent))")
}

#[test]
fn a_recording_plays_forwards_and_backwards() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    for (lang, width) in [(Language::English, 1280), (Language::Chinese, 390)] {
        browser.look(width, lang == Language::Chinese);
        open(&mut browser, site, lang);
        let said = browser.ask("[...document.querySelectorAll('#player-ring ol li')].map(li => li.textContent)");
        let mut seen = vec![];
        for step in 0..16 {
            seen.push((browser.ask(PICTURE), browser.ask(SAID)));
            let sentence = said[step].as_str().unwrap();
            assert!(
                seen[step].1.as_str().unwrap().ends_with(sentence),
                "step {step}: {:?}, not {sentence}",
                seen[step].1
            );
            click(&mut browser, "forward");
        }
        assert_eq!(counts(&mut browser), json!([10, 8, 8, 8, 1]), "what was not durable was not acknowledged");
        for (_, told) in seen.iter().rev() {
            click(&mut browser, "back");
            assert_eq!(browser.ask(SAID), *told);
        }
        assert_eq!(counts(&mut browser), json!([0, 0, 0, 0, 0]));
        // By slider and by key; the arrow keys that turn the book's pages stay in the player.
        browser.ask(
            "(s => { s.value = 6; s.dispatchEvent(new Event('input')); })(document.querySelector('#player-ring input'))",
        );
        assert_eq!(counts(&mut browser), json!([8, 0, 0, 0, 2]), "the ring is full");
        browser.ask("document.querySelector('#player-ring .forward').focus()");
        let press = |browser: &mut Browser, key: &str, code: u32| {
            let event = json!({"type": "rawKeyDown", "key": key, "code": key, "windowsVirtualKeyCode": code});
            browser.call("Input.dispatchKeyEvent", event);
        };
        press(&mut browser, "ArrowLeft", 37);
        press(&mut browser, "ArrowLeft", 37);
        assert_eq!(counts(&mut browser), json!([7, 0, 0, 0, 0]));
        assert_eq!(browser.ask("location.pathname.endsWith('/pinned-ring.html')"), true);
        assert_eq!(faults(&mut browser, "#player-ring", "full"), Vec::<String>::new());
        keep_picture(&mut browser, &format!("{}-player", lang.tag()), width, lang == Language::Chinese);
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn without_its_script_the_picture_and_every_sentence_are_there() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    browser.look(1280, false);
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    open(&mut browser, site, Language::English);
    assert_eq!(counts(&mut browser), json!([10, 3, 8, 3, 0]));
    assert_eq!(
        browser.ask("[...document.querySelectorAll('#player-ring li')].filter(li => li.checkVisibility()).length"),
        17 + 4
    );
    let still = browser.ask(PICTURE);
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": false}));
    open(&mut browser, site, Language::English);
    browser.ask("window.dispatchEvent(new Event('beforeprint'))");
    browser.ask("document.querySelectorAll('#player-ring .touched').forEach(part => part.classList.remove('touched'))");
    let normal = |value: &Value| value.as_str().unwrap().replace(",,", ",");
    assert_eq!(normal(&browser.ask(PICTURE)), normal(&still), "an untouched player prints its still picture");
}

/// What the boxes of matching's head and slot 0 show.
const MATCHING: &str = "['head', 'slot-0'].map(place =>
    document.querySelector(`#player-ordering [data-part=matching-${place}]`).textContent).join(' | ')";

#[test]
fn a_weakened_ordering_shows_an_old_command_and_both_words_do_not() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    for (lang, width, dark) in [(Language::English, 390, false), (Language::Chinese, 1280, true)] {
        browser.look(width, dark);
        open(&mut browser, site, lang);
        let mut shown = vec![];
        for _ in 0..18 {
            shown.push(browser.ask(MATCHING).as_str().unwrap().replace("或", "or"));
            browser.ask("document.querySelector('#player-ordering .forward').click()");
        }
        // Written, stored, loaded, read, explained: without Release, without Acquire, and with
        // both.
        let weak = ["4 | 0", "4 | 0 or 4", "4 or 5 | 0 or 4", "5 | 0 or 4", "5 | 0", "5 | 0"];
        let whole = ["4 | 0", "4 | 0 or 4", "4 or 5 | 0 or 4", "5 | 4", "5 | 4", "5 | 4"];
        assert_eq!(shown, [weak, weak, whole].concat());
        for step in [4, 15] {
            let to = format!(
                "(s => {{ s.value = {step}; s.dispatchEvent(new Event('input')); }})(document.querySelector('#player-ordering input'))"
            );
            browser.ask(&to);
            assert_eq!(faults(&mut browser, "#player-ordering", &format!("step {step}")), Vec::<String>::new());
            browser.ask("document.querySelector('#player-ordering').scrollIntoView()");
            keep_picture(&mut browser, &format!("{}-ordering-{step}", lang.tag()), width, dark);
        }
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}
