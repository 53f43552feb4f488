//! The time lines of 0x01, 0x03 and 0x06, run by run and order by order.

use super::looks::{is_asked, looks_of};
use super::rules::faults;
use super::{Browser, Site, browser, keep_picture};
use results::language::Language;
use serde_json::{Value, json};

/// Each player with its page, the run of its still picture, and how many runs it shows.
const PLAYERS: [(&str, &str, &str, usize); 2] =
    [("batches", "group-commit", "0x03, K = 4", 4), ("at-once", "pinned-ring", "0x06", 3)];

/// One step for each order, and one before the first.
const EACH: usize = 14;

/// The shown run and how many latencies are visible, according to the picture; the chosen run, according to the
/// buttons.
fn shown(browser: &mut Browser, player: &str) -> Value {
    browser.ask(&format!(
        "(() => {{
            const section = document.querySelector('#player-{player}');
            const told = [...section.querySelectorAll('[data-part^=latency-]')].filter(part => part.textContent);
            const chosen = [...section.querySelectorAll('.runs button')].filter(one => one.ariaPressed === 'true');
            return [section.querySelector('[data-part=run]').textContent, told.length, chosen.map(one => one.textContent).join()];
        }})()"
    ))
}

fn open(browser: &mut Browser, lang: Language, page: &str) {
    browser.open(&Site::book().url(&format!("{}/{page}.html", lang.tag())));
}

#[test]
fn a_reader_changes_the_run_and_stays_with_the_order() {
    let Some(mut browser) = browser("en") else { return };
    for &(lang, width, dark) in looks_of(3) {
        for (player, page, _, runs) in PLAYERS {
            browser.look(width, dark);
            open(&mut browser, lang, page);
            assert_eq!(shown(&mut browser, player), json!(["0x01", 0, "0x01"]));
            let click = |browser: &mut Browser, what: &str| {
                browser.ask(&format!("document.querySelector('#player-{player} {what}').click()"));
            };
            for _ in 0..7 {
                click(&mut browser, ".forward");
            }
            assert_eq!(shown(&mut browser, player), json!(["0x01", 7, "0x01"]));
            // Each order's time as text, too: the latency in its row.
            for run in 1..=runs {
                click(&mut browser, &format!(".runs button:nth-child({run})"));
                let now = shown(&mut browser, player);
                assert_eq!((&now[0], &now[1]), (&now[2], &json!(7)), "run {run} at the same order");
                let (row, said) = (
                    browser
                        .ask(&format!("document.querySelector('#player-{player} [data-part=latency-6]').textContent")),
                    browser.ask(&format!("document.querySelector('#player-{player} .said').textContent")),
                );
                assert!(said.as_str().unwrap().contains(row.as_str().unwrap()), "{row}: {said}");
                if is_asked(lang, run) {
                    assert_eq!(
                        faults(&mut browser, &format!("#player-{player}"), &format!("{page}, run {run}")),
                        Vec::<String>::new()
                    );
                }
            }
            // Past the end of a run and back, and the last step of all.
            click(&mut browser, ".runs button:first-child");
            for _ in 7..EACH {
                click(&mut browser, ".forward");
            }
            assert_eq!(shown(&mut browser, player)[1], 0, "the second run begins");
            click(&mut browser, ".back");
            assert_eq!(shown(&mut browser, player), json!(["0x01", EACH - 1, "0x01"]));
            click(&mut browser, ".last");
            assert_eq!(shown(&mut browser, player)[1], EACH - 1);
            let halo = format!(
                "getComputedStyle(document.querySelector('#player-{player} [data-part^=latency-]')).paintOrder"
            );
            let halo = browser.ask(&halo);
            assert!(
                halo.as_str().is_some_and(|order| order.starts_with("stroke")),
                "a latency does not overlap the lines of the scale"
            );
            browser.ask(&format!("document.querySelector('#player-{player}').scrollIntoView()"));
            keep_picture(&mut browser, &format!("{}-{player}", lang.tag()), width, dark);
        }
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn without_their_script_the_time_lines_are_drawn_to_their_end() {
    let Some(mut browser) = browser("en") else { return };
    browser.look(1280, false);
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    for (player, page, run, runs) in PLAYERS {
        open(&mut browser, Language::English, page);
        assert_eq!(shown(&mut browser, player), json!([run, EACH - 1, ""]));
        let sentences = format!(
            "[...document.querySelectorAll('#player-{player} ol li')].filter(li => li.checkVisibility()).length"
        );
        assert_eq!(browser.ask(&sentences), runs * EACH);
    }
}
