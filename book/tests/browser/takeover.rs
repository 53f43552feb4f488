//! Mistakes planted in 0x0e's model, played on their page up to a lost command.

use super::looks::looks_of;
use super::rules::faults;
use super::{Browser, Site, browser, keep_picture};
use results::language::Language;
use serde_json::{Value, json};

/// The chosen mistake, the first place of each log with whether it is marked as lacking a command, and what clients were told.
const SHOWN: &str = "(() => {
    const part = name => document.querySelector(`#player-takeover [data-part=${name}]`);
    const chosen = [...document.querySelectorAll('#player-takeover .runs button')].findIndex(one => one.ariaPressed === 'true');
    const logs = [0, 1].map(of => [part(`log-${of}-1`).textContent, part(`log-${of}-1-box`).classList.contains('box-bad')]);
    return [chosen, ...logs, part('acknowledged').textContent];
})()";

/// The page, with the fold open that the player is in.
fn open(browser: &mut Browser, lang: Language) {
    browser.open(&Site::book().url(&format!("{}/replication.html", lang.tag())));
    browser.ask("document.querySelector('#player-takeover').closest('details').open = true");
}

fn click(browser: &mut Browser, what: &str) {
    browser.ask(&format!("document.querySelector('#player-takeover {what}').click()"));
}

/// How each mistake ends, and after how many steps.
fn ends(lang: Language) -> [(usize, Value); 3] {
    let (nothing, another) = lang.pick(("no A", ["A, no B", "B, no A"]), ("没有 A", ["A，没有 B", "B，没有 A"]));
    [
        (10, json!([0, ["A", false], [nothing, true], "A"])),
        (10, json!([1, ["A", false], [nothing, true], "A"])),
        (4, json!([2, [another[0], true], [another[1], true], "A, B"])),
    ]
}

#[test]
fn each_mistake_is_played_up_to_a_command_that_a_primary_lacks() {
    let Some(mut browser) = browser("en") else { return };
    for &(lang, width, dark) in looks_of(5) {
        browser.look(width, dark);
        open(&mut browser, lang);
        for (run, (steps, end)) in ends(lang).into_iter().enumerate() {
            // A run begins at its beginning, wherever the reader comes from.
            click(&mut browser, &format!(".runs button:nth-child({})", run + 1));
            let nothing = lang.pick("nothing", "无");
            assert_eq!(browser.ask(SHOWN), json!([run, ["", false], ["", false], nothing]));
            for step in 1..=steps {
                click(&mut browser, ".forward");
                if step == 5 || step == steps {
                    let what = format!("mistake {run}, step {step}");
                    assert_eq!(faults(&mut browser, "#player-takeover", &what), Vec::<String>::new());
                    browser.ask("document.querySelector('#player-takeover').scrollIntoView()");
                    keep_picture(&mut browser, &format!("{}-takeover-{run}-{step}", lang.tag()), width, dark);
                    browser.ask("scrollTo(0, 0)");
                }
            }
            assert_eq!(browser.ask(SHOWN), end);
        }
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn without_its_script_the_takeover_is_drawn_with_the_lost_command() {
    let Some(mut browser) = browser("en") else { return };
    browser.look(1280, false);
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    open(&mut browser, Language::English);
    let (_, end) = &ends(Language::English)[0];
    let shown = browser.ask(SHOWN);
    assert_eq!((&shown[1], &shown[2], &shown[3]), (&end[1], &end[2], &end[3]));
    let sentences =
        "[...document.querySelectorAll('#player-takeover ol li')].filter(li => li.checkVisibility()).length";
    assert_eq!(browser.ask(sentences), 27);
}
