//! A frame of the log, cut where the reader chooses.

use super::looks::looks_of;
use super::rules::faults;
use super::{Browser, Site, browser, keep_picture};
use serde_json::{Value, json};

/// How many bytes are drawn as kept, cut off and rotten, and whether the start has less than was acknowledged.
const SHOWN: &str = "['box-good', 'box-accent', 'box-bad'].map(look =>
    document.querySelectorAll(`#player-log [data-part^=byte-].${look}`).length)
    .concat(document.querySelector('#player-log [data-part=verdict]').classList.contains('bad'))";

fn go(browser: &mut Browser, step: usize) {
    browser.ask(&format!(
        "(s => {{ s.value = {step}; s.dispatchEvent(new Event('input')); }})(document.querySelector('#player-log input'))"
    ));
}

/// Clicks what is visible where a byte is drawn.
fn click(browser: &mut Browser, byte: usize) {
    browser.ask(&format!(
        "(part => {{
            part.scrollIntoView({{block: 'center'}});
            const {{x, y, width, height}} = part.getBoundingClientRect();
            const seen = document.elementFromPoint(x + width / 2, y + height / 2);
            seen.dispatchEvent(new MouseEvent('click', {{bubbles: true}}));
        }})(document.querySelector('#player-log [data-part=byte-{byte}]'))"
    ));
}

#[test]
fn the_power_fails_where_the_reader_likes() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    for &(lang, width, dark) in looks_of(1) {
        browser.look(width, dark);
        browser.open(&site.url(&format!("{}/faults.html", lang.tag())));
        // Not begun, within the header, within the command, whole, synced; then rot: taken for a crash, and refused.
        let shown: [(usize, Value); 8] = [
            (0, json!([0, 0, 0, false])),
            (5, json!([0, 5, 0, false])),
            (30, json!([0, 30, 0, false])),
            (48, json!([48, 0, 0, false])),
            (49, json!([48, 0, 0, false])),
            (50, json!([0, 47, 1, true])),
            (51, json!([0, 0, 1, true])),
            (53, json!([0, 0, 1, true])),
        ];
        for (step, shown) in &shown {
            go(&mut browser, *step);
            assert_eq!(browser.ask(SHOWN), *shown, "step {step}");
        }
        for byte in [29, 0, 47] {
            click(&mut browser, byte);
            let shown = if byte == 47 { json!([48, 0, 0, false]) } else { json!([0, byte + 1, 0, false]) };
            assert_eq!(browser.ask(SHOWN), shown, "the power fails after byte {byte}");
        }
        for step in [30, 52] {
            go(&mut browser, step);
            // The part of the page under its head, where it is scrolled to, would be counted as
            // covered.
            browser.ask("scrollTo(0, 0)");
            assert_eq!(faults(&mut browser, "#player-log", &format!("step {step}")), Vec::<String>::new());
            browser.ask("document.querySelector('#player-log').scrollIntoView()");
            keep_picture(&mut browser, &format!("{}-log-{step}", lang.tag()), width, dark);
        }
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn without_its_script_the_frame_is_torn_within_its_command() {
    let Some(mut browser) = browser("en") else { return };
    browser.look(1280, false);
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    browser.open(&Site::book().url("en/faults.html"));
    assert_eq!(browser.ask(SHOWN), json!([0, 31, 0, false]));
    let sentences = "[...document.querySelectorAll('#player-log ol li')].filter(li => li.checkVisibility()).length";
    assert_eq!(browser.ask(sentences), 54);
}
