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

pub mod answers;
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

use crate::history::History;
use crate::key::Table;
use crate::moment::moment;
use crate::pages::{Page, Wanted, page};
use crate::place::Place;
use crate::profit::profits;
use crate::rows::{MarketTrade, Row};
use answers::{about, all_candles, own_page};
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
    let answer = history.ask(move |opened| own_page(opened, account, &wanted, table, (name, words)));
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
        about(opened, (UnixMs(0), UnixMs(u64::MAX)), || {
            let (rows, next) = profits(&opened.store, account, after, limit)?;
            let (markets, all) = rows_json::profits(&rows);
            Ok(json!({ "markets": markets, "all": all, "next": next.map(|next| next.0) }))
        })
    });
    answer.await.map(Json)
}

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
        about(opened, (wanted.from, wanted.to), || {
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
        about(opened, (wanted.from, wanted.to), || {
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
    asked: AskedCandles,
) -> Result<Json<Value>, Problem> {
    is_known(venue, market)?;
    history.ask(move |opened| all_candles(opened, market, &asked)).await.map(Json)
}

fn is_known(venue: &Venue, market: MarketId) -> Result<(), Problem> {
    venue.projection().market(market).map(drop).ok_or_else(|| Problem::new(Why::Rejected(Reason::UnknownMarket)))
}
