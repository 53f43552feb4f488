//! The account's own data: its holdings, open orders and trades. They come from the projection.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use market::{AccountId, Cents, Command, MarketId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::extract::{Asked, Json, Peer, Trader};
use super::to_its_end::to_its_end;
use super::to_json::ToJson;
use crate::codes::Code;
use crate::keys::Key;
use crate::names::{NamesError, NewAccount};
use crate::problem::{Problem, Why};
use crate::projection::MarketStatus;
use crate::reply::{Refusal, Session};
use crate::venue::Venue;
use crate::wire::{FillJson, OpenOrderJson, SHORT_NUMBER_BITS, sequences};

/// The longest name of an account, in characters.
const NAME_MAX: usize = 40;

/// A request for a new account.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountRequest {
    #[serde(default)]
    name: String,
    /// A key that the client made, from 32 random bytes. Sent again, it leads to the same account.
    key: Option<String>,
    /// Whether it wants a short code too, in classroom mode: a client that can store a key needs none.
    #[serde(default = "yes")]
    code: bool,
}

fn yes() -> bool {
    true
}

/// Creates a play account: its key is shown only this once, and it gets a deposit in each open market.
pub async fn make(
    State(venue): State<Arc<Venue>>,
    Peer(address): Peer,
    Json(AccountRequest { name, key, code }): Json<AccountRequest>,
) -> Result<impl IntoResponse, Problem> {
    let name = name.trim().to_owned();
    if name.chars().count() > NAME_MAX || name.chars().any(char::is_control) {
        return Err(Problem::because(
            Why::BadRequest,
            format!("A name has at most {NAME_MAX} characters, on one line."),
        ));
    }
    let key = match key {
        Some(words) => Key::made_by_client(&words).ok_or_else(|| {
            let what = "A key that a client makes is nnc_ and 64 digits of 0 to 9 and a to f, from 32 random bytes.";
            Problem::because(Why::BadRequest, what)
        })?,
        None => Key::random().map_err(NamesError::from)?,
    };
    venue.door.limits.new_account(address)?;
    let wants_code = code && venue.door.limits.allowed().classroom;
    // If its client goes away, its deposits are still under way: a repeat that did not wait for them would be paid again.
    let own = Arc::clone(&venue);
    let opened = to_its_end(async move { open_account(&own, name, key, wants_code).await });
    let Opened { account, key, code, funded } = opened.await?;
    let mut made = json!({ "account": account.0, "name": venue.names.name(account), "key": key.reveal() });
    if let Some(code) = code {
        made["code"] = code.to_string().into();
    }
    if !funded {
        made["funded"] = false.into();
    }
    Ok((StatusCode::CREATED, ToJson(made)))
}

/// An account that is open.
pub struct Opened {
    account: AccountId,
    /// Its key.
    pub key: Key,
    code: Option<Code>,
    /// Whether it has its play money in each open market.
    funded: bool,
}

/// Opens an account under this name, with a deposit in each open market.
///
/// # Errors
/// If it could not be opened.
pub async fn open_account(venue: &Arc<Venue>, name: String, key: Key, wants_code: bool) -> Result<Opened, Problem> {
    let _opening = venue.opening.lock().await;
    let known = venue.projection().highest_account();
    let names = Arc::clone(venue);
    let made = tokio::task::spawn_blocking(move || {
        let made = names.names.new_account(&name, known, key)?;
        // The account is there now. Without a code it is of use all the same, so its client has to get the key.
        let code = if wants_code { names.names.new_code(made.account).map_err(Problem::from).ok() } else { None };
        Ok::<_, NamesError>((made, code))
    });
    let (NewAccount { account, key }, code) = made.await.map_err(|_| Problem::new(Why::Names))??;
    // A client that asks again has its play money already, or gets what is missing.
    let without: Vec<_> = {
        let projection = venue.projection();
        let open = projection.markets().filter(|(_, market)| market.status == MarketStatus::Open);
        open.filter(|(_, market)| market.held(account).is_none()).map(|(id, _)| (id, account)).collect()
    };
    let funded = play_money(venue, without.into_iter()).await.is_ok();
    Ok(Opened { account, key, code, funded })
}

/// The lane of the venue's own deposits: an account's play money in a market has the market's number there.
const PLAY_MONEY_LANE: u32 = 255;

/// The number of an account's play money in a market, so that it comes once where numbers are kept. None beyond 24 bits.
fn play_money_number(MarketId(market): MarketId) -> u32 {
    if market >> SHORT_NUMBER_BITS == 0 { PLAY_MONEY_LANE << SHORT_NUMBER_BITS | market } else { 0 }
}

