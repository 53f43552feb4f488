//! The page's book view (`page/bookview.js`) behaves like the feed's own: in the storm in which 0x09 tests its readers,
//! both give the same result for every message, have the same book, and ask for the same.

use std::cell::RefCell;
use std::rc::Rc;

use market::Sequence;
use market_data::json::to_json;
use market_data::{Applied, BookView, Depth, Message, Need, Refused};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::contract_of_views::{Reader, live, view};
use crate::server::Server;

/// How many storms.
const RUNS: u64 = 200;

/// 0x09's own view, with its messages and results.
struct Recorder {
    view: BookView,
    told: Rc<RefCell<Vec<Value>>>,
}

impl Reader for Recorder {
    fn read(&mut self, bytes: &[u8]) -> Result<Applied, Refused> {
        let applied = self.view.read(bytes);
        // Invalid messages are filtered out before the view; on a page the browser does that.
        if let Ok(message) = Message::read(bytes) {
            let mut text = Vec::new();
            to_json(&message, &mut text);
            let message: Value = serde_json::from_slice(&text).unwrap();
            let need = self.view.need();
            self.told.borrow_mut().push(json!({
                "message": message["message"],
                "said": said(&applied),
                "depth": self.view.depth().amounts().to_vec(),
                "fresh": Reader::is_fresh(&self.view),
                "needs": [need.book.is_some(), need.trades.is_some()],
            }));
        }
        applied
    }

    fn depth(&self) -> Depth {
        *self.view.depth()
    }

    fn sequence(&self) -> Option<Sequence> {
        Reader::sequence(&self.view)
    }

    fn is_fresh(&self) -> bool {
        Reader::is_fresh(&self.view)
    }

    fn need(&self) -> Need {
        self.view.need()
    }
}

fn said(applied: &Result<Applied, Refused>) -> &'static str {
    match applied {
        Ok(Applied::Book) => "book",
        Ok(Applied::Trade(_)) => "trade",
        Ok(Applied::Missed(_)) => "missed",
        Ok(Applied::Known) => "known",
        Err(Refused::OldEpoch { .. }) => "old-epoch",
        Err(Refused::Hole { .. }) => "hole",
        Err(Refused::WrongBook) => "wrong-book",
        Err(Refused::TradesLost { .. }) => "trades-lost",
        Err(Refused::Unreadable(_) | Refused::Market { .. }) => "unreadable",
    }
}

/// Runs the page's view through the same messages, and returns the first difference.
const COMPARE: &str = "(async runs => {
    const { BookView } = await import('/page/bookview.js');
    for (const [run, steps] of runs.entries()) {
        const view = new BookView(7);
        for (const [at, { message, ...expected }] of steps.entries()) {
            const said = view.apply(message);
            const found = { said, depth: [...view.depth.slice(1)], fresh: view.isFresh, needs: [view.needsBook, view.needsTrades] };
            for (const key of Object.keys(expected)) {
                const [one, other] = [JSON.stringify(expected[key]), JSON.stringify(found[key])];
                if (one !== other) return `run ${run}, message ${at}, ${JSON.stringify(message)}: ${key} is ${one}, and the page says ${other}`;
            }
        }
    }
    return '';
})";

#[test]
fn the_pages_view_behaves_like_the_feeds() {
    let Some(mut browser) = crate::browser("en") else { return };
    let folder = TempDir::new().unwrap();
    let server = Server::start(&folder);
    browser.open(&server.url("/page/icon.svg"));
    let mut met = std::collections::BTreeMap::new();
    let runs: Vec<Vec<Value>> = (0..RUNS)
        .map(|seed| {
            let told = Rc::new(RefCell::new(Vec::new()));
            live(seed, Recorder { view: view(), told: Rc::clone(&told) }).unwrap();
            told.take()
        })
        .collect();
    for step in runs.iter().flatten() {
        *met.entry(step["said"].as_str().unwrap().to_owned()).or_insert(0) += 1;
    }
    for word in ["book", "trade", "missed", "known", "old-epoch", "hole", "trades-lost"] {
        assert!(met.contains_key(word), "no storm led to {word}: {met:?}");
    }
    for some in runs.chunks(20) {
        assert_eq!(browser.ask(&format!("{COMPARE}({})", json!(some))), "");
    }
}
