//! What this chapter answers over HTTP: `GET /v1/replication`, for the operator.

use std::sync::Arc;

use axum::Json;
use axum::routing::get;
use gateway::front::Routes;
use gateway::http::extract::Operator;
use serde_json::{Value, json};

use crate::status::Status;

/// The addresses.
pub fn routes(status: &Arc<Status>) -> Routes {
    let status = Arc::clone(status);
    vec![("/v1/replication", get(move |_: Operator| async move { Json(status.shown()) }))]
}

/// Adds this chapter's address to the description.
pub fn describe(openapi: &mut Value) {
    let Some(Value::Object(paths)) = openapi.pointer_mut("/paths") else { return };
    let summary =
        "How far the streams have come: each shard's epoch, place, and frames that are under way. For the operator.";
    let answered = json!({ "description": "The role, and each shard's stream.",
        "content": { "application/json": { "schema": { "type": "object" } } } });
    paths.insert("/v1/replication".into(), json!({ "get": { "summary": summary, "responses": { "200": answered } } }));
}
