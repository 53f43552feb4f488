//! What can be asked, described for programs: OpenAPI 3.1. A test holds the description against the routes, in both
//! directions, and against what they answer.

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

/// The description.
pub const DESCRIPTION: &str = include_str!("../../openapi.json");

/// It, for whoever asks.
pub async fn description() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], DESCRIPTION)
}
