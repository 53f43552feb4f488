//! The interface, described for programs: OpenAPI 3.1. A test compares the description with the routes, in both
//! directions, and with their answers.

use axum::Extension;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde_json::Value;

use crate::front::Fronts;

/// The description of what 0x0a answers.
pub const DESCRIPTION: &str = include_str!("../../openapi.json");

/// The description, with what these layers add.
pub fn described(fronts: &Fronts) -> String {
    if fronts.is_empty() {
        return DESCRIPTION.into();
    }
    // A test reads it as JSON.
    let mut description: Value = serde_json::from_str(DESCRIPTION).unwrap_or_default();
    fronts.iter().for_each(|front| front.describe(&mut description));
    format!("{description:#}")
}

/// The description, for any client that asks.
pub async fn description(Extension(fronts): Extension<Fronts>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], described(&fronts))
}
