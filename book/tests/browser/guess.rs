//! Guesses: written, refused with a message, kept over a reload, compared with what was measured, and gathered at
//! the end.

use super::looks::{is_asked, looks};
use super::rules::faults;
use super::{Browser, Site, browser, keep_picture};
use results::language::Language;
use serde_json::{Value, json};
use std::fs;

fn open(browser: &mut Browser, site: &Site, lang: Language, page: &str) {
    browser.open(&site.url(&format!("{}/{page}.html", lang.tag())));
}

fn text(browser: &mut Browser, what: &str) -> String {
    browser
        .ask(&format!("document.querySelector('{what}').innerText.replaceAll('\\u00a0', ' ')"))
        .as_str()
        .unwrap()
        .to_owned()
}

fn click(browser: &mut Browser, what: &str) {
    browser.ask(&format!("document.querySelector('{what}').click()"));
}

/// Writes a number in the field of a guess and sends it.
fn write(browser: &mut Browser, id: &str, number: &str) {
    browser.ask(&format!("document.querySelector('#guess-{id} input').value = '{number}'"));
    click(browser, &format!("#guess-{id} [type=submit]"));
}

/// Chooses an option in each line of a guess, counted from 0, and sends them.
fn choose(browser: &mut Browser, id: &str, options: &[usize]) {
    for (row, option) in options.iter().enumerate() {
        click(browser, &format!("#guess-{id} [name=guess-{id}-{row}][value=\"{option}\"]"));
    }
    click(browser, &format!("#guess-{id} [type=submit]"));
}

#[test]
fn a_guess_is_written_kept_and_answered_when_the_reader_asks() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    browser.look(390, false);
    open(&mut browser, site, Language::English, "group-commit");
    write(&mut browser, "group-gain", "lots");
    let refused = browser
        .ask("document.querySelector('#guess-group-gain [role=alert]').innerText + document.activeElement.value");
    assert_eq!(refused, "Write a number above zero, such as 2.5.lots");
    assert_eq!(faults(&mut browser, "#guess-group-gain", "refused"), Vec::<String>::new());
    write(&mut browser, "group-gain", "１,024");
    let own = text(&mut browser, "#guess-group-gain");
    assert!(own.contains("Your guess: 1,020×") && !own.contains("Measured"), "{own}");
    browser.call("Page.reload", json!({}));
    browser.until("document.readyState === 'complete' && document.querySelector('#guess-group-gain.written') !== null");
    assert!(!text(&mut browser, "#guess-group-gain").contains("easured"), "the reader has not asked for it");
    // The same guess in the other language, changed, and then compared with the record.
    open(&mut browser, site, Language::Chinese, "group-commit");
    assert!(text(&mut browser, "#guess-group-gain").contains("你猜的：1,020 倍"));
    click(&mut browser, "#guess-group-gain .change");
    write(&mut browser, "group-gain", "500 倍");
    click(&mut browser, "#guess-group-gain .look");
    let shown = browser.ask("[...document.querySelectorAll('#guess-group-gain svg text')].map(t => t.textContent.replaceAll('\\u00a0', ' ')).join('|')");
    let measured = browser.ask("document.querySelector('#gain ~ p data.num, main data.num[title*=\"chapters[0x03].orders_per_s.median ÷ ladder:chapters[0x02].orders_per_s\"]').textContent.replaceAll('\\u00a0', ' ')");
    assert!(shown.as_str().unwrap().contains("你猜的：500 倍"), "{shown}");
    assert!(shown.as_str().unwrap().contains(&format!("实测：{}", measured.as_str().unwrap())), "{shown} {measured}");
    // The scale is drawn: a line for each power of ten, and no stray text.
    let scale = browser.ask(
        "(svg => [svg.querySelectorAll('.tick').length >= 2 && svg.querySelectorAll('.soft').length >= 2,
            [...svg.childNodes].every(node => node.nodeType === 1)])(document.querySelector('#guess-group-gain svg'))",
    );
    assert_eq!(scale, json!([true, true]), "the powers of ten, and no text outside the picture");
    assert_eq!(
        browser.ask("document.querySelector('#guess-group-gain .change') === null"),
        true,
        "a guess whose answer was seen can't be changed"
    );
    assert_eq!(faults(&mut browser, "#guess-group-gain", "answered"), Vec::<String>::new());
    assert_eq!(browser.errors, Vec::<String>::new());
}

