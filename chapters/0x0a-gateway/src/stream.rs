//! One connection that places, cancels, hears of its own orders and watches any number of markets, over WebSocket.
//!
//! It is one task with three sources: what the client says, what is ready for it in its [`outbox`], and a tick that says
//! that books may have changed. Books are not queued: at a tick the task takes what is true then, from its cursor on, and
//! while a slow client keeps it busy it takes nothing. Answers and notices are queued, for they may not be lost; whoever
//! does not even take those is told why and closed.
//!
//! ```text
// ANCHOR: messages
//! {"id":1,"do":"login","key":"nnc_…"}                     {"re":1,"ok":{"account":1000}}
//! {"id":2,"do":"watch","markets":[1]}                     {"re":2,"ok":{"markets":[1]}}, then messages of 0x09
//! {"id":3,"do":"place","market":1,"intent":"buy-yes",…}   {"re":3,"ok":{…}} or {"re":3,"problem":{…}}
//! {"id":4,"do":"place","orders":[{…},{…}]}                {"re":4,"ok":[{…},{…}]}
//! {"id":5,"do":"cancel","market":1,"order":17}            {"re":5,"ok":{"cancelled":[17],"sequence":130}}
//! {"id":6,"do":"cancel-all","market":1}                   the same
//!                                                         {"kind":"notice",…}
//!                                                         {"kind":"tick","time_ms":…,"stale_since_ms":null}
//!                                                         {"kind":"bye",…}
// ANCHOR_END: messages
//! ```
//!
//! Who asks for the subprotocol of [`binary`] may place in bytes as well.

pub mod binary;
mod end;
pub mod listeners;
pub mod outbox;
mod parts;
mod said;
mod seat;
pub mod shared;
pub mod sizes;
mod talk;
mod watching;
mod words;

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::response::Response;

use crate::front::Fronts;
use crate::http::extract::{Connection, Who};
use crate::problem::Problem;
use crate::stream::seat::Seat;
use crate::stream::sizes::MESSAGE_BYTES_MAX;
use crate::venue::Venue;

/// How many bytes are read at once. The library's own 128 KiB for each connection would be most of what it costs.
const READ_BYTES: usize = 4 * 1024;

/// How many bytes are gathered before they are written, unless all that is ready has come. A call of the system for each
/// answer would cost more than the answer.
const WRITE_BYTES: usize = 8 * 1024;

/// Takes a connection. Whoever can send a header may say there who it is; a browser says it in its first message.
pub async fn open(
    State(venue): State<Arc<Venue>>,
    who: Option<Who>,
    Connection(held): Connection,
    Extension(fronts): Extension<Fronts>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Problem> {
    let session = who.map(|Who(session)| session);
    // A session that has all the connections it may have is refused before this one becomes another.
    let seat = Seat::take(&venue, session)?;
    let upgrade = bounded(upgrade.protocols([binary::PROTOCOL]));
    Ok(upgrade.on_upgrade(move |socket| async move {
        talk::talk(venue, socket, seat, &fronts).await;
        drop(held);
    }))
}

/// A frame is kept until it is whole, so it is bounded by itself: the library's own bound is 16 MiB.
fn bounded(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    let upgrade = upgrade.read_buffer_size(READ_BYTES).write_buffer_size(WRITE_BYTES);
    upgrade.max_message_size(MESSAGE_BYTES_MAX).max_frame_size(MESSAGE_BYTES_MAX)
}

/// Says back what it hears, and nothing else: what a connection costs without a venue behind it.
pub async fn echo(upgrade: WebSocketUpgrade) -> Response {
    bounded(upgrade).on_upgrade(|mut socket| async move {
        while let Some(Ok(message)) = socket.recv().await {
            if socket.send(message).await.is_err() {
                return;
            }
        }
    })
}
