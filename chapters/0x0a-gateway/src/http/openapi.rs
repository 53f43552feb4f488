//! The interface, described for programs: OpenAPI 3.1. A test compares the description with the routes, in both
//! directions, and with their answers.

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

/// The description.
pub const DESCRIPTION: &str = include_str!("../../openapi.json");

/// Serves it.
pub async fn description() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], DESCRIPTION)
}
