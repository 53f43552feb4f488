//! One market's book as text: redrawn in place on a terminal, otherwise an occasional line.

use std::fmt::Write;
use std::io::{IsTerminal, stdout};
use std::time::{Duration, Instant};

use market::{MarketId, Price, Side};
use program::{Unprinted, print};

use crate::depth::{Depth, Prices};
use crate::update::{BookUpdate, Status, Summary};

/// How many prices of each side are drawn.
const LEVELS: usize = 6;
/// How long the longest bar is.
const BAR: i64 = 30;

/// A market's book, as one reader sees it.
pub struct Picture {
    market: MarketId,
    depth: Depth,
    summary: Option<Summary>,
    drawn: Option<Instant>,
    /// How many lines are on the terminal.
    lines: usize,
    is_terminal: bool,
}

impl Picture {
    /// An empty picture.
    pub fn new(market: MarketId) -> Picture {
        let is_terminal = stdout().is_terminal();
        Picture { market, depth: Depth::default(), summary: None, drawn: None, lines: 0, is_terminal }
    }

    /// Applies an update.
    pub fn apply(&mut self, update: &BookUpdate) {
        update.prices.iter().for_each(|price| self.depth.set(price, update.depth.at(price)));
        self.summary = Some(update.summary);
    }

    /// Draws it if it is time to.
    ///
    /// # Errors
    /// If the output can't be printed.
    pub fn draw(&mut self, books: u64, is_last: bool) -> Result<(), Unprinted> {
        let interval = Duration::from_millis(if self.is_terminal { 100 } else { 1_000 });
        let is_due = self.drawn.is_none_or(|drawn| drawn.elapsed() >= interval);
        let Some(summary) = self.summary.filter(|_| is_due || is_last) else { return Ok(()) };
        self.drawn = Some(Instant::now());
        if !self.is_terminal {
            return print(format_args!("{}\n", self.line(&summary, books)));
        }
        let text = self.text(&summary, books);
        // Move back to the first line; each line is cleared as it is rewritten.
        let back = if self.lines > 0 { format!("\x1b[{}A", self.lines) } else { String::new() };
        self.lines = text.lines().count();
        print(format_args!("{back}{}", text.replace('\n', "\x1b[K\n")))
    }

    fn line(&self, summary: &Summary, books: u64) -> String {
        let cents = |price: Option<Price>| price.map_or("-".into(), |price| price.to_string());
        let Picture { market, .. } = self;
        format!(
            "market {market} after command {}: bid {}, ask {}, last {}, volume {}, open interest {}{}; {} books taken",
            summary.sequence,
            cents(summary.best_bid),
            cents(summary.best_ask),
            cents(summary.last_trade.map(|last| last.price)),
            summary.volume.shares,
            summary.open_interest,
            words(summary),
            books
        )
    }

    fn text(&self, summary: &Summary, books: u64) -> String {
        let mut text = String::new();
        let asks: Vec<Price> = Prices::ALL.iter().filter(|&price| self.depth.at(price) < 0).take(LEVELS).collect();
        let mut bids: Vec<Price> = Prices::ALL.iter().filter(|&price| self.depth.at(price) > 0).collect();
        bids.reverse();
        bids.truncate(LEVELS);
        let largest = asks.iter().chain(&bids).map(|&price| self.depth.at(price).abs()).max().unwrap_or(1);
        for at in (0..LEVELS).rev() {
            self.level(&mut text, Side::Ask, asks.get(at).copied(), largest);
        }
        text.push_str("  ─────\n");
        for at in 0..LEVELS {
            self.level(&mut text, Side::Bid, bids.get(at).copied(), largest);
        }
        let _ = writeln!(text, "{}", self.line(summary, books));
        text
    }

    fn level(&self, text: &mut String, side: Side, price: Option<Price>, largest: i64) {
        let word = if side == Side::Bid { "bid" } else { "ask" };
        // Writing to a `String` can't fail.
        let _ = match price {
            None => writeln!(text, "  {word}"),
            Some(price) => {
                let shares = self.depth.at(price).abs();
                let bar = "█".repeat((shares * BAR / largest.max(1)).max(1) as usize);
                writeln!(text, "  {word} {:>2} {shares:>10}  {bar}", price.cents())
            }
        };
    }
}

/// The market's state, if it is not simply open.
fn words(summary: &Summary) -> &'static str {
    match (summary.status, summary.is_fresh) {
        (Status::Resolved(_), _) => ", resolved",
        (Status::Open, false) => ", stale",
        (Status::Open, true) => "",
    }
}
