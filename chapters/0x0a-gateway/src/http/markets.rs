//! Public data: markets, their books and trades, and whether the venue is alive. It comes from the feed.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use market::{MarketId, Outcome, Reason, Sequence};
use market_data::json::to_json;
use market_data::reader::{Reader, next_trade};
use market_data::shown::Shown;
use market_data::trade::{Heard, PublicTrade, TradeCursor};
use market_data::{BookUpdate, Cursor, Message, Status, Summary, Volume};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};

use super::extract::{Asked, Numbers};
use super::to_json::ToJson;
use crate::names::Question;
use crate::problem::{Problem, Why};
use crate::projection::MarketStatus;
use crate::venue::Venue;

/// How many trades are listed by default, and at most.
const TRADES_MAX: usize = 500;

/// How long to wait for a book that is being written, or has not been written yet.
const BOOK_TIME: Duration = Duration::from_secs(2);

/// How often to retry.
const LOOK: Duration = Duration::from_millis(1);

/// All markets, since when their books are stale if they are, and whether this is a classroom.
pub async fn list(State(venue): State<Arc<Venue>>, asked: Asked) -> Result<ToJson<Value>, Problem> {
    asked.without_market()?.without_limit()?.without_after()?;
    let (board, until) = (venue.books.board(), Instant::now() + BOOK_TIME);
    let known: Vec<_> = venue.projection().markets().map(|(id, market)| (id, market.status)).collect();
    let mut markets = Vec::with_capacity(known.len());
    for (market, status) in known {
        let book = book_in_time(until, || whole_book(&*board.market(market)?)).await;
        // A market without a book is listed too, with a book that is not fresh.
        let summary = book.map_or_else(|| without_book(status), |book| book.summary);
        markets.push(market_json(&venue, market, &summary));
    }
    let (stale_since_ms, is_classroom) = (venue.books.stale_since_ms(), venue.door.limits.allowed().classroom);
    Ok(ToJson(json!({ "markets": markets, "stale_since_ms": stale_since_ms, "classroom": is_classroom })))
}

/// A market's whole book, as a message of 0x09.
pub async fn book(
    State(venue): State<Arc<Venue>>,
    Numbers(market): Numbers<u32>,
    asked: Asked,
) -> Result<impl IntoResponse, Problem> {
    asked.without_market()?.without_limit()?.without_after()?;
    let shown = shown(&venue, market)?;
    let update = book_in_time(Instant::now() + BOOK_TIME, || whole_book(&shown)).await;
    let update = update.ok_or_else(|| Problem::new(Why::Busy))?;
    let mut text = Vec::new();
    to_json(&Message::Book(update), &mut text);
    Ok(([(CONTENT_TYPE, "application/json")], text))
}

/// A market's latest trades, the newest last.
pub async fn trades(
    State(venue): State<Arc<Venue>>,
    Numbers(market): Numbers<u32>,
    asked: Asked,
) -> Result<ToJson<Value>, Problem> {
    let limit = asked.without_market()?.without_after()?.limit.unwrap_or(TRADES_MAX).min(TRADES_MAX);
    let shown = shown(&venue, market)?;
    let mut cursor = TradeCursor::default();
    let heard = std::iter::from_fn(|| next_trade(&shown, &mut cursor)).take(TRADES_MAX * 2);
    let trades = heard.filter_map(|heard| match heard {
        Heard::Trade(trade) => Some(TradeJson::of(&trade)),
        Heard::Missed(_) => None,
    });
    let trades: Vec<_> = trades.collect();
    let from = trades.len().saturating_sub(limit);
    Ok(ToJson(json!({ "trades": trades[from..] })))
}

/// The process is alive.
pub async fn health() -> &'static str {
    "alive\n"
}

/// Whether the venue accepts orders, and its books are current.
pub async fn readiness(State(venue): State<Arc<Venue>>) -> Result<&'static str, Problem> {
    if venue.engine_door.is_draining() {
        return Err(Problem::new(Why::Draining));
    }
    match venue.books.stale_since_ms() {
        None => Ok("ready\n"),
        Some(since) => {
            let seconds = venue.now_ms().saturating_sub(since) / 1_000;
            Err(Problem::because(Why::StaleBooks, format!("The feed failed {seconds} s ago and is being restarted.")))
        }
    }
}

