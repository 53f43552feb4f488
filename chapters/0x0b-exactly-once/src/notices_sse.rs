//! Notices over HTTP, as server-sent events: the `id` of each is the cursor after it.
//!
//! A browser's `EventSource` sends the last `id` as `Last-Event-ID` when it reconnects, so it goes on where it was, by itself.
//! It can't send a header of its own, so it shows a ticket in the address instead of the key. A ticket reads one account's
//! notices and nothing else, and is worth nothing once the account has another key.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequestParts, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use futures_util::future::ready;
use futures_util::stream::{once, unfold};
use futures_util::{Stream, StreamExt};
use gateway::http::extract::{InQuery, Trader, Who};
use gateway::keys::KeyHash;
use gateway::limits::held::Held;
use gateway::problem::{Problem, Why};
use gateway::reply::Session;
use gateway::venue::Venue;
use gateway::watch::Watcher;
use market::AccountId;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::notices::feed::{Feed, Told};
use crate::notices::tell::wrong;
use crate::once::Once;
use crate::ticket;

/// How often a comment shows that the connection lives, where nothing happens.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The query, after the `?`.
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
    /// What is kept of the key that it asks with, or that its ticket was made of.
    key: KeyHash,
    after: Option<String>,
    watcher: Watcher,
}

impl FromRequestParts<Arc<Venue>> for NoticesRequest {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, venue: &Arc<Venue>) -> Result<NoticesRequest, Problem> {
        let InQuery(Asked { after, account, ticket }) = InQuery::from_request_parts(parts, venue).await?;
        let (account, key) = match (account, ticket) {
            (Some(account), Some(ticket)) => {
                let account = AccountId(account);
                let key = venue.names.key_hash(account).filter(|&key| ticket::of(key) == ticket);
                (account, key.ok_or_else(|| Problem::because(Why::Unauthenticated, "No such ticket."))?)
            }
            (None, None) => {
                let Trader(account) = Trader::from_request_parts(parts, venue).await?;
                let Who(_, key) = <Who as FromRequestParts<_>>::from_request_parts(parts, venue).await?;
                (account, key)
            }
            _ => return Err(Problem::because(Why::BadRequest, "A ticket goes with its account.")),
        };
        // The header is newer than the address, which a browser never changes.
        let last = parts.headers.get("last-event-id");
        let last = last.map(|last| last.to_str().map(str::to_owned)).transpose();
        let last = last.map_err(|_| Problem::because(Why::BadRequest, "Last-Event-ID is a cursor."))?;
        let Ok(watcher) = Watcher::from_request_parts(parts, venue).await;
        Ok(NoticesRequest { account, key, after: last.filter(|last| !last.is_empty()).or(after), watcher })
    }
}

/// One connection.
struct Connected {
    feed: Feed,
    over: watch::Receiver<()>,
    watcher: Watcher,
    _held: Held<AccountId>,
}

/// Sends everything that happens to an account.
pub async fn notices(layer: Arc<Once>, venue: Arc<Venue>, asked: NoticesRequest) -> Result<Response, Problem> {
    let NoticesRequest { account, key, after, watcher } = asked;
    let cursor = layer.notices().cursor(after.as_deref()).map_err(wrong)?;
    let held = venue.door.limits.stream(account)?;
    let begin = event("begin", &cursor.to_string(), &cursor.to_string());
    let (feed, over) = (Feed::new(layer.notices(), account, cursor), venue.over.subscribe());
    let connected = Connected { feed, over, watcher, _held: held };
    let head = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    // Another key ends the connection: the owner may have lost the old one to a thief.
    let has_key = move |_: &_| ready(venue.names.session(key) == Some(Session::Account(account)));
    let events = once(async { Ok(begin) }).chain(events(connected)).take_while(has_key);
    Ok((head, Body::from_stream(events)).into_response())
}

/// An event as it is sent.
fn event(name: &str, id: &str, data: &str) -> String {
    format!("event: {name}\nid: {id}\ndata: {data}\n\n")
}

// ANCHOR: events
/// All events of a connection. Those that are there together are sent together: a system call for each would cost more than
/// the event.
fn events(connected: Connected) -> impl Stream<Item = Result<String, Infallible>> {
    unfold(Some(connected), |connected| async move {
        let (mut connected, mut text) = (connected?, String::new());
        while text.is_empty() {
            let is_over = tokio::select! {
                () = connected.feed.ready() => connected.take(&mut text).is_err(),
                _ = connected.over.changed() => true,
                () = sleep(HEARTBEAT) => connected.beat(&mut text).is_err(),
            };
            if is_over {
                return (!text.is_empty()).then_some((Ok(text), None));
            }
        }
        Some((Ok(text), Some(connected)))
    })
}
// ANCHOR_END: events

impl Connected {
    /// Shows that the connection lives, and takes what there is: the ring goes on, and a reader to which nothing happens
    /// would fall behind it.
    fn beat(&mut self, text: &mut String) -> Result<(), ()> {
        text.push_str(":\n\n");
        self.take(text)
    }

    /// Adds what there is now. The connection ends when it cannot go on, with the reason as its last event.
    fn take(&mut self, text: &mut String) -> Result<(), ()> {
        let taken = self.feed.take(|told| match told {
            Told::Notice { text: notice, cursor, shard, sequence } => {
                self.watcher.told(shard, sequence);
                text.push_str(&event("notice", &cursor, &notice));
            }
            Told::Gone(first) => text.push_str(&event("gone", &first, &first)),
            // An id without data moves the browser's cursor on, and no handler runs.
            Told::Come(cursor) => text.push_str(&format!("id: {cursor}\n\n")),
        });
        taken.map_err(|problem| {
            let words = serde_json::to_string(&problem).unwrap_or_default();
            text.push_str(&format!("event: bye\ndata: {words}\n\n"));
        })
    }
}

#[cfg(test)]
mod tests {
    use gateway::limits::{Allowed, Limits};
    use market::{Cents, Event, MarketId, Options, Sequence, Stamp, UnixMs};

    use super::*;
    use crate::notices::place::Place;
    use crate::notices::reader::Notices;
    use crate::notices::ring::Ring;

    #[tokio::test]
    async fn a_reader_that_nothing_happens_to_does_not_fall_behind() {
        let notices = Arc::new(Notices::default());
        notices.open(Ring::new(4, vec![Place::default()]), &Options::new("nowhere"), std::iter::empty());
        let pay = |sequence, account| {
            let (market, account, amount) = (MarketId(1), AccountId(account), Cents(sequence));
            let stamp = Stamp { sequence: Sequence(sequence), time: UnixMs(0) };
            notices.add(0, stamp, &[Event::Paid { market, account, amount }]);
        };
        let (own, over) = (AccountId(1), watch::Sender::new(()));
        let feed = Feed::new(&notices, own, notices.cursor(None).expect("from now on"));
        let held = Limits::new(Allowed::ANYTHING).stream(own).expect("it is the first");
        let mut connected = Connected { feed, over: over.subscribe(), watcher: Watcher(None), _held: held };
        for sequence in 1..100 {
            pay(sequence, 2);
            let mut text = String::new();
            assert_eq!(connected.beat(&mut text), Ok(()));
            assert!(text.starts_with(":\n\n"), "{text}");
        }
        pay(100, 1);
        let mut text = String::new();
        assert_eq!(connected.take(&mut text), Ok(()));
        assert!(text.contains("event: notice"), "the ring has it: {text}");
    }
}
