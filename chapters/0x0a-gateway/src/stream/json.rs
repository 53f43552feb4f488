//! The messages to a client, as JSON.

use axum::extract::ws::Utf8Bytes;
use market::{Command, Event};
use serde::Serialize;
use serde_json::{Value, json};

use super::outbox::{Before, Notice, Words};
use crate::http::orders::{Cancelled, cancelled, cancelled_all};
use crate::problem::{Problem, Why};
use crate::reply::{Given, Refusal};
use crate::venue::Venue;
use crate::wire::{OrderDone, OwnEvent, outcomes};

/// Enough room for the answer to an order that traded once or twice.
const ANSWER_BYTES: usize = 384;

/// Enough room for any other message.
const TEXT_BYTES: usize = 128;

/// An answer, with the number of its request.
#[derive(Serialize)]
pub(super) struct Answered<T> {
    re: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

impl<T: Serialize> Answered<T> {
    pub(super) fn ok(id: u64, ok: T) -> Answered<T> {
        Answered { re: Some(id), ok: Some(ok), problem: None }
    }

    pub(super) fn problem(re: Option<u64>, problem: Problem) -> Answered<T> {
        Answered { re, ok: None, problem: Some(problem) }
    }

    fn of(id: u64, done: Result<T, Problem>) -> Answered<T> {
        done.map_or_else(|problem| Answered::problem(Some(id), problem), |ok| Answered::ok(id, ok))
    }
}

/// A notice in JSON.
#[derive(Serialize)]
struct NoticeJson {
    kind: &'static str,
    market: u32,
    order: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_order_id: Option<Option<u64>>,
    sequence: u64,
    time_ms: u64,
    event: Option<OwnEvent>,
}

impl NoticeJson {
    fn of(&Notice { account, stamp, event, before }: &Notice) -> NoticeJson {
        let own = match (event, before) {
            (Event::Resolved { outcome, .. }, Before::Held(held)) => Some(OwnEvent::resolved(outcome, &held)),
            _ => OwnEvent::as_other(&event, account),
        };
        let client_order_id = match before {
            Before::Order(id) => Some(id),
            Before::Held(_) | Before::Nothing => None,
        };
        NoticeJson {
            kind: "notice",
            market: event.market().0,
            order: own.and_then(|own| own.order()),
            client_order_id,
            sequence: stamp.sequence.0,
            time_ms: stamp.time.0,
            event: own,
        }
    }
}

/// A notice.
pub(super) fn notice(notice: &Notice) -> Utf8Bytes {
    text(&NoticeJson::of(notice))
}

/// The answer to the request with this number.
pub(super) fn answer(id: u64, asked: &Words, given: &[Given]) -> Utf8Bytes {
    match (asked, given) {
        (Words::One(command @ Command::Place(_)), [given]) => {
            text_of(ANSWER_BYTES, &Answered::of(id, placed(command, given)))
        }
        (Words::One(command), given) => text(&Answered::of(id, cancelled_one(command, given))),
        (Words::Orders(commands), given) => {
            text_of(ANSWER_BYTES * given.len(), &Answered::ok(id, outcomes(commands, given)))
        }
        (Words::Cancelled(commands, more), given) => text(&Answered::of(id, cancelled_all(commands, given, *more))),
    }
}

fn placed<'r>(command: &Command, given: &'r Given) -> Result<OrderDone<'r>, Problem> {
    given.as_ref().map_err(|refusal: &Refusal| Problem::from(*refusal)).and_then(|reply| OrderDone::of(command, reply))
}

fn cancelled_one(command: &Command, given: &[Given]) -> Result<Cancelled, Problem> {
    let (Command::Cancel { order, .. }, [given]) = (command, given) else {
        return Err(Problem::because(Why::BadRequest, "That is not a cancellation."));
    };
    cancelled(order.0, given.as_ref().map_err(|refusal| Problem::from(*refusal))?)
}

/// A value as a message.
pub(super) fn text(value: &impl Serialize) -> Utf8Bytes {
    text_of(TEXT_BYTES, value)
}

/// The same with an estimate of its size, so that the buffer need not grow.
fn text_of(bytes: usize, value: &impl Serialize) -> Utf8Bytes {
    let mut text = Vec::with_capacity(bytes);
    // Serializing numbers, words and lists of them can't fail, and JSON is text.
    let _ = serde_json::to_writer(&mut text, value);
    Utf8Bytes::try_from(text).unwrap_or_default()
}

/// A sign of life; if the books are stale, with the time since when.
pub(super) fn tick(venue: &Venue) -> Value {
    let (time_ms, stale_since_ms) = (venue.now_ms(), venue.books.stale_since_ms());
    json!({ "kind": "tick", "time_ms": time_ms, "stale_since_ms": stale_since_ms })
}
