//! Two orders on their way, played on their page.

use super::looks::looks_of;
use super::rules::faults;
use super::{Browser, Site, browser, keep_picture};
use results::language::Language;
use serde_json::Value;

/// How many stages of each order are drawn, and whether each bar begins where the one before it ends.
const SHOWN: &str = "(() => {
    const bars = name => [...document.querySelectorAll(`#player-trace rect[data-part^=${name}-]`)]
        .filter(bar => /-[0-9]+$/.test(bar.dataset.part)).map(bar => bar.getBoundingClientRect()).filter(({ width }) => width > 0);
    const joined = all => all.every((bar, at) => at === 0 || bar.left - all[at - 1].right < 1.5);
    return ['usual', 'slow'].map(name => `${bars(name).length} ${joined(bars(name))}`).join(' ');
})()";
/// By how much the whole of the slow one is drawn longer than that of the usual one.
const LONGER: &str = "(() => {
    const [usual, slow] = ['usual', 'slow'].map(name => document.querySelector(`#player-trace [data-part=${name}-whole]`).getBoundingClientRect().width);
    return slow / usual;
})()";
const LONGEST: &str = "document.querySelectorAll('#player-trace .bar.longest').length";

fn go(browser: &mut Browser, step: usize) {
    browser.ask(&format!(
        "(s => {{ s.value = {step}; s.dispatchEvent(new Event('input')); }})(document.querySelector('#player-trace input'))"
    ));
}

fn open(browser: &mut Browser, lang: Language) {
    browser.open(&Site::book().url(&format!("{}/whole-path.html", lang.tag())));
}

/// By how much it took longer in the record.
fn longer() -> f64 {
    let record = Site::book().project.reference().join("path.json");
    let record: Value = serde_json::from_str(&std::fs::read_to_string(record).unwrap()).unwrap();
    let whole = |name: &str| record[name].as_array().unwrap().last().unwrap().as_f64().unwrap();
    whole("slow_ns") / whole("usual_ns")
}

#[test]
fn two_orders_pass_their_stages_side_by_side() {
    let Some(mut browser) = browser("en") else { return };
    for &(lang, width, dark) in looks_of(4) {
        browser.look(width, dark);
        open(&mut browser, lang);
        for step in 0..=11 {
            go(&mut browser, step);
            let stages = step.min(10);
            assert_eq!(browser.ask(SHOWN), format!("{stages} true {stages} true"), "step {step}");
            assert_eq!(browser.ask(LONGEST), if step == 11 { 2 } else { 0 }, "step {step}");
        }
        let drawn = browser.ask(LONGER).as_f64().unwrap();
        assert!((drawn / longer() - 1.0).abs() < 0.1, "one scale for both: {drawn} {}", longer());
        for step in [0, 4, 11] {
            go(&mut browser, step);
            browser.ask("scrollTo(0, 0)");
            assert_eq!(faults(&mut browser, "#player-trace", &format!("step {step}")), Vec::<String>::new());
            browser.ask("document.querySelector('#player-trace').scrollIntoView()");
            keep_picture(&mut browser, &format!("{}-trace-{step}", lang.tag()), width, dark);
        }
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn without_its_script_both_orders_are_drawn_whole_and_each_stage_is_said() {
    let Some(mut browser) = browser("en") else { return };
    browser.look(1280, false);
    browser.call("Emulation.setScriptExecutionDisabled", serde_json::json!({ "value": true }));
    open(&mut browser, Language::English);
    assert_eq!(browser.ask(SHOWN), "10 true 10 true");
    let sentences: Value =
        browser.ask("[...document.querySelectorAll('#player-trace ol li')].filter(li => li.checkVisibility()).length");
    assert_eq!(sentences, 12);
}
