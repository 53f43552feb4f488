//! A stream that fails when its client reads nothing for too long.
//!
//! An answer stays in memory until its client has read it. A client that asks and never reads would keep it there, and
//! the connection open, for as long as it likes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream with a limit on the time that a write may make no progress.
pub struct Impatient<S> {
    stream: S,
    patience: Duration,
    /// Runs while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Impatient<S> {
    /// This stream, whose writes wait for at most this long.
    pub fn new(stream: S, patience: Duration) -> Impatient<S> {
        Impatient { stream, patience, waiting: None }
    }

    fn limited<T>(&mut self, context: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.waiting = None;
            return polled;
        }
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(self.patience)));
        waiting.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limited(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.limited(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        self.limited(context, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(context);
        self.limited(context, polled)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::body::{Body, Bytes};
    use axum::extract::Request;
    use axum::response::Response;
    use hyper::body::Incoming;
    use hyper::server::conn::http1;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    use tokio::task::JoinHandle;

    use super::*;

    /// A longer wait means that something is stuck. Not a measurement.
    const STUCK: Duration = Duration::from_secs(60);

    /// How long the server waits here.
    const PATIENCE: Duration = Duration::from_millis(500);

    static ANSWER: [u8; 200_000] = [b'a'; 200_000];

    /// A client that has asked for an answer larger than what lies between the two, and its connection at the server.
    async fn asked(patience: Duration) -> (DuplexStream, JoinHandle<hyper::Result<()>>) {
        let (server, mut client) = duplex(1_000);
        let answer = |_: Request<Incoming>| async {
            Ok::<_, Infallible>(Response::new(Body::from(Bytes::from_static(&ANSWER))))
        };
        let stream = TokioIo::new(Impatient::new(server, patience));
        let served = tokio::spawn(http1::Builder::new().serve_connection(stream, service_fn(answer)));
        client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.expect("it is read");
        (client, served)
    }

    #[tokio::test]
    async fn clients_that_do_not_read_are_left() {
        let mut all = Vec::new();
        for _ in 0..100 {
            all.push(asked(PATIENCE).await);
        }
        for (client, served) in all {
            let ended = tokio::time::timeout(STUCK, served).await.expect("the server waits for ever");
            assert!(ended.expect("it does not panic").is_err());
            drop(client);
        }
    }

    #[tokio::test]
    async fn a_slow_client_is_served() {
        let (mut client, served) = asked(Duration::from_secs(2)).await;
        let (mut piece, mut all) = ([0; 1_000], 0);
        // All its pauses together are longer than the server waits, and none of them is nearly as long.
        loop {
            tokio::time::sleep(Duration::from_millis(15)).await;
            match client.read(&mut piece).await.expect("it is served") {
                0 => break,
                read => all += read,
            }
        }
        assert!(all > ANSWER.len(), "the head, and everything");
        assert!(served.await.expect("it does not panic").is_ok());
    }
}
