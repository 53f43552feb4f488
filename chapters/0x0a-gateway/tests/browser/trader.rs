//! A trader who uses the page: looks, presses, types.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cdp::Browser;
use crate::server::Server;
use crate::{axe, picture};

pub struct Trader {
    pub browser: Browser,
    pub name: &'static str,
}

/// Nothing on the page takes nearly this long, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Which elements overflow the window.
const OVERFLOW: &str = "(() => {
    const inside = element => element.closest('.scroll, .skip, .unseen');
    const out = [...document.querySelectorAll('main *, header *, .list *')].filter(e => !inside(e) && e.getBoundingClientRect().right > innerWidth + 1);
    return (document.documentElement.scrollWidth > innerWidth ? ['the page'] : []).concat(out.map(e => e.tagName + '.' + e.className)).join(', ');
})()";

/// Which elements break a rule for accessibility.
const AXE: &str = "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations']})
    .then(r => r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + (n.any[0] || n.all[0] || n.none[0] || {}).message).join(' | ')).join('\\n'))";

impl Trader {
    /// A trader with a window of this width, in dark mode or not.
    pub fn new(browser: Browser, name: &'static str, (width, dark): (u32, bool)) -> Trader {
        let mut trader = Trader { browser, name };
        trader.browser.look(width, dark);
        trader
    }

    /// A trader at the venue's start page.
    pub fn at(browser: Browser, name: &'static str, server: &Server, look: (u32, bool)) -> Trader {
        let mut trader = Trader::new(browser, name, look);
        trader.browser.open(&server.url("/"));
        trader.until("document.querySelector('.list li a') !== null");
        trader
    }

    /// Waits until an expression is true on the page. A failure shows what the page says instead.
    pub fn until(&mut self, expression: &str) {
        let start = Instant::now();
        while self.browser.ask(expression) != true {
            if start.elapsed() > PATIENCE {
                let says = self.browser.ask("document.body.innerText");
                let says = says.as_str().unwrap_or_default();
                panic!("{}: never true: {expression}\n{:?}\nthe page says:\n{says}", self.name, self.browser.errors);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses the element of a selector.
    pub fn press(&mut self, selector: &str) {
        let selector = json!(selector);
        self.until(&format!("document.querySelector({selector})?.checkVisibility() === true"));
        self.browser.ask(&format!("document.querySelector({selector}).click()"));
    }

    /// Types into a field.
    pub fn write(&mut self, selector: &str, text: &str) {
        self.until(&format!("document.querySelector({}) !== null", json!(selector)));
        self.browser.ask(&format!(
            "(field => {{ field.value = {}; field.dispatchEvent(new Event('input')); }})(document.querySelector({}))",
            json!(text),
            json!(selector)
        ));
    }

    /// The text of a part of the page.
    pub fn text(&mut self, selector: &str) -> String {
        let said = self.browser.ask(&format!("document.querySelector({})?.innerText ?? null", json!(selector)));
        said.as_str().unwrap_or_else(|| panic!("{}: there is no {selector}", self.name)).to_owned()
    }

    /// Waits until a part of the page contains this text.
    pub fn sees(&mut self, selector: &str, words: &str) {
        self.until(&format!(
            "document.querySelector({})?.innerText.includes({}) === true",
            json!(selector),
            json!(words)
        ));
    }

    /// Opens a play account with one press.
    pub fn join(&mut self) {
        self.press(".ticket .newcomer .primary");
        self.sees(".position", "$1,000.00");
    }

    /// Fills in the ticket, sends it, and returns what the page then says about it.
    pub fn place(&mut self, intent: &str, price: u8, quantity: u32, time: &str) -> String {
        self.press(&format!("input[value={intent}]"));
        let fill = "for (const [name, value] of Object.entries(fields)) {
            const field = document.getElementById('ticket-' + name);
            field.value = value;
            field.dispatchEvent(new Event(field.matches('select') ? 'change' : 'input'));
        }";
        let fields = json!({"price": price.to_string(), "quantity": quantity.to_string(), "time": time});
        self.browser.ask(&format!("(fields => {{ {fill} }})({fields})"));
        self.until(&format!("document.querySelector('.ticket [type=submit]').innerText.includes('{price}')"));
        let told = self.browser.ask("document.querySelectorAll('.entries li').length");
        self.press(".ticket [type=submit]");
        // The result appears in the list and under the ticket, in the same frame.
        self.until(&format!("document.querySelectorAll('.entries li').length > {told}"));
        self.text(".answer")
    }

    /// The shares that rest at a price, as the ladder shows them: bids, asks.
    pub fn rests_at(&mut self, price: u8, bids: &str, asks: &str) {
        let row = format!("document.querySelector('.ladder tr[data-price=\"{price}\"]')");
        self.until(&format!(
            "{row}.querySelector('.bid .shares').textContent === '{bids}' && {row}.querySelector('.ask .shares').textContent === '{asks}'"
        ));
    }

    /// Checks the page as it is now: overflow, and rules for accessibility.
    pub fn is_sound(&mut self, state: &str) {
        self.browser.ask("scrollTo(0, 0)");
        picture::keep(&mut self.browser, &format!("{}-{state}", self.name));
        assert_eq!(self.browser.ask(OVERFLOW), "", "{}, {state}", self.name);
        if let Some(axe) = axe() {
            self.browser.ask(&format!("if (!window.axe) {{ {axe} }}; 0"));
            assert_eq!(self.browser.ask(AXE), Value::from(""), "{}, {state}", self.name);
        }
    }
}
