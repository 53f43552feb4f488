//! What this chapter answers over HTTP.
//!
//! | | | who |
//! |---|---|---|
//! | `GET /v1/account/trades`, `/v1/account/orders`, `/v1/account/money` | the account's own rows, by page | an account |
//! | `GET /v1/account/profit` | its profit and loss by market and in all | an account |
//! | `GET /v1/markets/{market}/trades` with `before`, `from` or `to` | a market's trades, by page | anyone |
//! | `GET /v1/markets/{market}/book` with `at` | the book as it was | anyone |
//! | `GET /v1/markets/{market}/candles` | prices and volume of a second, a minute, an hour, a day each | anyone |
//!
//! What clients get over the stream is in [`live::part`](crate::live::part).

pub mod asked;
pub mod rows_json;

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequestParts, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gateway::front::Routes;
use gateway::http::extract::{Asked, Numbers, Trader};
use gateway::http::markets;
use gateway::problem::{Problem, Why};
use gateway::venue::Venue;
use market::{MarketId, Reason, UnixMs};
use serde_json::{Value, json};

use crate::error::HistoryError;
use crate::history::{History, Opened};
use crate::key::Table;
use crate::moment::moment;
use crate::pages::{Page, Wanted, candles, page};
use crate::place::Place;
use crate::profit::profits;
use crate::rows::{MarketTrade, Row};
use asked::{AskedCandles, AskedMoment, AskedPage, AskedProfits};

/// The addresses.
pub fn routes(history: &Arc<History>) -> Routes {
    let [trades, orders, money, public, of_candles, books, profit] = std::array::from_fn(|_| Arc::clone(history));
    vec![
        (
            "/v1/account/trades",
            get(move |who: Trader, asked: AskedPage| async move {
                own(&trades, who, asked, Table::Trades, "trades", rows_json::own_trade).await
            }),
        ),
        (
            "/v1/account/orders",
            get(move |who: Trader, asked: AskedPage| async move {
                own(&orders, who, asked, Table::Orders, "orders", rows_json::order).await
            }),
        ),
        (
            "/v1/account/money",
            get(move |who: Trader, asked: AskedPage| async move {
                own(&money, who, asked, Table::Money, "money", rows_json::money).await
            }),
        ),
        (
            "/v1/account/profit",
            get(move |who: Trader, asked: AskedProfits| async move { own_profit(&profit, who, asked).await }),
        ),
        (
            "/v1/markets/{market}/trades",
            get(move |State(venue): State<Arc<Venue>>, request: Request| public_trades(public, venue, request)),
        ),
        (
            "/v1/markets/{market}/book",
            get(move |State(venue): State<Arc<Venue>>, request: Request| book(books, venue, request)),
        ),
        (
            "/v1/markets/{market}/candles",
            get(
                move |State(venue): State<Arc<Venue>>, Numbers(market): Numbers<u32>, asked: AskedCandles| async move {
                    of_market(&of_candles, &venue, MarketId(market), asked).await
                },
            ),
        ),
    ]
}

/// What this chapter adds to the description of all requests.
const DESCRIPTION: &str = include_str!("../openapi.json");

/// Adds this chapter's addresses to the description of what the layers below answer.
pub fn describe(openapi: &mut Value) {
    // A test reads it as JSON.
    let Ok(Value::Object(own)) = serde_json::from_str(DESCRIPTION) else { return };
    let Some(Value::Object(paths)) = openapi.pointer_mut("/paths") else { return };
    for (path, described) in own {
        let Some(below) = paths.get_mut(&path).and_then(|below| below.get_mut("get")) else {
            paths.insert(path, described);
            continue;
        };
        // It is answered below, and takes more here.
        if let Some(words) = described.pointer("/get/description") {
            below["description"] = words.clone();
        }
        let more = described.pointer("/get/parameters").and_then(Value::as_array);
        if let (Some(Value::Array(all)), Some(more)) = (below.get_mut("parameters"), more) {
            all.extend(more.iter().cloned());
        }
    }
}

