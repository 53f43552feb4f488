//! What a layer may learn of a connection and of the requests on it: when something has happened.
//!
//! A venue without such a layer reads no clock for it. Each stamp is one call of [`Follow::passed`], where the request passes
//! from one thread or protocol to the next.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;
use market::{Sequence, Ticket};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How far a request has come, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Passed {
    /// Its message was read, and its commands are known.
    Parsed,
    /// It stands in the queue to the engine's thread.
    Entered,
    /// The engine's thread has it.
    Taken,
    /// The answers are on their way to the connection's task.
    Answered,
    /// The connection's task has put them into the form of its protocol.
    Encoded,
}

/// Follows one request.
pub trait Follow: Send + Sync {
    /// It has come so far. A door around a door answers a request twice: the last time counts.
    fn passed(&self, passed: Passed);

    /// The replies thread has what the last of its commands led to.
    fn handed_back(&self, ticket: Ticket);

    /// Sees its response over HTTP, and may add headers.
    fn respond(&self, _response: &mut Response) {}
}

/// Watches one connection.
pub trait Watch: Send + Sync {
    /// Bytes were read from its socket.
    fn read(&self);

    /// Bytes were written to its socket.
    fn written(&self);

    /// A request begins, over HTTP with these headers.
    fn begin(self: Arc<Self>, headers: Option<&HeaderMap>) -> Arc<dyn Follow>;

    /// What this command led to is about to be sent to an account that it concerns.
    fn told(&self, shard: u16, sequence: Sequence);
}

/// A request's follower, if it has one.
pub type Following = Option<Arc<dyn Follow>>;

/// A connection's watcher, if it has one.
#[derive(Clone, Default)]
pub struct Watcher(pub Option<Arc<dyn Watch>>);

impl Watcher {
    /// A request begins that does not come over HTTP.
    pub fn begin(&self) -> Following {
        self.0.as_ref().map(|watch| Arc::clone(watch).begin(None))
    }

    /// What this command led to is about to be sent.
    pub fn told(&self, shard: u16, sequence: Sequence) {
        if let Some(watch) = &self.0 {
            watch.told(shard, sequence);
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Watcher {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Watcher, Infallible> {
        Ok(parts.extensions.get().cloned().unwrap_or_default())
    }
}

tokio::task_local! {
    /// The follower of the request over HTTP that this task serves.
    static FOLLOWING: Following;
}

/// The follower of the request over HTTP that the current task serves.
pub fn following() -> Following {
    FOLLOWING.try_with(Clone::clone).unwrap_or_default()
}

/// The same work with the follower of the current task's request, for a task of its own.
pub fn followed<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    FOLLOWING.scope(following(), work)
}

/// Serves a request over HTTP, with its follower.
///
/// # Errors
/// Those of `response`.
pub async fn follow<E>(
    following: Following,
    response: impl Future<Output = Result<Response, E>>,
) -> Result<Response, E> {
    let Some(follow) = following.clone() else { return response.await };
    let mut response = FOLLOWING.scope(following, response).await?;
    follow.passed(Passed::Encoded);
    follow.respond(&mut response);
    Ok(response)
}

/// A connection's stream, which tells its watcher when bytes were read and written.
pub struct Watched<S> {
    stream: S,
    watch: Arc<dyn Watch>,
}

impl<S> Watched<S> {
    /// This stream, watched.
    pub fn new(stream: S, watch: Arc<dyn Watch>) -> Watched<S> {
        Watched { stream, watch }
    }

    fn written(&self, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if matches!(polled, Poll::Ready(Ok(1..))) {
            self.watch.written();
        }
        polled
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, into);
        if into.filled().len() > before {
            self.watch.read();
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.written(polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