/// How many pairs of these numbers are in this order in the reference record.
fn pairs_in_order(site: &Site, ids: [&str; 5]) -> usize {
    let record = fs::read_to_string(site.project.reference().join("numbers.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let time = |id: &str| {
        let number = record["numbers"].as_array().unwrap().iter().find(|number| number["id"] == id).unwrap();
        number["measured"]["median_ns"].as_f64().unwrap()
    };
    let times = ids.map(time);
    times.iter().enumerate().map(|(at, before)| times[at + 1..].iter().filter(|after| before < after).count()).sum()
}

#[test]
fn every_kind_can_be_written_and_all_are_gathered_at_the_end() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    browser.look(390, false);
    open(&mut browser, site, Language::English, "your-guesses");
    assert!(text(&mut browser, ".guesses").starts_with("There is none yet."));
    open(&mut browser, site, Language::English, "latency-numbers");
    // From the clock first to the sync last: two steps up for the byte of memory, three for the system call.
    for (item, steps) in [("memory", 1), ("system call", 2)] {
        for _ in 0..steps {
            click(&mut browser, &format!("#guess-order [aria-label^=\"Up\"][aria-label$=\"{item}\"]"));
        }
    }
    assert_eq!(
        browser.ask("document.activeElement.getAttribute('aria-label')"),
        "Up: a small system call",
        "the focus moves along"
    );
    assert_eq!(faults(&mut browser, "#guess-order", "ranking"), Vec::<String>::new());
    click(&mut browser, "#guess-order [type=submit]");
    click(&mut browser, "#guess-order .look");
    let right = pairs_in_order(site, ["clock_read", "ram_read", "system_call", "thread_hand_off", "unbatched_sync"]);
    let shown = text(&mut browser, "#guess-order");
    assert!(shown.contains(&format!("{right} of 10 pairs")), "{right}: {shown}");
    write(&mut browser, "sync-by-clock", "40");
    open(&mut browser, site, Language::English, "naive");
    browser.ask("document.querySelector('#guess-naive-orders select').value = 1");
    write(&mut browser, "naive-orders", "50");
    open(&mut browser, site, Language::English, "perf-metrics");
    browser.ask("document.querySelectorAll('#guess-stages input').forEach((input, i) => { input.value = [10, 30, 10, 20, 10, 10][i]; })");
    click(&mut browser, "#guess-stages [type=submit]");
    assert_eq!(text(&mut browser, "#guess-stages [role=alert]"), "These add up to 90. Make it 100.");
    browser.ask("document.querySelector('#guess-stages input').value = 20");
    click(&mut browser, "#guess-stages [type=submit]");
    click(&mut browser, "#guess-stages .look");
    assert_eq!(faults(&mut browser, "#guess-stages", "shares"), Vec::<String>::new());
    open(&mut browser, site, Language::English, "market");
    choose(&mut browser, "mint", &[1]);
    open(&mut browser, site, Language::English, "array-book");
    choose(&mut browser, "array-stage", &[1]);
    click(&mut browser, "#guess-array-stage .look");
    assert!(text(&mut browser, "#guess-array-stage .hit").contains("matching"));
    open(&mut browser, site, Language::English, "faults");
    choose(&mut browser, "faults", &[0, 1, 1]);
    assert_eq!(text(&mut browser, "#guess-faults [role=alert]"), "Choose one in each line.");
    choose(&mut browser, "faults", &[0, 1, 1, 2]);
    click(&mut browser, "#guess-faults .look");
    assert_eq!(faults(&mut browser, "#guess-faults", "choice"), Vec::<String>::new());

    let mut found = vec![];
    // In the colours that the players are not checked in.
    for (lang, width, dark) in looks().iter().map(|&(lang, width, dark)| (lang, width, !dark)) {
        browser.look(width, dark);
        let pages = (0..).zip(["your-guesses", "perf-metrics", "latency-numbers", "faults"]);
        for (_, page) in pages.filter(|(number, _)| is_asked(lang, *number)) {
            open(&mut browser, site, lang, page);
            found.extend(faults(&mut browser, ".guess, .guesses", &format!("{} {page} {width} {dark}", lang.tag())));
            keep_picture(&mut browser, &format!("{}-guessed-{page}", lang.tag()), width, dark);
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    gathered(&mut browser, site);
}

/// The page at the end, with the guesses of the test above.
fn gathered(browser: &mut Browser, site: &Site) {
    open(browser, site, Language::English, "your-guesses");
    let all = text(browser, ".guesses");
    assert!(all.starts_with("7 of 37 are written down."), "{all}");
    assert_eq!(browser.ask("document.querySelectorAll('.strips li').length"), 2);
    assert!(text(browser, "#furthest + ol li").contains("Where does the time go?"), "{all}");
    let line = browser.ask("document.querySelector('#guesses-line').value");
    assert_eq!(
        line,
        "99-guesses mint=1 order=0,2,4,1,3 sync-by-clock=40 naive-orders=50000 stages=20,30,10,20,10,10 array-stage=1 faults=0,1,1,2"
    );
    browser.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    assert_eq!(browser.ask("document.querySelector('.guesses .controls').checkVisibility()"), false);
    assert_eq!(browser.ask("document.querySelector('.guesses .strips').checkVisibility()"), true);
    browser.call("Emulation.setEmulatedMedia", json!({"media": ""}));
    // Removed only after a confirmation, here and on the pages.
    click(browser, ".guesses .clear");
    assert_eq!(browser.ask("document.activeElement.className"), "no");
    assert!(text(browser, ".guesses").starts_with("7 of 37"));
    click(browser, ".guesses .yes");
    assert!(text(browser, ".guesses").starts_with("There is none yet."));
    open(browser, site, Language::English, "market");
    assert_eq!(browser.ask("document.querySelector('#guess-mint form') !== null"), true);
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn without_scripts_the_page_asks_in_prose_and_stored_data_may_be_anything() {
    let Some(mut browser) = browser("en") else { return };
    let site = Site::book();
    browser.look(1280, false);
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    open(&mut browser, site, Language::English, "group-commit");
    assert_eq!(browser.ask("[...document.querySelectorAll('.guess')].filter(g => g.checkVisibility()).length"), 0);
    open(&mut browser, site, Language::Chinese, "your-guesses");
    assert_eq!(browser.ask("document.querySelectorAll('.guesses li a').length"), 37);
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": false}));
    let kept =
        ["[]", "7", "nonsense", r#"{"mint":{"value":[9]},"order":{"value":"x"},"noise":{"value":-1},"stages":null}"#];
    for (turn, kept) in kept.iter().enumerate() {
        browser.ask(&format!("localStorage.setItem('book-guesses', {})", json!(kept)));
        let pages = (turn..).zip(["market", "latency-numbers", "measuring", "perf-metrics", "your-guesses"]);
        for (_, page) in pages.filter(|(number, _)| is_asked(Language::English, *number)) {
            open(&mut browser, site, Language::English, page);
            assert_eq!(browser.ask("document.querySelectorAll('.guess.written, .strips').length"), 0, "{page}: {kept}");
        }
    }
    open(&mut browser, site, Language::English, "measuring");
    write(&mut browser, "noise", "1.2");
    assert!(text(&mut browser, "#guess-noise").contains("Your guess: 1.2×"));
    assert_eq!(browser.errors, Vec::<String>::new());
}
