//! How a connection ends: its client gets the reason in a last message and in the close frame.
//!
//! | code | word | when |
//! |---|---|---|
//! | 1001 | `draining` | the venue is about to stop |
//! | 1002 | `protocol` | it does not follow the WebSocket protocol: not masked, reserved bits, a control frame too long |
//! | 1003 | `not-text` | a binary message where text was agreed on |
//! | 1007 | `not-utf-8`, `no-commands` | a text message that is not UTF-8, or a binary one without commands |
//! | 1008 | `unauthenticated`, `too-slow`, `too-many-requests` | the key was replaced or binary before a login, notices not read in time, too much at once |
//! | 1009 | `too-large` | a frame or a message above the limit |

use axum::extract::ws::{CloseCode, CloseFrame};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Error as SocketError;
use tokio_tungstenite::tungstenite::error::ProtocolError;

use crate::problem::Problem;
use crate::stream::sizes::MESSAGE_BYTES_MAX;

/// Why a connection ends.
pub(super) enum End {
    /// The client is gone.
    Gone,
    /// It gets the reason.
    Bye(Bye),
}

/// The last message to a client.
#[derive(Debug)]
pub(super) struct Bye {
    code: CloseCode,
    word: &'static str,
    detail: String,
}

impl Bye {
    pub(super) fn new(code: CloseCode, word: &'static str, detail: impl Into<String>) -> Bye {
        Bye { code, word, detail: detail.into() }
    }

    /// What a layer ends a connection with.
    pub(super) fn of_problem(problem: &Problem) -> Bye {
        Bye::new(1008, problem.reason(), problem.detail())
    }

    /// The last message.
    pub(super) fn message(&self) -> Value {
        json!({ "kind": "bye", "reason": self.word, "detail": self.detail })
    }

    /// The close frame after it.
    pub(super) fn frame(&self) -> CloseFrame {
        CloseFrame { code: self.code, reason: self.word.into() }
    }

    /// The reason for a socket error; none if the connection is gone.
    fn of(error: &SocketError) -> Option<Bye> {
        use ProtocolError::{ReceivedAfterClosing, ResetWithoutClosingHandshake, SendAfterClosing};
        let too_large = format!("A message has at most {} bytes, and so has a frame.", MESSAGE_BYTES_MAX);
        match error {
            SocketError::Protocol(ReceivedAfterClosing | ResetWithoutClosingHandshake | SendAfterClosing) => None,
            SocketError::Protocol(wrong) => Some(Bye::new(1002, "protocol", format!("{wrong}."))),
            SocketError::Utf8(_) => Some(Bye::new(1007, "not-utf-8", "A text message has to be UTF-8.")),
            SocketError::Capacity(_) => Some(Bye::new(1009, "too-large", too_large)),
            _ => None,
        }
    }
}

/// A connection's end, with the reason.
pub(super) fn bye(code: CloseCode, word: &'static str, detail: &str) -> End {
    End::Bye(Bye::new(code, word, detail))
}

impl From<axum::Error> for End {
    fn from(error: axum::Error) -> End {
        let error = error.into_inner();
        error.downcast_ref().and_then(Bye::of).map_or(End::Gone, End::Bye)
    }
}