/// A page of the account's own rows.
async fn own<R: Row + Send + 'static>(
    history: &Arc<History>,
    Trader(account): Trader,
    AskedPage(wanted): AskedPage,
    table: Table,
    name: &'static str,
    words: fn(Place, &R) -> Value,
) -> Result<Json<Value>, Problem> {
    let answer = history.ask(move |opened| {
        about(opened, &wanted, || {
            let Page { rows, next } = page::<R>(&opened.store, table, account.0, &wanted)?;
            let rows: Vec<_> = rows.iter().map(|(place, row)| words(*place, row)).collect();
            Ok(json!({ name: rows, "next": next.map(|next| next.to_string()) }))
        })
    });
    answer.await.map(Json)
}

/// An account's profit and loss by market, and in all.
async fn own_profit(
    history: &Arc<History>,
    Trader(account): Trader,
    AskedProfits { after, limit }: AskedProfits,
) -> Result<Json<Value>, Problem> {
    let answer = history.ask(move |opened| {
        // The sum is over all days, so every gap concerns it.
        let wanted = Wanted { from: UnixMs(0), to: UnixMs(u64::MAX), before: None, limit };
        about(opened, &wanted, || {
            let (rows, next) = profits(&opened.store, account, after, limit)?;
            let (markets, all) = rows_json::profits(&rows);
            Ok(json!({ "markets": markets, "all": all, "next": next.map(|next| next.0) }))
        })
    });
    answer.await.map(Json)
}

// ANCHOR: about
/// An answer, with how complete it is: up to which command of each shard the rows go, and from when to when there
/// are none because the log was trimmed before they were derived.
fn about(
    opened: &Opened,
    wanted: &Wanted,
    answer: impl FnOnce() -> Result<Value, HistoryError>,
) -> Result<Value, HistoryError> {
    // First, because the follower goes on while the rows are read: what it adds meanwhile may be in them, or not.
    let through: Vec<_> = opened.progress.through().iter().map(|last| last.0).collect();
    let mut answer = answer()?;
    let missing = opened.store.missing()?.into_iter();
    let missing = missing.filter(|missing| missing.from < wanted.to && wanted.from <= missing.to);
    let missing: Vec<_> = missing.map(|gap| json!({ "from_ms": gap.from.0, "to_ms": gap.to.0 })).collect();
    answer["through"] = json!(through);
    answer["missing"] = json!(missing);
    Ok(answer)
}
// ANCHOR_END: about

/// A page of a market's trades; or, as the layers below do it, the last ones.
async fn public_trades(history: Arc<History>, venue: Arc<Venue>, request: Request) -> Result<Response, Problem> {
    let (mut parts, _) = request.into_parts();
    let Numbers(market) = Numbers::<u32>::from_request_parts(&mut parts, &venue).await?;
    let names = ["before=", "from=", "to="];
    let mut said = parts.uri.query().unwrap_or_default().split('&');
    if !said.any(|said| names.iter().any(|name| said.starts_with(name))) {
        let asked = Asked::from_request_parts(&mut parts, &venue).await?;
        return Ok(markets::trades(State(venue), Numbers(market), asked).await?.into_response());
    }
    is_known(&venue, MarketId(market))?;
    let AskedPage(wanted) = AskedPage::from_request_parts(&mut parts, &venue).await?;
    let answer = history.ask(move |opened| {
        about(opened, &wanted, || {
            let Page { rows, next } = page::<MarketTrade>(&opened.store, Table::Public, market, &wanted)?;
            // The newest is the last, as in the answer of the layer below.
            let rows: Vec<_> = rows.iter().rev().map(|(place, row)| rows_json::public_trade(*place, row)).collect();
            Ok(json!({ "trades": rows, "next": next.map(|next| next.to_string()) }))
        })
    });
    Ok(Json(answer.await?).into_response())
}

/// How many commands a moment may replay.
const MOMENT_COMMANDS_MAX: u64 = 4_000_000;

