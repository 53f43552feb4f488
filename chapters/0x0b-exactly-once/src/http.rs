//! What this chapter answers over HTTP.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::routing::get;
use gateway::front::Routes;
use gateway::http::extract::Trader;
use gateway::venue::Venue;
use serde::Serialize;
use serde_json::{Value, json};

use crate::lane::{Kind, Lane};
use crate::notices_sse::{self, NoticesRequest};
use crate::once::Once;
use crate::once_door::lock;

/// The addresses.
pub fn routes(once: &Arc<Once>) -> Routes {
    let (own, feeds) = (Arc::clone(once), Arc::clone(once));
    let notices = move |State(venue): State<Arc<Venue>>, asked: NoticesRequest| {
        notices_sse::notices(Arc::clone(&feeds), venue, asked)
    };
    vec![
        ("/v1/lanes", get(move |Trader(account): Trader| async move { Json(lanes(&own, account)) })),
        ("/v1/notices", get(notices)),
        ("/v1/notices/ticket", get(notices_sse::ticket)),
    ]
}

/// What this chapter adds to the description of all requests.
const DESCRIPTION: &str = include_str!("../openapi.json");

/// Adds this chapter's addresses, schemas and reasons to the description of what the layers below answer.
pub fn describe(openapi: &mut Value) {
    // A test reads it as JSON.
    let Ok(Value::Object(mut own)) = serde_json::from_str(DESCRIPTION) else { return };
    for (name, to) in [("paths", "/paths"), ("schemas", "/components/schemas")] {
        if let (Some(Value::Object(more)), Some(Value::Object(all))) = (own.remove(name), openapi.pointer_mut(to)) {
            all.extend(more);
        }
    }
    let reasons = openapi.pointer_mut("/components/schemas/Reason/enum");
    if let (Some(Value::Array(more)), Some(Value::Array(all))) = (own.remove("reasons"), reasons) {
        all.extend(more.into_iter().filter(|reason| !all.contains(reason)).collect::<Vec<_>>());
    }
}

#[derive(Serialize)]
struct LaneJson {
    kind: &'static str,
    lane: u8,
    highest: u64,
}

/// The highest number of each lane of an account: a client that lost everything continues from
/// there.
fn lanes(once: &Once, account: market::AccountId) -> Value {
    let mut own = lock(once.table()).lanes_of(account);
    // The lanes of deposits and withdrawals are the operator's.
    own.retain(|(lane, _)| lane.kind != Kind::Money);
    let lanes = own.into_iter().map(|(Lane { kind, lane, .. }, highest)| LaneJson { kind: kind.word(), lane, highest });
    json!({ "account": account.0, "lanes": lanes.collect::<Vec<_>>() })
}
