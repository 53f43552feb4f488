//! What everybody may see: markets, their books and trades, and whether the venue lives. It comes from the feed.

use std::sync::Arc;

use axum::Json as ToJson;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use market::{MarketId, Reason};
use market_data::json::to_json;
use market_data::reader::{Reader, next_trade};
use market_data::shown::Shown;
use market_data::trade::{Heard, PublicTrade, TradeCursor};
use market_data::{BookUpdate, Cursor, Message};
use serde::Serialize;
use serde_json::{Value, json};

use super::extract::{Asked, Numbers};
use crate::names::Question;
use crate::problem::{Problem, Why};
use crate::venue::Venue;

/// How many trades are listed unless fewer are asked for.
const TRADES_MAX: usize = 500;

/// All markets, and whether this is a class.
pub async fn list(State(venue): State<Arc<Venue>>, _asked: Asked) -> ToJson<Value> {
    let markets = venue.board.markets();
    let markets: Vec<_> = markets.iter().filter_map(|shown| market_json(&venue, shown)).collect();
    let is_classroom = venue.door.limits.allowed().classroom;
    ToJson(json!({ "markets": markets, "classroom": is_classroom }))
}

/// A market's book: the whole of it, as a message of 0x09.
pub async fn book(
    State(venue): State<Arc<Venue>>,
    Numbers(market): Numbers<u32>,
    _asked: Asked,
) -> Result<impl IntoResponse, Problem> {
    let shown = shown(&venue, market)?;
    let update = whole_book(&shown).ok_or_else(|| Problem::new(Why::Busy))?;
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
    let shown = shown(&venue, market)?;
    let mut cursor = TradeCursor::default();
    let heard = std::iter::from_fn(|| next_trade(&shown, &mut cursor)).take(TRADES_MAX * 2);
    let trades = heard.filter_map(|heard| match heard {
        Heard::Trade(trade) => Some(TradeJson::of(&trade)),
        Heard::Missed(_) => None,
    });
    let trades: Vec<_> = trades.collect();
    let limit = asked.limit.unwrap_or(TRADES_MAX).min(TRADES_MAX);
    let from = trades.len().saturating_sub(limit);
    Ok(ToJson(json!({ "trades": trades[from..] })))
}

/// It lives.
pub async fn health() -> &'static str {
    "alive\n"
}

/// Whether it takes orders.
pub async fn readiness(State(venue): State<Arc<Venue>>) -> Result<&'static str, Problem> {
    if venue.door.inner.is_draining() { Err(Problem::new(Why::Draining)) } else { Ok("ready\n") }
}

/// What is shown of a market.
///
/// # Errors
/// That there is none.
pub fn shown(venue: &Venue, market: u32) -> Result<Arc<Shown>, Problem> {
    venue.board.market(MarketId(market)).ok_or_else(|| Problem::new(Why::Rejected(Reason::UnknownMarket)))
}

/// The whole book as it is now, unless it is just being written, again and again.
pub fn whole_book(shown: &Shown) -> Option<BookUpdate> {
    let mut reader = Reader::default();
    (0..100).find_map(|_| reader.book(shown, &mut Cursor::default()).copied())
}

#[derive(Serialize)]
struct MarketJson {
    market: u32,
    question: Question,
    #[serde(flatten)]
    summary: Value,
}

fn market_json(venue: &Venue, shown: &Shown) -> Option<MarketJson> {
    use market::Outcome;
    use market_data::Status;
    let summary = whole_book(shown)?.summary;
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
    Some(MarketJson { market: shown.market.0, question: venue.names.question(shown.market), summary })
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
