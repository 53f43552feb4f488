//! The market to play with, as a reader plays: by button, key, link and form, in both languages.

use super::looks::is_asked;
use super::rules::faults;
use super::{Browser, Site, browser, keep_picture};
use results::language::Language;
use serde_json::{Value, json};

const TABLES: &str = "[...document.querySelectorAll('.sandbox table')].map(t => t.innerText).join('\\n')";
const SAID: &str = "document.querySelector('.sandbox .now').innerText";
const BROKEN: &str =
    "document.querySelectorAll('.sandbox .laws li').length - document.querySelectorAll('.sandbox .laws .holds').length";

fn page(site: &Site, lang: Language) -> String {
    site.url(&format!("{}/market.html", lang.tag()))
}

/// Opens an address from scratch, even if it differs from the last one only after `#`.
fn open(browser: &mut Browser, url: &str) {
    browser.open("about:blank");
    browser.open(url);
}

fn scripts(browser: &mut Browser, run: bool) {
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": !run}));
}

fn click(browser: &mut Browser, what: &str) {
    browser.ask(&format!("document.querySelector('.sandbox {what}').click()"));
}

/// Presses a key where the focus is.
fn press(browser: &mut Browser, key: &str) {
    for kind in ["rawKeyDown", "keyUp"] {
        let code = match key {
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            "Home" => 36,
            _ => 35,
        };
        let event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
        browser.call("Input.dispatchKeyEvent", event);
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn the_worked_example_plays_forwards_and_backwards() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    browser.look(1280, false);
    for lang in Language::ALL {
        open(&mut browser, &page(site, lang));
        let mut seen = vec![];
        for _ in 0..6 {
            seen.push(browser.ask(TABLES));
            click(&mut browser, ".forward");
            assert_eq!(browser.ask(BROKEN), 0);
        }
        // The page's own table says: 1,100, 780 and 1,120 cents, and nothing in the pot.
        let end =
            browser.ask("[...document.querySelectorAll('.sandbox .holdings td:nth-child(2)')].map(c => c.innerText)");
        assert_eq!(end, json!(["1,100", "780", "1,120", "0"]));
        assert_eq!(browser.ask("document.querySelector('.sandbox .forward').getAttribute('aria-disabled')"), "true");
        for before in seen.iter().rev() {
            click(&mut browser, ".back");
            assert_eq!(browser.ask(TABLES), *before);
        }
        // The same by keyboard; the arrow keys that turn the book's pages stay in the market.
        browser.ask("document.querySelector('.sandbox .forward').focus()");
        for (key, step) in [("End", 6), ("ArrowLeft", 5), ("Home", 0), ("ArrowRight", 1)] {
            press(&mut browser, key);
            let place = browser.ask("document.querySelector('.sandbox .place').innerText");
            assert!(text(&place).contains(&format!(" {step} ")), "{key}: {place}");
        }
        assert_eq!(browser.ask("location.pathname.endsWith('/market.html')"), true);
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn the_script_agrees_with_the_model() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    browser.look(1280, false);
    for lang in Language::ALL {
        scripts(&mut browser, false);
        open(&mut browser, &page(site, lang));
        let still = browser.ask(TABLES);
        let answers = browser.ask(
            "[...document.querySelectorAll('.sandbox li')].map(li => [li.id, li.querySelector('.answer').innerText])",
        );
        assert!(
            !text(&still).is_empty() && answers.as_array().unwrap().len() >= 10,
            "without scripts: {still} {answers}"
        );
        scripts(&mut browser, true);
        open(&mut browser, &page(site, lang));
        (0..3).for_each(|_| click(&mut browser, ".forward"));
        assert_eq!(browser.ask(TABLES), still);
        for answer in answers.as_array().unwrap() {
            let (id, told) = (text(&answer[0]), text(&answer[1]));
            browser.ask(&format!("document.querySelector('.questions a[href=\"#{id}\"]').click()"));
            browser.until("location.hash.startsWith('#rain=') && document.activeElement.matches('.sandbox .now')");
            click(&mut browser, ".forward");
            let said = browser.ask(
                "[...document.querySelectorAll('.now strong, .now .events li:not(.so)')]
                .map(e => e.innerText).join(document.documentElement.lang === 'en' ? ' ' : '')",
            );
            assert_eq!(said, told, "{id}");
            assert_eq!(browser.ask(BROKEN), 0, "{id}");
        }
        // A question in the text leads to the same place.
        browser.ask("document.querySelector('main p a[href=\"#rain-twice\"]').click()");
        browser.until("location.hash.startsWith('#rain=place.1.buy-yes.60.10.gtc;') && location.hash.endsWith('@1')");
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

/// Fills in the form and sends it.
fn send(browser: &mut Browser, fields: Value) {
    let fill = "for (const [name, value] of Object.entries(fields)) {
        const input = document.querySelector(`.sandbox form .${name} :is(input, select)`);
        input.value = value;
        input.dispatchEvent(new Event('change'));
    }
    document.querySelector('.sandbox form button').click();";
    browser.ask(&format!("(fields => {{ {fill} }})({fields})"));
}

#[test]
fn what_a_reader_sends_is_answered_kept_and_handed_on() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    browser.look(390, false);
    open(&mut browser, &format!("{}#rain=", page(site, Language::English)));
    send(
        &mut browser,
        json!({"command": "place", "account": 1, "intent": "buy-yes", "price": "150", "quantity": "10"}),
    );
    let said = browser.ask(SAID);
    assert!(text(&said).contains("Rejected: BadPrice. A price outside 1 to 99."), "{said}");
    send(&mut browser, json!({"price": "sixty"}));
    let told = browser.ask("document.querySelector('.sandbox [role=alert]').innerText + document.activeElement.value");
    assert_eq!(
        told,
        "Cents a share: write a whole number from 0 to 255. Which of them the market takes, its rules say.sixty"
    );
    assert_eq!(faults(&mut browser, ".sandbox", "a number that is not one"), Vec::<String>::new());
    // As a Chinese keyboard writes it, and as the page does.
    send(&mut browser, json!({"price": " ６０"}));
    send(&mut browser, json!({"command": "cancel", "account": 2, "order": "2"}));
    let said = browser.ask(SAID);
    assert!(text(&said).contains("Rejected: NotTheOwner. The order is another account's."), "{said}");
    let address = "place.1.buy-yes.150.10.gtc;place.1.buy-yes.60.10.gtc;cancel.2.2";
    assert_eq!(browser.ask("location.hash"), format!("#rain={address}"));
    assert_eq!(browser.ask("document.querySelector('.sandbox .link').hash === location.hash"), true);

    // From an earlier place, a command replaces those after it.
    click(&mut browser, ".back");
    send(&mut browser, json!({"command": "withdraw", "account": 2, "amount": "0,250"}));
    send(&mut browser, json!({"command": "resolve", "outcome": "no"}));
    let kept = browser.ask(TABLES);
    browser.call("Page.reload", json!({}));
    browser.until("document.readyState === 'complete' && document.querySelector('.sandbox.live') !== null");
    assert_eq!(browser.ask(TABLES), kept, "after a reload");
    browser.until("document.activeElement.matches('.sandbox .now')");
    browser.ask("document.getElementById('switch').click()");
    browser.until("location.pathname.endsWith('/zh/market.html') && document.readyState === 'complete'");
    let laws = browser.ask("document.querySelector('.sandbox .laws').innerText");
    assert!(text(&laws).contains("（成立）") && !text(&laws).contains('('), "{laws}");
    let said = browser.ask(SAID);
    assert!(text(&said).contains("第 4 步，共 4 步") && text(&said).contains("裁决：NO。"), "{said}");

    open(&mut browser, &format!("{}#rain=place.1.buy-yes.60.10.gtc;bribe.2", page(site, Language::Chinese)));
    let said = browser.ask(SAID);
    assert!(text(&said).contains("链接里的“bribe.2”不是命令") && text(&said).contains("第 1 步，共 1 步"), "{said}");
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn every_state_is_sound_in_every_look() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    let states = [
        ("rest", "#rain=place.1.buy-yes.60.10.gtc;place.3.buy-yes.60.5.gtc;place.2.buy-no.30.5.gtc;resolve.yes@3"),
        ("rejected", "#rain=place.3.sell-yes.70.5.gtc"),
        ("bad-link", "#rain=nonsense"),
    ];
    let mut found = vec![];
    let numbered = || (0..).zip(states);
    for (lang, (number, (name, hash))) in
        Language::ALL.into_iter().flat_map(|lang| numbered().map(move |state| (lang, state)))
    {
        // Every look once; the page as it opens is checked in all of them elsewhere.
        let looks = lang.pick([(390, true), (1280, false)], [(390, false), (1280, true)]);
        for (_, (width, dark)) in (number..).zip(looks).filter(|(look, _)| is_asked(lang, *look)) {
            browser.look(width, dark);
            open(&mut browser, &format!("{}{hash}", page(site, lang)));
            browser.ask("document.querySelector('.sandbox .sent').open = true");
            let state = format!("{}-sandbox-{name}", lang.tag());
            found.extend(faults(&mut browser, ".sandbox", &format!("{state} {width} {dark}")));
            keep_picture(&mut browser, &state, width, dark);
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn print_has_the_picture_and_its_words_and_no_controls() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    let shown = "[...document.querySelectorAll('.sandbox :is(form, .steps, .choices, .answer, table)')]
        .filter(e => e.checkVisibility()).map(e => e.tagName + '.' + e.className).join(' ')";
    open(&mut browser, &page(site, Language::English));
    browser.ask("window.dispatchEvent(new Event('beforeprint'))");
    browser.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    let printed = browser.ask(shown);
    let answers = text(&printed).matches("SPAN.answer").count();
    assert_eq!(text(&printed).replace(" SPAN.answer", ""), "TABLE.orders TABLE.holdings", "{printed}");
    assert!(answers >= 10, "{printed}");
    let said = browser.ask(SAID);
    assert!(text(&said).contains("Step 3 of 6"), "an untouched market prints the still picture's moment: {said}");
    // The whole book on one page has the pictures as they were built.
    open(&mut browser, &site.url("en/print.html"));
    assert_eq!(browser.ask("document.querySelectorAll('.sandbox.live').length"), 0);
    assert!(text(&browser.ask(TABLES)).contains("order 3"));
}
