//! Errors as problem details (RFC 9457): a word from a closed list for programs, and advice for people.

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use market::{Reason, Sequence};
use program::lines::tell_often;
use serde::Serialize;

use crate::limits::Excess;
use crate::names::NamesError;
use crate::reply::{Refusal, Refused};

/// Defines the list of reasons and the array behind [`Why::all`], so that each reason is written only once.
macro_rules! reasons {
    ($($(#[$words:meta])* $name:ident,)*) => {
        /// Why a request failed. The first twelve reasons come from the contract; the gateway adds the others.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Why {
            /// The engine rejected the command. It is in the log all the same, and changed nothing.
            Rejected(Reason),
            $($(#[$words])* $name,)*
        }

        /// The gateway's reasons.
        const OF_THE_DOOR: &[Why] = &[$(Why::$name),*];
    };
}

reasons! {
    /// It is not a valid request.
    BadRequest,
    /// No key, or an unknown one.
    Unauthenticated,
    /// Not allowed with this key.
    Forbidden,
    /// There is no such resource.
    NotFound,
    /// The resource does not support this method.
    MethodNotAllowed,
    /// A body beyond the limit.
    TooLarge,
    /// More requests per second than allowed.
    TooManyRequests,
    /// More requests in flight than allowed.
    TooManyInFlight,
    /// More connections than allowed, in all or from one address.
    TooManyConnections,
    /// More WebSocket connections than an account may have.
    TooManyStreams,
    /// A longer address than any here.
    UriTooLong,
    /// A head beyond the limit.
    HeadersTooLarge,
    /// The body arrived too slowly.
    TooSlow,
    /// A body in an unsupported encoding.
    Encoded,
    /// Too many requests in flight in all.
    Busy,
    /// The projection does not include the requested commands yet.
    Behind,
    /// The feed has failed, and the books are stale.
    StaleBooks,
    /// The venue is about to stop.
    Draining,
    /// The engine has stopped.
    Stopped,
    /// The file of names can't be written.
    Names,
}

/// A complete problem.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    /// The URI of the kind of problem.
    #[serde(rename = "type")]
    kind: String,
    title: &'static str,
    status: u16,
    detail: String,
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<u64>,
    /// Over HTTP it is in a header too. A message and an item of a list have no headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_s: Option<u32>,
    #[serde(skip)]
    ends_connection: bool,
}

impl Why {
    /// All reasons, in the order of this list.
    pub fn all() -> impl Iterator<Item = Why> {
        Reason::ALL.iter().map(|&reason| Why::Rejected(reason)).chain(OF_THE_DOOR.iter().copied())
    }

    /// Its word, status and title.
    pub fn words(self) -> (&'static str, StatusCode, &'static str) {
        use StatusCode as Code;
        let rejected = Code::UNPROCESSABLE_ENTITY;
        match self {
            Why::Rejected(reason) => match reason {
                Reason::UnknownMarket => ("unknown-market", Code::NOT_FOUND, "No such market"),
                Reason::MarketExists => ("market-exists", Code::CONFLICT, "The market exists"),
                Reason::MarketClosed => ("market-closed", Code::CONFLICT, "The market is closed"),
                Reason::BadPrice => ("bad-price", rejected, "Invalid price"),
                Reason::ZeroQuantity => ("zero-quantity", rejected, "Zero quantity"),
                Reason::AmountOutOfRange => ("amount-out-of-range", rejected, "Amount out of range"),
                Reason::InsufficientCash => ("insufficient-cash", rejected, "Not enough free cash"),
                Reason::InsufficientShares => ("insufficient-shares", rejected, "Not enough free shares"),
                Reason::UnknownOrder => ("unknown-order", Code::NOT_FOUND, "No such resting order"),
                Reason::NotTheOwner => ("not-the-owner", Code::FORBIDDEN, "Another account's order"),
                Reason::WouldCross => ("would-cross", rejected, "The order would trade at once"),
                Reason::CannotFill => ("cannot-fill", rejected, "The order can't be filled completely"),
            },
            Why::BadRequest => ("bad-request", Code::BAD_REQUEST, "Invalid request"),
            Why::Unauthenticated => ("unauthenticated", Code::UNAUTHORIZED, "Unknown key"),
            Why::Forbidden => ("forbidden", Code::FORBIDDEN, "Not allowed with this key"),
            Why::NotFound => ("not-found", Code::NOT_FOUND, "Not found"),
            Why::MethodNotAllowed => ("method-not-allowed", Code::METHOD_NOT_ALLOWED, "Method not allowed"),
            Why::TooLarge => ("too-large", Code::PAYLOAD_TOO_LARGE, "Too large"),
            Why::TooManyRequests => ("too-many-requests", Code::TOO_MANY_REQUESTS, "Too many requests"),
            Why::TooManyInFlight => ("too-many-in-flight", Code::TOO_MANY_REQUESTS, "Too many requests in flight"),
            Why::TooManyConnections => ("too-many-connections", Code::SERVICE_UNAVAILABLE, "Too many connections"),
            Why::TooManyStreams => ("too-many-streams", Code::TOO_MANY_REQUESTS, "Too many streams"),
            Why::UriTooLong => ("uri-too-long", Code::URI_TOO_LONG, "Address too long"),
            Why::HeadersTooLarge => ("headers-too-large", Code::REQUEST_HEADER_FIELDS_TOO_LARGE, "Headers too large"),
            Why::TooSlow => ("too-slow", Code::REQUEST_TIMEOUT, "Too slow"),
            Why::Encoded => ("encoded", Code::UNSUPPORTED_MEDIA_TYPE, "Unsupported encoding"),
            Why::Busy => ("busy", Code::SERVICE_UNAVAILABLE, "Busy"),
            Why::Behind => ("behind", Code::SERVICE_UNAVAILABLE, "Not there yet"),
            Why::StaleBooks => ("stale-books", Code::SERVICE_UNAVAILABLE, "Books are stale"),
            Why::Draining => ("draining", Code::SERVICE_UNAVAILABLE, "About to stop"),
            Why::Stopped => ("stopped", Code::SERVICE_UNAVAILABLE, "The engine has stopped"),
            Why::Names => ("names", Code::SERVICE_UNAVAILABLE, "The names can't be written"),
        }
    }

    /// What the client can do about it.
    fn advice(self) -> &'static str {
        match self {
            Why::Rejected(reason) => match reason {
                Reason::UnknownMarket => "GET /v1/markets lists all markets.",
                Reason::MarketExists => "Choose another number.",
                Reason::MarketClosed => "It was resolved; you can only withdraw cash from it.",
                Reason::BadPrice => "A price is 1 to 99 cents of the share that the intent names.",
                Reason::ZeroQuantity => "Ask for at least one share.",
                Reason::AmountOutOfRange => {
                    "An amount is at least one cent, and a market holds at most 429,496,729,500."
                }
                Reason::InsufficientCash => "Buy fewer, offer less, cancel an order, or deposit.",
                Reason::InsufficientShares => "Sell fewer, cancel an order that sells them, or buy some first.",
                Reason::UnknownOrder => "It has traded or was cancelled. GET /v1/orders lists your resting orders.",
                Reason::NotTheOwner => "Cancel your own orders; GET /v1/orders lists them.",
                Reason::WouldCross => "It was post-only. Choose a price that does not cross the other side.",
                Reason::CannotFill => "It was fill-or-kill, and the book does not have enough at this price.",
            },
            Why::BadRequest => "GET /v1/openapi.json describes every request.",
            Why::Unauthenticated => {
                "Send the header Authorization: Bearer KEY, with the key that you were shown when the account was made."
            }
            Why::Forbidden => "An account acts for itself, and the operator runs the venue: use the right key.",
            Why::NotFound | Why::MethodNotAllowed => "GET /v1/openapi.json lists all requests.",
            Why::TooLarge => "Send less in one request.",
            Why::TooManyRequests => "Wait for retry_after_s seconds, and send fewer a second.",
            Why::TooManyInFlight => "Wait for answers before you send more.",
            Why::TooManyConnections => "Close those that you do not need, or try again later.",
            Why::TooManyStreams => "Close a WebSocket connection of this account; one can watch all markets.",
            Why::UriTooLong | Why::HeadersTooLarge => {
                "No request needs that much: GET /v1/openapi.json describes them all."
            }
            Why::TooSlow => "Nothing was done. Send the body without pauses.",
            Why::Encoded => "Send the body without Content-Encoding and Transfer-Encoding.",
            Why::Busy | Why::Behind => "Nothing was done. Try again in a moment.",
            Why::StaleBooks => {
                "Orders are accepted and durable. The books are old: wait until they are fresh before you trust a price."
            }
            Why::Draining => "Nothing was done. Try again when the venue is back.",
            Why::Stopped => {
                "It is unknown whether it was done: check your orders when the venue is back, before you try again."
            }
            Why::Names => "Nothing was done. The operator has to check the disk.",
        }
    }
}

impl Problem {
    /// A problem of this kind, with advice.
    pub fn new(why: Why) -> Problem {
        Problem::because(why, "")
    }

    /// A problem of this kind, with a sentence about what exactly is wrong.
    pub fn because(why: Why, what: impl AsRef<str>) -> Problem {
        let (reason, status, title) = why.words();
        let detail = [what.as_ref(), why.advice()].into_iter().filter(|part| !part.is_empty());
        let detail = detail.collect::<Vec<_>>().join(" ");
        let is_for_a_moment = matches!(why, Why::Busy | Why::Behind | Why::TooManyRequests | Why::TooManyInFlight);
        let retry_after_s = match why {
            Why::TooManyConnections => Some(10),
            _ => is_for_a_moment.then_some(1),
        };
        // The rest of such a request is not read.
        let ends_connection = matches!(
            why,
            Why::UriTooLong
                | Why::HeadersTooLarge
                | Why::TooLarge
                | Why::TooSlow
                | Why::Encoded
                | Why::TooManyConnections
        );
        let kind = format!("/problems/{reason}");
        Problem { kind, title, status: status.as_u16(), detail, reason, sequence: None, retry_after_s, ends_connection }
    }

    /// The word for programs.
    pub fn reason(&self) -> &'static str {
        self.reason
    }

    /// What is wrong, and what to do about it.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// Too many requests; there is room again after this time.
    pub fn too_fast(wait: Duration) -> Problem {
        // Whole seconds, rounded up.
        let seconds = wait.as_secs_f64().ceil().clamp(1.0, 3_600.0) as u32;
        Problem { retry_after_s: Some(seconds), ..Problem::new(Why::TooManyRequests) }
    }

    /// The complete HTTP answer as bytes, for a connection that is not served.
    pub fn whole(&self) -> Vec<u8> {
        let body = serde_json::to_string(self).unwrap_or_default();
        let wait = self.retry_after_s.map_or(String::new(), |seconds| format!("retry-after: {seconds}\r\n"));
        let (status, title, length) = (self.status, self.title, body.len());
        let kind = "content-type: application/problem+json";
        format!(
            "HTTP/1.1 {status} {title}\r\n{kind}\r\n{wait}connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .into_bytes()
    }

    /// What a layer refuses, and the command that it has to do with.
    pub fn of_a_layer(refused: &'static Refused, sequence: Option<Sequence>) -> Problem {
        let Refused { word, status, title, advice, .. } = *refused;
        let (kind, sequence) = (format!("/problems/{word}"), sequence.map(|sequence| sequence.0));
        let detail = advice.into();
        Problem { kind, title, status, detail, reason: word, sequence, retry_after_s: None, ends_connection: false }
    }

    /// The engine's own rejection of the command with this sequence.
    pub fn rejected(reason: Reason, sequence: Sequence) -> Problem {
        Problem { sequence: Some(sequence.0), ..Problem::new(Why::Rejected(reason)) }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        Problem::new(match refusal {
            Refusal::Busy => Why::Busy,
            Refusal::Draining => Why::Draining,
            Refusal::TooFast(wait) => return Problem::too_fast(wait),
            Refusal::TooManyInFlight => Why::TooManyInFlight,
            Refusal::Forbidden => Why::Forbidden,
            Refusal::Stopped => Why::Stopped,
            Refusal::Layer(refused, sequence) => return Problem::of_a_layer(refused, sequence),
        })
    }
}

impl From<Excess> for Problem {
    fn from(excess: Excess) -> Problem {
        Problem::new(match excess {
            Excess::TooFast(wait) => return Problem::too_fast(wait),
            Excess::TooManyInFlight => Why::TooManyInFlight,
            Excess::TooManyConnections | Excess::TooManyOfAddress => Why::TooManyConnections,
            Excess::TooManyOfAccount => Why::TooManyStreams,
        })
    }
}

impl From<NamesError> for Problem {
    fn from(error: NamesError) -> Problem {
        if let NamesError::OfTheOperator = error {
            return Problem::because(Why::Forbidden, "This key is the operator's: make another for the account.");
        }
        // The operator may see the path of the file; a client may not.
        tell_often("names", format_args!("error: {error}"));
        match error {
            // The disk is fine.
            NamesError::Full(..) => {
                Problem { detail: format!("Nothing was done: {error}."), ..Problem::new(Why::Names) }
            }
            _ => Problem::new(Why::Names),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, axum::Json(&self)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after_s {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if self.ends_connection {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
