//! Connections: which ones are accepted, and how one is served until its client or the venue ends it.
//!
//! HTTP/1.1 is always available. HTTP/2 is optional: it lets a client request much with few bytes, and its benefit here
//! has to be measured first.

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
use program::lines::tell_often;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use crate::front::{Fronts, watcher};
use crate::http::answer;
use crate::http::extract::Peer;
use crate::http::sizes::HEAD_BYTES_MAX;
use crate::limits::held::Held;
use crate::problem::{Problem, Why};
use crate::serve::impatient::Impatient;
use crate::venue::Venue;
use crate::watch::{Watched, Watcher, follow};

/// How long a client may take for the TLS handshake and for the head of a request, and how long it may be idle.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long a client may read nothing of what is to be sent to it.
const WRITE_TIME: Duration = Duration::from_secs(30);

/// How many requests a connection may have in flight over HTTP/2.
const STREAMS_MAX: u32 = 128;

/// How long to pause accepting after the system fails to give a connection.
const PAUSE: Duration = Duration::from_millis(200);

/// How many refused clients get an answer at the same time. Others are only closed.
const REFUSED_MAX: usize = 64;

/// How long such a client may take to read it.
const REFUSE_TIME: Duration = Duration::from_secs(1);

/// Accepts connections.
pub struct Connections {
    venue: Arc<Venue>,
    fronts: Fronts,
    service: TowerToHyperService<Router>,
    spoken: Spoken,
    refused: Arc<Semaphore>,
}

/// The protocols spoken with clients.
#[derive(Clone, Default)]
pub struct Spoken {
    /// TLS, or none.
    pub tls: Option<TlsAcceptor>,
    /// Whether HTTP/2 is offered too.
    pub http2: bool,
    /// Whether a proxy names the client's address.
    pub is_behind_proxy: bool,
}

impl Connections {
    /// Connections to these routes.
    pub fn new(venue: &Arc<Venue>, fronts: &Fronts, routes: Router, spoken: Spoken) -> Connections {
        let (service, refused) = (TowerToHyperService::new(routes), Arc::new(Semaphore::new(REFUSED_MAX)));
        Connections { venue: Arc::clone(venue), fronts: Arc::clone(fronts), service, spoken, refused }
    }

    /// Accepts all connections, until this is dropped.
    pub async fn accept(&self, listener: TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => self.take(stream, peer.ip()),
                // Too many files are open, or the client is already gone: others can still be served.
                Err(error) => {
                    tell_often("not-accepted", format_args!("a connection was not accepted: {error}"));
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    fn take(&self, stream: TcpStream, peer: IpAddr) {
        // Otherwise the system delays small writes by up to 40 ms.
        let _ = stream.set_nodelay(true);
        self.fronts.iter().for_each(|front| front.socket(&stream));
        let held = match self.venue.door.limits.connection(peer) {
            Ok(held) => held,
            Err(_) => return self.refuse(stream),
        };
        let (venue, service) = (Arc::clone(&self.venue), self.service.clone());
        let (is_behind_proxy, http2, watcher) = (self.spoken.is_behind_proxy, self.spoken.http2, watcher(&self.fronts));
        let who = Who { peer, is_behind_proxy, http2, held, watcher };
        let Some(tls) = self.spoken.tls.clone() else {
            tokio::spawn(serve_watched(venue, service, stream, who));
            return;
        };
        tokio::spawn(async move {
            // A failed handshake is not an error of ours.
            if let Ok(Ok(stream)) = tokio::time::timeout(HEAD_TIME, tls.accept(stream)).await {
                serve_watched(venue, service, stream, who).await;
            }
        });
    }

    /// Tells the client why, if that is cheap.
    fn refuse(&self, mut stream: TcpStream) {
        let Ok(turn) = Arc::clone(&self.refused).try_acquire_owned() else { return };
        if self.spoken.tls.is_some() {
            return;
        }
        tokio::spawn(async move {
            let _turn = turn;
            let told = async {
                // Closing a connection with unread input may discard the last output.
                let _ = stream.read(&mut [0; 4_096]).await;
                let _ = stream.write_all(&Problem::new(Why::TooManyConnections).whole()).await;
                let _ = stream.shutdown().await;
            };
            let _ = tokio::time::timeout(REFUSE_TIME, told).await;
        });
    }
}

/// The client of a connection.
struct Who {
    peer: IpAddr,
    is_behind_proxy: bool,
    /// Whether it may use HTTP/2.
    http2: bool,
    held: Held<IpAddr>,
    watcher: Watcher,
}

/// Serves one connection, whose watcher learns when bytes are read and written.
async fn serve_watched(
    venue: Arc<Venue>,
    service: TowerToHyperService<Router>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    who: Who,
) {
    let stream = Impatient::new(stream, WRITE_TIME);
    match &who.watcher.0 {
        Some(watch) => serve(venue, service, Watched::new(stream, Arc::clone(watch)), who).await,
        None => serve(venue, service, stream, who).await,
    }
}

/// Serves one connection until its client or the venue ends it.
async fn serve(
    venue: Arc<Venue>,
    service: TowerToHyperService<Router>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    who: Who,
) {
    let mut over = venue.over.subscribe();
    let Who { peer, is_behind_proxy, http2, held, watcher } = who;
    let (held, has_asked) = (Arc::new(held), Arc::new(AtomicBool::new(false)));
    let asked = Arc::clone(&has_asked);
    let service = service_fn(move |mut request: Request<Incoming>| {
        asked.store(true, Ordering::Relaxed);
        let peer = if is_behind_proxy { Peer::forwarded(&request).unwrap_or(Peer(peer)) } else { Peer(peer) };
        // A WebSocket that takes the connection over keeps its slot too.
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(Arc::clone(&held));
        let following = watcher.0.as_ref().map(|watch| Arc::clone(watch).begin(Some(request.headers())));
        request.extensions_mut().insert(watcher.clone());
        let service = service.clone();
        follow(following, answer(request, move |request| service.call(request)))
    });
    let stream = TokioIo::new(stream);
    // A client that disconnects, or does not send HTTP, is not an error of ours.
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
    // The library limits the time for a head of HTTP/1.1. But a client that sends nothing has not even chosen a
    // version.
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

/// Slightly too large heads get our own problem, much larger ones the library's.
const FAR_TOO_MUCH: usize = 8 * HEAD_BYTES_MAX;

/// HTTP/1.1 alone.
fn one() -> http1::Builder {
    let mut one = http1::Builder::new();
    one.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).half_close(false).max_buf_size(FAR_TOO_MUCH);
    one
}

/// HTTP/1.1 or HTTP/2, depending on the client's first bytes. This builder can't be restricted to one of them: with
/// upgrades it looks at the first bytes anyway.
fn both() -> Builder<TokioExecutor> {
    let mut both = Builder::new(TokioExecutor::new());
    let mut one = both.http1();
    one.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).half_close(false).max_buf_size(FAR_TOO_MUCH);
    let mut two = both.http2();
    two.timer(TokioTimer::new()).max_header_list_size(FAR_TOO_MUCH as u32).max_concurrent_streams(STREAMS_MAX);
    // A client that vanished silently is not kept for ever.
    two.keep_alive_interval(HEAD_TIME).keep_alive_timeout(HEAD_TIME);
    both
}

/// How many files the system lets this program have open, if it reports that.
pub fn open_files_max() -> Option<u32> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}
