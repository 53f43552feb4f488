//! A notice in JSON, and the reasons why a client gets none.

use gateway::problem::{Problem, Why};
use gateway::reply::Refused;
use gateway::wire::OwnEvent;
use market::{AccountId, Event};
use serde::Serialize;

use super::cursor::Wrong;
use super::place::Notice;

/// The log's beginning was trimmed.
pub static GONE: Refused = Refused {
    word: "gone",
    status: 410,
    title: "No longer available",
    advice: "What happened before the cursor that the venue has just sent is no longer in the log. Continue after that cursor.",
    outcome: 19,
};

/// The client took nothing.
pub static TOO_SLOW: Refused = Refused {
    word: "too-slow",
    status: 408,
    title: "Too slow",
    advice: "Nothing is lost: reconnect with the last cursor that you have.",
    outcome: 20,
};

/// The log could not be read.
pub static UNREADABLE: Refused = Refused {
    word: "unreadable",
    status: 503,
    title: "The log can't be read",
    advice: "Nothing is lost. The operator has to check the disk; reconnect with the last cursor that you have.",
    outcome: 21,
};

/// The cursor is not one of these logs.
pub static NO_CURSOR: Refused = Refused {
    word: "no-cursor",
    status: 410,
    title: "Not a cursor of this venue's logs",
    advice: "Read /v1/account and /v1/orders, and begin without a cursor, or with after=first for everything.",
    outcome: 22,
};

#[derive(Serialize)]
struct NoticeJson<'n> {
    kind: &'static str,
    cursor: &'n str,
    shard: u16,
    sequence: u64,
    index: u32,
    time_ms: u64,
    market: u32,
    order: Option<u64>,
    event: EventJson<'n>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum EventJson<'n> {
    Own(OwnEvent),
    /// The end of a market, which every account is notified of. An account's own cancellations and payment are separate
    /// notices.
    Resolved {
        event: &'n str,
        outcome: &'n str,
    },
}

/// The refusal of a text that is no cursor here.
pub fn wrong(wrong: Wrong) -> Problem {
    match wrong {
        Wrong::Form => Problem::because(Why::BadRequest, wrong.words()),
        Wrong::OtherLogs | Wrong::Future => Problem::of_a_layer(&NO_CURSOR, None),
    }
}

/// A notice as this account reads it, with the cursor after it.
pub fn text(notice: &Notice, account: AccountId, cursor: &str) -> String {
    let Notice { shard, place, time, event, .. } = notice;
    let own = match event {
        Event::Traded { maker_account, .. } if *maker_account == account => OwnEvent::as_other(event, account),
        event => OwnEvent::of(event, account),
    };
    let order = own.and_then(|own| own.order());
    let event = match (own, event) {
        (Some(own), _) => EventJson::Own(own),
        (None, Event::Resolved { outcome, .. }) => EventJson::Resolved { event: "resolved", outcome: outcome.word() },
        // No other event concerns an account that does not see it.
        (None, _) => EventJson::Resolved { event: "", outcome: "" },
    };
    let json = NoticeJson {
        kind: "notice",
        cursor,
        shard: *shard,
        sequence: place.sequence.0,
        index: place.index,
        time_ms: time.0,
        market: notice.event.market().0,
        order,
        event,
    };
    // Numbers and words: nothing here can fail.
    serde_json::to_string(&json).unwrap_or_default()
}
