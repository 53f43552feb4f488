//! One WebSocket connection that places and cancels orders, gets notices about its own, and watches any number of
//! markets.
//!
//! It is one task with three sources: the client's messages, its [`outbox`], and a tick after which books may have
//! changed. Books are not queued: at a tick the task sends the current state from its cursor on, and while a slow
//! client keeps it busy it sends nothing. Answers and notices are queued, because none may be lost; a client that does
//! not even read those is disconnected with a reason.
//!
//! ```text
// ANCHOR: messages
//! {"id":1,"do":"login","key":"nnc_…"}                     {"re":1,"ok":{"account":1000}}
//! {"id":2,"do":"watch","markets":[1]}                     {"re":2,"ok":{"markets":[1]}}, then messages of 0x09
//! {"id":3,"do":"place","market":1,"intent":"buy-yes",…}   {"re":3,"ok":{…}} or {"re":3,"problem":{…}}
//! {"id":4,"do":"place","orders":[{…},{…}]}                {"re":4,"ok":[{…},{…}]}
//! {"id":5,"do":"cancel","market":1,"order":17}            {"re":5,"ok":{"cancelled":[17],"sequence":130}}
//! {"id":6,"do":"cancel-all","market":1}                   the same, with "more":true if more orders still rest
//!                                                         {"kind":"notice",…}
//!                                                         {"kind":"tick","time_ms":…,"stale_since_ms":null}
//!                                                         {"kind":"bye",…}
// ANCHOR_END: messages
//! ```
//!
//! A client that requests the subprotocol of [`binary`] may place in binary as well.

pub mod binary;
mod client_message;
mod commands;
mod conversation;
mod end;
mod json;
pub mod listeners;
pub mod outbox;
mod parts;
mod seat;
pub mod shared;
pub mod sizes;
mod watching;

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;

use crate::front::Fronts;
use crate::http::extract::{Connection, Who};
use crate::problem::{Problem, Why};
use crate::stream::seat::Seat;
use crate::stream::sizes::MESSAGE_BYTES_MAX;
use crate::venue::Venue;
use crate::watch::Watcher;

/// The size of the read buffer. The library's default of 128 KiB would be most of what a connection costs.
const READ_BYTES: usize = 4 * 1024;

/// How many bytes to collect before writing, unless everything that is ready has been collected. A system call per
/// answer would cost more than the answer.
const WRITE_BYTES: usize = 8 * 1024;

/// Accepts a connection. A client that can send headers may log in there; a browser logs in with its first message.
pub async fn open(
    State(venue): State<Arc<Venue>>,
    who: Option<Who>,
    Connection(held): Connection,
    Extension(fronts): Extension<Fronts>,
    watcher: Watcher,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    let upgrade = upgrade.map_err(|error| Problem::because(Why::BadRequest, format!("{}.", error.body_text())))?;
    // Refuse a session that has all the connections it may have, before the upgrade.
    let seat = who.map(|Who(session, key)| Seat::take(&venue, session, key)).transpose()?;
    let upgrade = bounded(upgrade.protocols([binary::PROTOCOL]));
    Ok(upgrade.on_upgrade(move |socket| async move {
        conversation::serve(venue, socket, seat, &fronts, watcher).await;
        drop(held);
    }))
}

/// A frame is buffered until it is complete, so it needs its own limit: the library's default is 16 MiB.
fn bounded(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    let upgrade = upgrade.read_buffer_size(READ_BYTES).write_buffer_size(WRITE_BYTES);
    upgrade.max_message_size(MESSAGE_BYTES_MAX).max_frame_size(MESSAGE_BYTES_MAX)
}

/// Echoes every message: the cost of a connection without a venue behind it.
pub async fn echo(upgrade: WebSocketUpgrade) -> Response {
    bounded(upgrade).on_upgrade(|mut socket| async move {
        while let Some(Ok(message)) = socket.recv().await {
            if socket.send(message).await.is_err() {
                return;
            }
        }
    })
}
