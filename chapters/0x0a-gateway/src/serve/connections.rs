//! Connections: which are taken, and what is done with one until its client or the venue ends it.
//!
//! HTTP/1.1 is spoken with everybody. HTTP/2 is spoken where the venue was told to: it brings ways to ask for much with few
//! bytes, and what it gains here has to be measured first.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
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

/// How many requests a connection may have under way over HTTP/2.
const STREAMS_MAX: u32 = 128;

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
    spoken: Spoken,
    refused: Arc<Semaphore>,
}

/// How one speaks with clients.
#[derive(Clone, Default)]
pub struct Spoken {
    /// Encrypted, or not.
    pub tls: Option<TlsAcceptor>,
    /// Whether HTTP/2 is spoken too.
    pub http2: bool,
    /// Whether a proxy says who is at the other end.
    pub is_behind_proxy: bool,
}

impl Connections {
    /// Connections to these routes.
    pub fn new(venue: &Arc<Venue>, routes: Router, spoken: Spoken) -> Connections {
        let (service, refused) = (TowerToHyperService::new(routes), Arc::new(Semaphore::new(REFUSED_MAX)));
        Connections { venue: Arc::clone(venue), service, spoken, refused }
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
        let (venue, service) = (Arc::clone(&self.venue), self.service.clone());
        let who = Who { peer, is_behind_proxy: self.spoken.is_behind_proxy, http2: self.spoken.http2, held };
        let Some(tls) = self.spoken.tls.clone() else {
            tokio::spawn(serve(venue, service, stream, who));
            return;
        };
        tokio::spawn(async move {
            // Who does not greet, or in another way, is no error of ours.
            if let Ok(Ok(stream)) = tokio::time::timeout(HEAD_TIME, tls.accept(stream)).await {
                serve(venue, service, stream, who).await;
            }
        });
    }

    /// Says why, where the client can be told without more ado.
    fn refuse(&self, mut stream: TcpStream) {
        let Ok(turn) = Arc::clone(&self.refused).try_acquire_owned() else { return };
        if self.spoken.tls.is_some() {
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

/// Who is at the other end of a connection.
struct Who {
    peer: IpAddr,
    is_behind_proxy: bool,
    /// Whether it may speak HTTP/2.
    http2: bool,
    held: Held<IpAddr>,
}

/// Serves one connection until its client or the venue ends it.
async fn serve(
    venue: Arc<Venue>,
    service: TowerToHyperService<Router>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    who: Who,
) {
    let mut over = venue.over.subscribe();
    let Who { peer, is_behind_proxy, http2, held } = who;
    let (held, has_asked) = (Arc::new(held), Arc::new(AtomicBool::new(false)));
    let asked = Arc::clone(&has_asked);
    let service = service_fn(move |mut request: Request<Incoming>| {
        asked.store(true, Ordering::Relaxed);
        let peer = if is_behind_proxy { Peer::forwarded(&request).unwrap_or(Peer(peer)) } else { Peer(peer) };
        // Who takes the connection over holds it too.
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(Arc::clone(&held));
        service.call(request)
    });
    let stream = TokioIo::new(stream);
    // A client that goes away, or sends what is no HTTP, is no error of ours.
    if !http2 {
        let mut connection = std::pin::pin!(one().serve_connection(stream, service).with_upgrades());
        return tokio::select! {
            _ = connection.as_mut() => {}
            _ = over.changed() => {
                connection.as_mut().graceful_shutdown();
                let _ = connection.await;
            }
        };
    }
    let both = both();
    let mut connection = std::pin::pin!(both.serve_connection_with_upgrades(stream, service));
    // A head of HTTP/1.1 has its own limit of time. But who says nothing has not even said which HTTP it speaks.
    let nothing_said = async {
        tokio::time::sleep(HEAD_TIME).await;
        if has_asked.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        _ = connection.as_mut() => {}
        () = nothing_said => {}
        _ = over.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// What is a little too much is refused in words, what is far too much by the library.
const FAR_TOO_MUCH: usize = 8 * HEAD_BYTES_MAX;

/// HTTP/1.1 alone.
fn one() -> http1::Builder {
    let mut one = http1::Builder::new();
    one.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).half_close(false).max_buf_size(FAR_TOO_MUCH);
    one
}

/// HTTP/1.1 or HTTP/2, whatever the client's first words are. This builder can't be told to speak one alone: where
/// connections may be taken over, it looks at the first words all the same.
fn both() -> Builder<TokioExecutor> {
    let mut both = Builder::new(TokioExecutor::new());
    let mut one = both.http1();
    one.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).half_close(false).max_buf_size(FAR_TOO_MUCH);
    let mut two = both.http2();
    two.timer(TokioTimer::new()).max_header_list_size(FAR_TOO_MUCH as u32).max_concurrent_streams(STREAMS_MAX);
    // Who is gone without a word is not held for ever.
    two.keep_alive_interval(HEAD_TIME).keep_alive_timeout(HEAD_TIME);
    both
}

/// How many files the system lets this program have open, if it says so.
pub fn open_files_max() -> Option<u32> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}