/// Deposits play money, and waits until the deposits are on disk.
///
/// # Errors
/// If a deposit was not accepted. A rejected one is not an error: a market may have closed in the meantime.
pub async fn play_money(
    venue: &Venue,
    places: impl Iterator<Item = (MarketId, AccountId)> + Send,
) -> Result<(), Refusal> {
    let amount = Cents(venue.play_money);
    if amount.is_zero() {
        return Ok(());
    }
    let command = |(market, account)| {
        let request = play_money_number(market);
        Command::Deposit { market, account, amount, request }
    };
    let commands: Vec<_> = places.map(command).collect();
    for some in commands.chunks(1_000) {
        for given in venue.ask_all(Session::Operator, some.into()).await {
            match given {
                // It has come already, by a request that was sent twice.
                Ok(_) | Err(Refusal::Layer(..)) => {}
                Err(refusal) => return Err(refusal),
            }
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct HoldingsJson {
    market: u32,
    cash: u64,
    cash_locked: u64,
    yes: u32,
    yes_locked: u32,
    no: u32,
    no_locked: u32,
}

/// The account's holdings in each market.
pub async fn holdings(
    State(venue): State<Arc<Venue>>,
    Trader(account): Trader,
    asked: Asked,
) -> Result<ToJson<Value>, Problem> {
    let asked = asked.without_limit()?.without_after()?;
    let name = venue.names.name(account);
    let projection = venue.projection();
    let wanted =
        projection.holdings(account).filter(|(market, _)| asked.market.is_none_or(|wanted| market.0 == wanted));
    let holdings = wanted.map(|(market, held)| HoldingsJson {
        market: market.0,
        cash: held.cash.0,
        cash_locked: held.cash_locked.0,
        yes: held.yes.0,
        yes_locked: held.yes_locked.0,
        no: held.no.0,
        no_locked: held.no_locked.0,
    });
    let holdings: Vec<_> = holdings.collect();
    let at = sequences(projection.progress());
    Ok(ToJson(json!({ "account": account.0, "name": name, "holdings": holdings, "at": at })))
}

/// How many orders a page has at most.
const ORDERS_MAX: usize = 1_000;

/// A page of the account's resting orders, and the cursor of the next page, if there is one.
#[derive(Serialize)]
pub struct OpenOrdersJson {
    orders: Vec<OpenOrderJson>,
    next: Option<String>,
    at: Vec<u64>,
}

/// A page of the account's resting orders, by market and order.
pub async fn orders(
    State(venue): State<Arc<Venue>>,
    Trader(account): Trader,
    asked: Asked,
) -> Result<ToJson<OpenOrdersJson>, Problem> {
    let most = asked.limit.unwrap_or(ORDERS_MAX);
    if !(1..=ORDERS_MAX).contains(&most) {
        let what = format!("A page has 1 to {ORDERS_MAX} orders; the cursor in next leads to the following page.");
        return Err(Problem::because(Why::BadRequest, what));
    }
    // The replies thread waits while this lock is held, so a page is only copied here, and written as JSON later.
    let (mut open, at) = {
        let projection = venue.projection();
        let open = projection.open_orders(account, asked.market.map(MarketId), asked.after);
        let open: Vec<_> = open.map(|(place, order)| (place, *order)).take(most + 1).collect();
        (open, sequences(projection.progress()))
    };
    let has_more = open.len() > most;
    open.truncate(most);
    let next = open.last().filter(|_| has_more).map(|((market, order), _)| format!("{}.{}", market.0, order.0));
    let orders = open.iter().map(|(place, order)| OpenOrderJson::of(*place, order)).collect();
    Ok(ToJson(OpenOrdersJson { orders, next, at }))
}

/// The account's trades, the newest last, and since when they are known.
#[derive(Serialize)]
pub struct FillsJson {
    fills: Vec<FillJson>,
    since: Vec<u64>,
    at: Vec<u64>,
}

/// The account's trades, the newest last, and since when they are known.
pub async fn fills(
    State(venue): State<Arc<Venue>>,
    Trader(account): Trader,
    asked: Asked,
) -> Result<ToJson<FillsJson>, Problem> {
    let asked = asked.without_after()?;
    let projection = venue.projection();
    let fills = projection.account(account).into_iter().flat_map(|account| &account.fills);
    let fills = fills.filter(|fill| asked.market.is_none_or(|wanted| fill.market.0 == wanted));
    let mut fills: Vec<_> = fills.map(FillJson::of).collect();
    let from = fills.len().saturating_sub(asked.limit.unwrap_or(usize::MAX));
    fills.drain(..from);
    Ok(ToJson(FillsJson { fills, since: sequences(projection.since()), at: sequences(projection.progress()) }))
}
