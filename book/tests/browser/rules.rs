//! What holds for a page in every state: nothing sticks out, pictures have loaded, and the rules for accessibility are kept.

use super::{Browser, CRATE, cdp};
use serde_json::Value;
use std::path::Path;
use std::sync::OnceLock;

/// The source of axe-core, or `None` after a message; in CI it must be there.
///
/// Tests run in parallel and share the folder: the first one installs it, the others wait for that.
pub fn axe() -> Option<&'static str> {
    static AXE: OnceLock<Option<String>> = OnceLock::new();
    AXE.get_or_init(|| cdp::axe_in(&Path::new(CRATE).join("browser"))).as_deref()
}

/// What sticks out of the window, by its tag and class.
pub const OVERFLOW: &str = "(() => {
    const wide = document.documentElement.scrollWidth > innerWidth || document.body.scrollWidth > innerWidth;
    const inside = element => element.closest('.scroll, .table-wrapper, pre, .sidebar, .skip');
    const out = [...document.querySelectorAll('main *, header *')].filter(e => !inside(e) && e.getBoundingClientRect().right > innerWidth + 1);
    return (wide ? ['the page'] : []).concat(out.map(e => e.tagName + '.' + e.className)).join(', ');
})()";

/// Pictures that did not load, and drawings without a size or a text.
pub const PICTURES: &str = "[...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src)
    .concat([...document.querySelectorAll('figure svg')].filter(s => s.getBoundingClientRect().width < 50 || !s.getAttribute('aria-label')).map(s => 'svg')).join(', ')";

/// What is wrong with a page in this state: what sticks out, and what breaks a rule in a part of it.
///
/// The rules are asked for the part that has changed alone, which a selector names: they take most of the time, and the
/// whole page is checked for all of them as it opens.
pub fn faults(browser: &mut Browser, part: &str, state: &str) -> Vec<String> {
    let found = [browser.ask(OVERFLOW), broken_rules(browser, part)];
    let told = found.iter().filter_map(Value::as_str).filter(|fault| !fault.is_empty());
    told.map(|fault| format!("{state}: {fault}")).collect()
}

/// What breaks a rule for accessibility in a part of the page; empty without axe-core.
///
/// Elements that follow the rules are not listed: that takes longest on a long page, and is never
/// read.
pub fn broken_rules(browser: &mut Browser, part: &str) -> Value {
    let Some(axe) = axe() else { return Value::Null };
    browser.ask(&format!("if (!window.axe) {{ {axe} }}; 0"));
    browser.ask(&format!(
        "axe.run('{part}', {{
            runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
            resultTypes: ['violations'],
        }}).then(r => r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n =>
            n.html.slice(0, 160) + ' ' + (n.any[0] || n.all[0] || n.none[0] || {{}}).message).join(' | ')).join('\\n'))"
    ))
}
