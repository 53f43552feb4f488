//! Checks before anything else: the size that a request announces, and its encoding.

use axum::http::Request;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING};

use super::sizes::{BODY_BYTES_MAX, HEAD_BYTES_MAX};
use crate::problem::{Problem, Why};

/// The longest address, in bytes.
const URI_BYTES_MAX: usize = 2_048;

/// The most lines in a head.
const HEADERS_MAX: usize = 64;

/// Refuses requests that no client needs here.
///
/// # Errors
/// The problem.
pub fn check<B>(request: &Request<B>) -> Result<(), Problem> {
    let (uri, headers) = (request.uri(), request.headers());
    if uri.path().len() + uri.query().map_or(0, str::len) > URI_BYTES_MAX {
        return Err(Problem::because(Why::UriTooLong, format!("An address has at most {URI_BYTES_MAX} bytes.")));
    }
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if headers.len() > HEADERS_MAX || bytes > HEAD_BYTES_MAX {
        let what = format!("A head has at most {HEADERS_MAX} lines and {HEAD_BYTES_MAX} bytes.");
        return Err(Problem::because(Why::HeadersTooLarge, what));
    }
    // A body has one length, announced up front, so no intermediary can see a second request in it.
    if headers.contains_key(TRANSFER_ENCODING) {
        return Err(Problem::because(Why::Encoded, "Transfer-Encoding is not accepted: send Content-Length."));
    }
    if headers.get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        return Err(Problem::because(Why::Encoded, "Compressed bodies are not accepted."));
    }
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > BODY_BYTES_MAX as u64) {
        return Err(Problem::because(Why::TooLarge, format!("A body has at most {BODY_BYTES_MAX} bytes.")));
    }
    Ok(())
}