/// The book as it was; or, as the layers below do it, as it is.
async fn book(history: Arc<History>, venue: Arc<Venue>, request: Request) -> Result<Response, Problem> {
    let (mut parts, _) = request.into_parts();
    let Numbers(market) = Numbers::<u32>::from_request_parts(&mut parts, &venue).await?;
    if !parts.uri.query().unwrap_or_default().split('&').any(|said| said.starts_with("at=")) {
        let asked = Asked::from_request_parts(&mut parts, &venue).await?;
        return Ok(markets::book(State(venue), Numbers(market), asked).await?.into_response());
    }
    is_known(&venue, MarketId(market))?;
    let AskedMoment(at) = AskedMoment::from_request_parts(&mut parts, &venue).await?;
    let answer = history.ask_for_moment(move |opened| {
        let wanted = Wanted { from: UnixMs(0), to: UnixMs(at.0 + 1), before: None, limit: 1 };
        about(opened, &wanted, || {
            let found = moment(&opened.options, MarketId(market), at, MOMENT_COMMANDS_MAX)?;
            let trades = page::<MarketTrade>(&opened.store, Table::Public, market, &wanted)?;
            let last = trades.rows.first().map(|(place, trade)| rows_json::public_trade(*place, trade));
            Ok(rows_json::book(market, &found, last))
        })
    });
    Ok(Json(answer.await?).into_response())
}

async fn of_market(
    history: &Arc<History>,
    venue: &Venue,
    market: MarketId,
    AskedCandles { width, from, to }: AskedCandles,
) -> Result<Json<Value>, Problem> {
    is_known(venue, market)?;
    let answer = history.ask(move |opened| {
        let wanted = Wanted { from, to, before: None, limit: 0 };
        about(opened, &wanted, || {
            let found = candles(&opened.store, market, width, from, to)?;
            let found: Vec<_> = found.iter().map(|(start, candle)| rows_json::candle(*start, candle)).collect();
            Ok(json!({ "width": width.word(), "candles": found }))
        })
    });
    answer.await.map(Json)
}

fn is_known(venue: &Venue, market: MarketId) -> Result<(), Problem> {
    venue.projection().market(market).map(drop).ok_or_else(|| Problem::new(Why::Rejected(Reason::UnknownMarket)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
mod tests {
    use ch08::metrics::Unmeasured;
    use market::{Acknowledge, Command, Engine as _, Event, Options, Receivers, Stamp};

    use super::*;
    use crate::following::{Progress, follow};
    use crate::store::Store;

    struct Deaf;

    impl Acknowledge for Deaf {
        fn acknowledge(&mut self, _: Stamp, _: &[Event]) {}
    }

    #[test]
    fn an_answer_does_not_promise_what_came_while_it_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::new(folder.path());
        let mut receivers = |_: u16| Box::new(Deaf) as Box<dyn Acknowledge>;
        let (mut engine, _) = ch08::Engine::<Unmeasured>::open(&options, &mut receivers as &mut Receivers<'_>).unwrap();
        engine.submit(Command::Open { market: MarketId(1) }).unwrap();
        engine.close().unwrap();
        let store = Arc::new(Store::open(&options, false).unwrap());
        let progress = Arc::new(Progress::new(&store, 1).unwrap());
        let opened = Opened { options, store, progress };
        let wanted = Wanted { from: UnixMs(0), to: UnixMs(u64::MAX), before: None, limit: 1 };
        let read = |answer: &dyn Fn()| {
            let answer = about(&opened, &wanted, || {
                Ok({
                    answer();
                    json!({})
                })
            })
            .unwrap();
            answer["through"][0].as_u64()
        };
        let catch_up = || {
            let Opened { options, store, progress } = &opened;
            follow(options, store, progress, &|| progress.is_caught_up()).unwrap();
        };
        assert_eq!(read(&catch_up), Some(0));
        assert_eq!(read(&|| ()), Some(1));
    }
}
