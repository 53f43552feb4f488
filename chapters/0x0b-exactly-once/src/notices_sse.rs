//! Notices over HTTP, as server-sent events: the `id` of each is the cursor behind it.
//!
//! A browser's `EventSource` sends the last `id` as `Last-Event-ID` when it reconnects, so it goes on where it was, by itself.
//! It can't send a header of its own, so it shows a ticket in the address instead of the key. A ticket reads one account's
//! notices and nothing else, and is worth nothing once the account has another key.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;
use futures_util::stream::unfold;
use gateway::http::extract::{InQuery, Trader};
use gateway::limits::held::Held;
use gateway::problem::{Problem, Why};
use gateway::venue::Venue;
use market::AccountId;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::notices::feed::{Feed, Told};
use crate::notices::tell::wrong;
use crate::once::Once;
use crate::ticket;

/// How often a comment shows that the connection lives, where nothing happens.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// What stands behind the `?`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    after: Option<String>,
    account: Option<u32>,
    ticket: Option<String>,
}

/// The ticket of the account that asks.
pub async fn ticket(State(venue): State<Arc<Venue>>, Trader(account): Trader) -> Result<Json<Value>, Problem> {
    let ticket = ticket::ticket(&venue.names, account).ok_or_else(|| Problem::new(Why::Unauthenticated))?;
    Ok(Json(json!({ "account": account.0, "ticket": ticket })))
}

/// The account that asks, and the cursor that it brings.
pub struct NoticesRequest {
    account: AccountId,
    after: Option<String>,
}

impl FromRequestParts<Arc<Venue>> for NoticesRequest {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, venue: &Arc<Venue>) -> Result<NoticesRequest, Problem> {
        let InQuery(Asked { after, account, ticket }) = InQuery::from_request_parts(parts, venue).await?;
        let account = match (account, ticket) {
            (Some(account), Some(ticket)) => {
                let account = AccountId(account);
                let is_its = ticket::ticket(&venue.names, account).is_some_and(|its| its == ticket);
                is_its.then_some(account).ok_or_else(|| Problem::because(Why::Unauthenticated, "No such ticket."))?
            }
            (None, None) => Trader::from_request_parts(parts, venue).await?.0,
            _ => return Err(Problem::because(Why::BadRequest, "A ticket goes with its account.")),
        };
        // The header is newer than the address, which a browser never changes.
        let last = parts.headers.get("last-event-id");
        let last = last.map(|last| last.to_str().map(str::to_owned)).transpose();
        let last = last.map_err(|_| Problem::because(Why::BadRequest, "Last-Event-ID is a cursor."))?;
        Ok(NoticesRequest { account, after: last.filter(|last| !last.is_empty()).or(after) })
    }
}

/// One connection.
struct Connected {
    feed: Feed,
    /// Whether the first event, which says where the connection begins, was sent.
    has_begun: bool,
    is_over: bool,
    over: watch::Receiver<()>,
    _held: Held<AccountId>,
    waiting: std::collections::VecDeque<Event>,
}

/// Sends everything that happens to an account.
pub async fn notices(once: Arc<Once>, venue: Arc<Venue>, asked: NoticesRequest) -> Result<Response, Problem> {
    let NoticesRequest { account, after } = asked;
    let cursor = once.notices().cursor(after.as_deref()).map_err(wrong)?;
    let held = venue.door.limits.stream(account)?;
    let feed = Feed::new(once.notices(), account, cursor);
    let over = venue.over.subscribe();
    let (waiting, has_begun, is_over) = (std::collections::VecDeque::new(), false, false);
    let events = events(Connected { feed, has_begun, is_over, over, _held: held, waiting });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response())
}

// ANCHOR: events
fn events(connected: Connected) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold(connected, |mut connected| async move {
        loop {
            if let Some(event) = connected.waiting.pop_front() {
                return Some((Ok(event), connected));
            }
            if connected.is_over {
                return None;
            }
            if !std::mem::replace(&mut connected.has_begun, true) {
                let cursor = connected.feed.cursor().to_string();
                connected.waiting.push_back(Event::default().event("begin").id(&cursor).data(cursor));
                continue;
            }
            tokio::select! {
                () = connected.feed.ready() => connected.take(),
                _ = connected.over.changed() => connected.is_over = true,
            }
        }
    })
}
// ANCHOR_END: events

impl Connected {
    fn take(&mut self) {
        let waiting = &mut self.waiting;
        let taken = self.feed.take(|told| {
            waiting.push_back(match told {
                Told::Notice(text, cursor) => Event::default().event("notice").id(cursor.to_string()).data(text),
                Told::Gone(first) => Event::default().event("gone").id(first.to_string()).data(first.to_string()),
                // An id without data moves the browser's cursor on, and no handler runs.
                Told::Come(cursor) => Event::default().id(cursor.to_string()),
            });
        });
        if let Err(problem) = taken {
            let words = serde_json::to_string(&problem).unwrap_or_default();
            self.waiting.push_back(Event::default().event("bye").data(words));
            self.is_over = true;
        }
    }
}
