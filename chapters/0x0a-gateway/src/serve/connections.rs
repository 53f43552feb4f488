//! Connections: which are taken, and what is done with one until its client or the venue ends it.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use program::tell;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use crate::http::extract::Peer;
use crate::http::sizes::HEAD_BYTES_MAX;
use crate::limits::held::Held;
use crate::problem::{Problem, Why};
use crate::venue::Venue;

/// How long a client may take for a greeting in TLS, and for the head of a request; so long it may also be silent.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long nothing is taken when the system gives no connection.
const PAUSE: Duration = Duration::from_millis(200);

/// How many who can't be served are told so at once. The others are only closed.
const REFUSED_MAX: usize = 64;

/// How long such a client may take to hear it.
const REFUSE_TIME: Duration = Duration::from_secs(1);

/// Takes connections.
pub struct Connections {
    venue: Arc<Venue>,
    service: TowerToHyperService<Router>,
    tls: Option<TlsAcceptor>,
    /// Whether a proxy says who is at the other end.
    is_behind_proxy: bool,
    refused: Arc<Semaphore>,
}

impl Connections {
    /// Connections to these routes.
    pub fn new(venue: &Arc<Venue>, routes: Router, tls: Option<TlsAcceptor>, is_behind_proxy: bool) -> Connections {
        let (service, refused) = (TowerToHyperService::new(routes), Arc::new(Semaphore::new(REFUSED_MAX)));
        Connections { venue: Arc::clone(venue), service, tls, is_behind_proxy, refused }
    }

    /// Takes all that come, until this is dropped.
    pub async fn accept(&self, listener: TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => self.take(stream, peer.ip()),
                // Too many files are open, or the client is gone already: others may be served all the same.
                Err(error) => {
                    tell(format_args!("a connection was not taken: {error}"));
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    fn take(&self, stream: TcpStream, peer: IpAddr) {
        // Without this the system waits for more to send, up to 40 ms.
        let _ = stream.set_nodelay(true);
        let held = match self.venue.door.limits.connection(peer) {
            Ok(held) => held,
            Err(_) => return self.refuse(stream),
        };
        let Some(tls) = self.tls.clone() else { return self.serve(stream, peer, held) };
        let (venue, service, is_behind_proxy) = (Arc::clone(&self.venue), self.service.clone(), self.is_behind_proxy);
        tokio::spawn(async move {
            // Who does not greet, or in another way, is no error of ours.
            if let Ok(Ok(stream)) = tokio::time::timeout(HEAD_TIME, tls.accept(stream)).await {
                serve(venue, service, stream, peer, is_behind_proxy, held).await;
            }
        });
    }

    fn serve(&self, stream: TcpStream, peer: IpAddr, held: Held<IpAddr>) {
        let (venue, service) = (Arc::clone(&self.venue), self.service.clone());
        tokio::spawn(serve(venue, service, stream, peer, self.is_behind_proxy, held));
    }

    /// Says why, where the client can be told without more ado.
    fn refuse(&self, mut stream: TcpStream) {
        let Ok(turn) = Arc::clone(&self.refused).try_acquire_owned() else { return };
        if self.tls.is_some() {
            return;
        }
        tokio::spawn(async move {
            let _turn = turn;
            let told = async {
                // A connection that is closed with something unread may lose what was said last.
                let _ = stream.read(&mut [0; 4_096]).await;
                let _ = stream.write_all(&Problem::new(Why::TooManyConnections).whole()).await;
                let _ = stream.shutdown().await;
            };
            let _ = tokio::time::timeout(REFUSE_TIME, told).await;
        });
    }
}

/// Serves one connection until its client or the venue ends it.
async fn serve(
    venue: Arc<Venue>,
    service: TowerToHyperService<Router>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: IpAddr,
    is_behind_proxy: bool,
    held: Held<IpAddr>,
) {
    let mut over = venue.over.subscribe();
    let held = Arc::new(held);
    let service = service_fn(move |mut request: Request<Incoming>| {
        let peer = if is_behind_proxy { Peer::forwarded(&request).unwrap_or(Peer(peer)) } else { Peer(peer) };
        // Who takes the connection over holds it too.
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(Arc::clone(&held));
        service.call(request)
    });
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).half_close(false);
    // What is a little too much is refused in words, what is far too much by the library.
    builder.max_buf_size(8 * HEAD_BYTES_MAX);
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service).with_upgrades());
    // A client that goes away, or sends what is no HTTP, is no error of ours.
    tokio::select! {
        _ = connection.as_mut() => {}
        _ = over.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// How many files the system lets this program have open, if it says so.
pub fn open_files_max() -> Option<u32> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}
