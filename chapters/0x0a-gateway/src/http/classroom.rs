//! What there is for a class only: accounts by a short code, and everything anew. Elsewhere nobody finds it.

use std::sync::Arc;

use axum::Json as ToJson;
use axum::extract::State;
use market::{Command, MarketId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::extract::{Json, Operator, Peer};
use super::operator::open_market;
use crate::codes::Code;
use crate::problem::{Problem, Why};
use crate::projection::MarketStatus;
use crate::reply::Session;
use crate::venue::Venue;
use crate::wire::ResolveRequest;

/// A code that somebody types in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinRequest {
    code: String,
}

/// That this venue is a classroom.
///
/// # Errors
/// That it is none.
pub fn only_in_a_classroom(venue: &Venue) -> Result<(), Problem> {
    let is_classroom = venue.door.limits.allowed().classroom;
    let no = || Problem::because(Why::NotFound, "This is for a class: the venue is started with --classroom then.");
    is_classroom.then_some(()).ok_or_else(no)
}

/// Gives back the account with this code: under a new key, and the one before is worth nothing from now on.
pub async fn join(
    State(venue): State<Arc<Venue>>,
    Peer(address): Peer,
    Json(JoinRequest { code }): Json<JoinRequest>,
) -> Result<ToJson<Value>, Problem> {
    only_in_a_classroom(&venue)?;
    venue.door.limits.guess(address)?;
    let unknown = || Problem::because(Why::Unauthenticated, "Nobody here has this code: ask the teacher for yours.");
    let code = Code::read(&code).ok_or_else(unknown)?;
    let names = Arc::clone(&venue);
    let joined = tokio::task::spawn_blocking(move || {
        let Some(account) = names.names.with_code(&code)? else { return Ok(None) };
        names.names.new_key(account).map(|key| Some((account, key, code)))
    });
    let (account, key, code) = joined.await.map_err(|_| Problem::new(Why::Names))??.ok_or_else(unknown)?;
    let name = venue.names.name(account);
    Ok(ToJson(json!({ "account": account.0, "name": name, "key": key.reveal(), "code": code.to_string() })))
}

#[derive(Serialize)]
struct MemberJson {
    account: u32,
    name: String,
    code: String,
}

/// The class, for the teacher to read out.
pub async fn members(State(venue): State<Arc<Venue>>, _operator: Operator) -> Result<ToJson<Value>, Problem> {
    only_in_a_classroom(&venue)?;
    let names = Arc::clone(&venue);
    let codes =
        tokio::task::spawn_blocking(move || names.names.codes()).await.map_err(|_| Problem::new(Why::Names))??;
    let member = |(account, code): (market::AccountId, Code)| MemberJson {
        account: account.0,
        name: venue.names.name(account),
        code: code.to_string(),
    };
    Ok(ToJson(json!({ "members": codes.into_iter().map(member).collect::<Vec<_>>() })))
}

/// Begins anew: each open market is resolved, and its question is asked again in a new one, in which every account has play
/// money. It is commands as any others, so the log keeps what was before. A market stops before its successor opens: broken
/// off in between, a question is missing and none is there twice, and whoever asks again goes on with those that are open.
pub async fn reset(
    State(venue): State<Arc<Venue>>,
    _operator: Operator,
    Json(ResolveRequest { outcome }): Json<ResolveRequest>,
) -> Result<ToJson<Value>, Problem> {
    only_in_a_classroom(&venue)?;
    let open: Vec<MarketId> = {
        let projection = venue.projection();
        let open = projection.markets().filter(|(_, market)| market.status == MarketStatus::Open);
        open.map(|(id, _)| id).collect()
    };
    let (mut resolved, mut opened) = (Vec::new(), Vec::new());
    for market in open {
        let reply = venue.ask(Session::Operator, Command::Resolve { market, outcome }).await?;
        // Somebody else was quicker, and asks it again.
        if reply.rejected().is_some() {
            continue;
        }
        resolved.push(market.0);
        opened.push(open_market(&venue, venue.names.question(market)).await?.0.0);
    }
    Ok(ToJson(json!({ "resolved": resolved, "opened": opened })))
}
