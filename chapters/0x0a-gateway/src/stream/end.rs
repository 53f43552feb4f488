//! How a connection ends: its client is told why, in a last message and in the frame that closes it.
//!
//! | code | word | when |
//! |---|---|---|
//! | 1001 | `draining` | the venue is about to stop |
//! | 1002 | `protocol` | what came is no WebSocket: not masked, reserved bits, a control frame too long |
//! | 1003 | `not-text` | bytes where text was agreed on |
//! | 1007 | `not-utf-8`, `no-commands` | a message that says it is text and is not, or holds no commands |
//! | 1008 | `unauthenticated`, `too-slow`, `too-many-requests` | bytes before a login, notices that nobody takes, too much at once |
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
    /// It is told why.
    Bye(Bye),
}

/// What a client is told last.
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

    /// The frame behind it.
    pub(super) fn frame(&self) -> CloseFrame {
        CloseFrame { code: self.code, reason: self.word.into() }
    }

    /// What is wrong with what came; none where the connection is gone.
    fn of(error: &SocketError) -> Option<Bye> {
        use ProtocolError::{ReceivedAfterClosing, ResetWithoutClosingHandshake, SendAfterClosing};
        let too_large = format!("A message has at most {} bytes, and so has a frame.", MESSAGE_BYTES_MAX);
        match error {
            SocketError::Protocol(ReceivedAfterClosing | ResetWithoutClosingHandshake | SendAfterClosing) => None,
            SocketError::Protocol(wrong) => Some(Bye::new(1002, "protocol", format!("{wrong}."))),
            SocketError::Utf8(_) => Some(Bye::new(1007, "not-utf-8", "A message of text is UTF-8.")),
            SocketError::Capacity(_) => Some(Bye::new(1009, "too-large", too_large)),
            _ => None,
        }
    }
}

impl From<axum::Error> for End {
    fn from(error: axum::Error) -> End {
        let error = error.into_inner();
        error.downcast_ref().and_then(Bye::of).map_or(End::Gone, End::Bye)
    }
}
