//! An answer in JSON.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// The body of an answer. The library's own type writes each small piece into a buffer that is made for large ones.
pub struct ToJson<T>(pub T);

impl<T: Serialize> IntoResponse for ToJson<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(bytes) => ([(CONTENT_TYPE, "application/json")], bytes).into_response(),
            // Numbers, words and lists of them can always be written.
            Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
        }
    }
}
