//! One client's part of a load over HTTP: it sends a request, waits for the answer, and sends the next.

use std::net::SocketAddr;
use std::time::Instant;

use hdrhistogram::Histogram;
use hyper::Method;
use hyper::body::Bytes;

use crate::client::{ClientError, Http};

/// The request that is repeated.
#[derive(Clone)]
pub struct Question {
    method: Method,
    path: &'static str,
    key: String,
    body: Bytes,
}

impl Question {
    /// A handler that does nothing.
    pub fn empty() -> Question {
        Question { method: Method::GET, path: "/healthz", key: String::new(), body: Bytes::new() }
    }

    /// An order of the account with this key.
    pub fn order(key: &str, body: String) -> Question {
        Question { method: Method::POST, path: "/v1/orders", key: key.to_owned(), body: Bytes::from(body) }
    }

    async fn put(&self, http: &mut Http) -> Result<(), ClientError> {
        let (status, body) = http.ask(self.method.clone(), self.path, &self.key, self.body.clone()).await?;
        let words = || ClientError::Answer(format!("{status} {}", String::from_utf8_lossy(&body)));
        (status < 300).then_some(()).ok_or_else(words)
    }
}

/// One client's results.
pub struct Asked {
    /// How many answers it got.
    pub answers: u64,
    /// The time from request to answer.
    pub waits: Histogram<u64>,
}

impl Asked {
    fn nothing() -> Asked {
        Asked { answers: 0, waits: histogram() }
    }

    fn answered(&mut self, wait: std::time::Duration) {
        self.waits.saturating_record(wait.as_nanos() as u64);
        self.answers += 1;
    }
}

/// Waits in nanoseconds, up to a minute, with three digits.
pub fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000_000, 3).expect("bounds that fit")
}

/// Repeats the request over this connection.
///
/// # Errors
/// If it breaks, or the answer is a problem.
pub async fn ask(mut http: Http, question: &Question, until: Instant) -> Result<Asked, ClientError> {
    let (mut asked, mut began) = (Asked::nothing(), Instant::now());
    while began < until {
        question.put(&mut http).await?;
        let now = Instant::now();
        asked.answered(now - began);
        began = now;
    }
    Ok(asked)
}

/// Repeats the request, each time over a new connection.
///
/// # Errors
/// As [`ask`].
pub async fn ask_anew(address: SocketAddr, question: &Question, until: Instant) -> Result<Asked, ClientError> {
    let mut asked = Asked::nothing();
    while Instant::now() < until {
        let began = Instant::now();
        question.put(&mut Http::connect(address).await?).await?;
        asked.answered(began.elapsed());
    }
    Ok(asked)
}