/// A market's public data.
///
/// # Errors
/// If there is no such market, or it is not published yet.
pub fn shown(venue: &Venue, market: u32) -> Result<Arc<Shown>, Problem> {
    let market = MarketId(market);
    venue.books.board().market(market).ok_or_else(|| match venue.projection().market(market) {
        Some(_) => Problem::new(Why::Behind),
        None => Problem::new(Why::Rejected(Reason::UnknownMarket)),
    })
}

/// The current whole book, unless it is being written or has not been written yet.
fn whole_book(shown: &Shown) -> Option<BookUpdate> {
    Reader::default().book(shown, &mut Cursor::default()).copied()
}

/// A book, as soon as there is one; none if there is none in time. Other tasks run between two attempts.
async fn book_in_time(until: Instant, look: impl Fn() -> Option<BookUpdate>) -> Option<BookUpdate> {
    let found = async {
        loop {
            if let Some(book) = look() {
                return book;
            }
            sleep(LOOK).await;
        }
    };
    timeout_at(until, found).await.ok()
}

/// The summary of a market that has no book yet.
fn without_book(status: MarketStatus) -> Summary {
    let status = match status {
        MarketStatus::Open => Status::Open,
        MarketStatus::Resolved(outcome) => Status::Resolved(outcome),
    };
    Summary {
        sequence: Sequence(0),
        best_bid: None,
        best_ask: None,
        last_trade: None,
        volume: Volume { shares: 0, since: Sequence(0) },
        open_interest: 0,
        status,
        is_fresh: false,
    }
}

#[derive(Serialize)]
struct MarketJson {
    market: u32,
    question: Question,
    #[serde(flatten)]
    summary: Value,
}

fn market_json(venue: &Venue, market: MarketId, summary: &Summary) -> MarketJson {
    let (status, outcome) = match summary.status {
        Status::Open => ("open", None),
        Status::Resolved(outcome) => ("resolved", outcome.map(Outcome::word)),
    };
    let last = summary.last_trade;
    let last =
        last.map(|last| json!({ "price": last.price.cents(), "quantity": last.quantity.0, "time_ms": last.time.0 }));
    let summary = json!({
        "status": status,
        "outcome": outcome,
        "best_bid": summary.best_bid.map(|price| price.cents()),
        "best_ask": summary.best_ask.map(|price| price.cents()),
        "last_trade": last,
        "volume": { "shares": summary.volume.shares, "since": summary.volume.since.0 },
        "open_interest": summary.open_interest,
        "sequence": summary.sequence.0,
        "is_fresh": summary.is_fresh,
    });
    MarketJson { market: market.0, question: venue.names.question(market), summary }
}

#[derive(Serialize)]
struct TradeJson {
    id: (u64, u32),
    time_ms: u64,
    price: u8,
    quantity: u32,
    taker: &'static str,
    trade: &'static str,
}

impl TradeJson {
    fn of(trade: &PublicTrade) -> TradeJson {
        TradeJson {
            id: (trade.id.sequence.0, trade.id.index),
            time_ms: trade.time.0,
            price: trade.price.cents(),
            quantity: trade.quantity.0,
            taker: match trade.taker_side {
                market::Side::Bid => "bid",
                market::Side::Ask => "ask",
            },
            trade: crate::wire::kind_word(trade.kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Instant as Clock;

    use market_data::Depth;

    use super::*;

    #[test]
    fn a_read_waits_for_a_book_that_is_being_written() {
        let (mut publisher, shown) = market_data::shown::shown(MarketId(1), 1, 8);
        let (begun, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
        // A writer keeps rewriting it as fast as possible, which leaves no time to read it, and then pauses for a
        // moment.
        let write = || {
            while !is_over.load(Ordering::Relaxed) {
                let until = Clock::now() + Duration::from_millis(100);
                while Clock::now() < until {
                    (0..64).for_each(|_| publisher.book(&Depth::default(), &without_book(MarketStatus::Open)));
                    begun.store(true, Ordering::Relaxed);
                }
                thread::sleep(Duration::from_millis(5));
            }
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let found = thread::scope(|scope| {
            scope.spawn(write);
            while !begun.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            let found = runtime.block_on(book_in_time(Instant::now() + 30 * BOOK_TIME, || whole_book(&shown)));
            is_over.store(true, Ordering::Relaxed);
            found
        });
        assert!(found.is_some(), "the read did not wait");
    }
}
