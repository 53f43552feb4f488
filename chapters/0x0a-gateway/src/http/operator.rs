//! The operator's routes: open and resolve markets, deposit and withdraw cash, replace an account's key.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use market::{AccountId, Cents, Command, MarketId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::accounts::play_money;
use super::extract::{Json, NumberHeader, Numbers, Operator};
use super::orders::one_number;
use super::to_its_end::to_its_end;
use super::to_json::ToJson;
use crate::names::Question;
use crate::problem::{Problem, Why};
use crate::reply::{Reply, Session};
use crate::venue::Venue;
use crate::wire::{ResolveRequest, TransferRequest};

/// The longest question, in characters.
const QUESTION_MAX: usize = 200;

/// How long to wait until a new market is published, and how often to check.
const SHOWN_TIME: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(1);

/// The question of a new market.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenRequest {
    question: Question,
}

/// Opens a market under the next number, and gives every account its play money there.
pub async fn open(
    State(venue): State<Arc<Venue>>,
    _operator: Operator,
    Json(OpenRequest { question }): Json<OpenRequest>,
) -> Result<impl IntoResponse, Problem> {
    let is_bad = |text: &String| text.trim().is_empty() || text.chars().count() > QUESTION_MAX;
    if is_bad(&question.en) || is_bad(&question.zh) {
        let what = format!("A question has 1 to {QUESTION_MAX} characters in each language.");
        return Err(Problem::because(Why::BadRequest, what));
    }
    let opened = to_its_end(async move { open_market(&venue, question).await });
    let Opened { market, sequence, funded } = opened.await?;
    let mut opened = json!({ "market": market.0, "sequence": sequence });
    if !funded {
        opened["funded"] = false.into();
    }
    Ok((StatusCode::CREATED, ToJson(opened)))
}

/// A market that is open.
pub struct Opened {
    /// Its number.
    pub market: MarketId,
    sequence: u64,
    /// Whether every account has its play money there.
    pub funded: bool,
}

/// Opens a market under the next number.
///
/// # Errors
/// If it could not be opened.
pub async fn open_market(venue: &Arc<Venue>, question: Question) -> Result<Opened, Problem> {
    let market = next_market(venue, question).await?;
    open_as(venue, market).await
}

/// Stores the question of the next market, which opens after that: otherwise clients could see a market without one.
///
/// # Errors
/// If it could not be stored.
pub async fn next_market(venue: &Arc<Venue>, question: Question) -> Result<MarketId, Problem> {
    let known = venue.projection().markets().map(|(id, _)| id).max();
    let names = Arc::clone(venue);
    let asked = tokio::task::spawn_blocking(move || names.names.new_market(&question, known.unwrap_or_default()));
    Ok(asked.await.map_err(|_| Problem::new(Why::Names))??)
}

/// Opens a market whose question is stored, and gives every account its play money there.
///
/// # Errors
/// If it could not be opened.
pub async fn open_as(venue: &Venue, market: MarketId) -> Result<Opened, Problem> {
    let opening = venue.opening.lock().await;
    let reply = done(venue.ask(Session::Operator, Command::Open { market }).await?)?;
    let accounts = venue.names.accounts().into_iter();
    let funded = play_money(venue, accounts.map(|account| (market, account))).await.is_ok();
    drop(opening);
    let is_shown = async {
        while venue.books.board().market(market).is_none() {
            tokio::time::sleep(LOOK).await;
        }
    };
    // A client that learns of a market may watch it at once. The feed is slightly behind; if it has failed, all books
    // are marked.
    let _ = tokio::time::timeout(SHOWN_TIME, is_shown).await;
    Ok(Opened { market, sequence: reply.ticket.sequence.0, funded })
}

/// Resolves a market.
pub async fn resolve(
    State(venue): State<Arc<Venue>>,
    _operator: Operator,
    Numbers(market): Numbers<u32>,
    Json(ResolveRequest { outcome }): Json<ResolveRequest>,
) -> Result<ToJson<Value>, Problem> {
    let command = Command::Resolve { market: MarketId(market), outcome };
    let reply = done(venue.ask(Session::Operator, command).await?)?;
    let paid = reply.resolution().map(|resolution| resolution.paid.0);
    let sequence = reply.ticket.sequence.0;
    Ok(ToJson(json!({ "market": market, "outcome": outcome.word(), "paid": paid, "sequence": sequence })))
}

/// Deposits cash into an account.
pub async fn deposit(
    State(venue): State<Arc<Venue>>,
    _operator: Operator,
    Numbers(market): Numbers<u32>,
    NumberHeader(header): NumberHeader,
    Json(asked): Json<TransferRequest>,
) -> Result<ToJson<Value>, Problem> {
    let (market, account, amount) = (MarketId(market), AccountId(asked.account), Cents(asked.amount));
    let request = one_number(asked.numbered(), header)?.short()?;
    check_account(&venue, account)?;
    transfer(&venue, Command::Deposit { market, account, amount, request }).await
}

/// Withdraws free cash from an account.
pub async fn withdraw(
    State(venue): State<Arc<Venue>>,
    _operator: Operator,
    Numbers(market): Numbers<u32>,
    NumberHeader(header): NumberHeader,
    Json(asked): Json<TransferRequest>,
) -> Result<ToJson<Value>, Problem> {
    let (market, account, amount) = (MarketId(market), AccountId(asked.account), Cents(asked.amount));
    let request = one_number(asked.numbered(), header)?.short()?;
    transfer(&venue, Command::Withdraw { market, account, amount, request }).await
}

/// Refuses a number that no account has. With a mistyped one an account far above all others would begin, and the next
/// account's number has to be above that.
fn check_account(venue: &Venue, account: AccountId) -> Result<(), Problem> {
    let unknown = || Problem::because(Why::NotFound, "No account has this number.");
    venue.knows(account).then_some(()).ok_or_else(unknown)
}

async fn transfer(venue: &Venue, command: Command) -> Result<ToJson<Value>, Problem> {
    let reply = done(venue.ask(Session::Operator, command).await?)?;
    Ok(ToJson(json!({ "market": command.market().0, "sequence": reply.ticket.sequence.0 })))
}

/// Gives an account a new key; the old one stops working.
pub async fn new_key(
    State(venue): State<Arc<Venue>>,
    _operator: Operator,
    Numbers(account): Numbers<u32>,
) -> Result<ToJson<Value>, Problem> {
    check_account(&venue, AccountId(account))?;
    let names = Arc::clone(&venue);
    let made = tokio::task::spawn_blocking(move || names.names.new_key(AccountId(account))).await;
    let key = made.map_err(|_| Problem::new(Why::Names))??;
    Ok(ToJson(json!({ "account": account, "key": key.reveal() })))
}

fn done(reply: Reply) -> Result<Reply, Problem> {
    match reply.rejected() {
        Some(reason) => Err(Problem::rejected(reason, reply.ticket.sequence)),
        None => Ok(reply),
    }
}
