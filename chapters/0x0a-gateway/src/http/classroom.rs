//! Routes for classroom mode only: accounts by a short code, and a fresh start. Otherwise they answer "not found".

use std::sync::Arc;

use axum::extract::State;
use market::{Command, MarketId, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::extract::{Json, Operator, Peer};
use super::operator::{next_market, open_as};
use super::to_its_end::to_its_end;
use super::to_json::ToJson;
use crate::codes::Code;
use crate::problem::{Problem, Why};
use crate::projection::MarketStatus;
use crate::reply::Session;
use crate::venue::Venue;
use crate::wire::ResolveRequest;

/// A code that a user typed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinRequest {
    code: String,
}

/// Checks that this venue is in classroom mode.
///
/// # Errors
/// If it is not.
pub fn only_in_a_classroom(venue: &Venue) -> Result<(), Problem> {
    let is_classroom = venue.door.limits.allowed().classroom;
    let no = || {
        Problem::because(
            Why::NotFound,
            "This exists only in a classroom: the operator starts the venue with --classroom.",
        )
    };
    is_classroom.then_some(()).ok_or_else(no)
}

/// Returns the account with this code, with a new key; the old key stops working.
pub async fn join(
    State(venue): State<Arc<Venue>>,
    Peer(address): Peer,
    Json(JoinRequest { code }): Json<JoinRequest>,
) -> Result<ToJson<Value>, Problem> {
    only_in_a_classroom(&venue)?;
    venue.door.limits.guess(address)?;
    let unknown = || Problem::because(Why::Unauthenticated, "No account has this code: ask your teacher for yours.");
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

/// The members of the class, for the teacher to read out.
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

/// How far a fresh start has come.
#[derive(Serialize)]
pub struct Anew {
    resolved: Vec<u32>,
    opened: Vec<u32>,
    /// Whether every account has its play money in the new markets.
    #[serde(skip_serializing_if = "is_true")]
    funded: bool,
    /// Why it has ended before all markets were resolved and their successors opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

fn is_true(funded: &bool) -> bool {
    *funded
}

/// Starts afresh: each open market is resolved, and its question is asked again in a new market, where every account
/// gets play money. These are ordinary commands, so the log keeps everything before them. A market is resolved before
/// its successor opens: if the reset is interrupted, a question may be missing but never open twice, and repeating the
/// reset continues with the markets that are still open.
pub async fn reset(
    State(venue): State<Arc<Venue>>,
    _operator: Operator,
    Json(ResolveRequest { outcome }): Json<ResolveRequest>,
) -> Result<ToJson<Anew>, Problem> {
    only_in_a_classroom(&venue)?;
    to_its_end(async move { begin_anew(&venue, outcome).await }).await.map(ToJson)
}

async fn begin_anew(venue: &Arc<Venue>, outcome: Outcome) -> Result<Anew, Problem> {
    let open: Vec<MarketId> = {
        let projection = venue.projection();
        let open = projection.markets().filter(|(_, market)| market.status == MarketStatus::Open);
        open.map(|(id, _)| id).collect()
    };
    // All questions are stored before the first market is resolved: if one can't be, nothing was done.
    let mut successors = Vec::new();
    for market in open {
        successors.push((market, next_market(venue, venue.names.question(market)).await?));
    }
    let mut anew = Anew { resolved: Vec::new(), opened: Vec::new(), funded: true, problem: None };
    for (market, successor) in successors {
        if let Err(problem) = anew.succeed(venue, market, successor, outcome).await {
            anew.problem = Some(problem);
            break;
        }
    }
    match anew.problem {
        Some(problem) if anew.resolved.is_empty() => Err(problem),
        problem => Ok(Anew { problem, ..anew }),
    }
}

impl Anew {
    /// Resolves a market, and opens its successor.
    async fn succeed(
        &mut self,
        venue: &Venue,
        market: MarketId,
        successor: MarketId,
        outcome: Outcome,
    ) -> Result<(), Problem> {
        let reply = venue.ask(Session::Operator, Command::Resolve { market, outcome }).await?;
        // Another request resolved it first, and asks the question again.
        if reply.rejected().is_some() {
            return Ok(());
        }
        self.resolved.push(market.0);
        let opened = open_as(venue, successor).await?;
        self.opened.push(opened.market.0);
        self.funded &= opened.funded;
        Ok(())
    }
}
