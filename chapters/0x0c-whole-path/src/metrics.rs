//! `/metrics`, for Prometheus: names, units and types as its users expect them, and no label that a client can choose.
//!
//! It has an address of its own, which is not the public one. What is shown was counted already; a scrape takes no lock that an
//! order waits for, except the collector's, while it copies.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use program::tell;
use prometheus_client::encoding::{prometheus_text, text};
use prometheus_client::registry::Registry;
use tokio::net::TcpStream;
use tokio::task::AbortHandle;

/// How many scrapers are served at once. When another comes, the oldest is cut off: an honest one is through in milliseconds, so
/// those that are silent go first, however many they are.
const SCRAPERS_MAX: usize = 64;

/// How long a scraper may take. One that never reads is cut off.
const PATIENCE: Duration = Duration::from_secs(5);

/// How much of a request is read, in bytes: its head, which no honest scraper fills.
const HEAD_BYTES_MAX: usize = 16 << 10;

/// What a scrape shows; none when that has ended.
pub type Shows = Arc<dyn Fn() -> Option<Registry> + Send + Sync>;

/// Serves the metrics until that is over, on the runtime from which it is called.
pub fn serve(listener: TcpListener, shows: Shows, over: impl Future<Output = ()> + Send + 'static) {
    let listener = listener.set_nonblocking(true).and_then(|()| tokio::net::TcpListener::from_std(listener));
    let listener = match listener {
        Ok(listener) => listener,
        Err(error) => return tell(format_args!("the metrics can't be served: {error}")),
    };
    tokio::spawn(async move {
        tokio::select! {
            () = accept(listener, &shows) => {}
            () = over => {}
        }
    });
}

// ANCHOR: accept
async fn accept(listener: tokio::net::TcpListener, shows: &Shows) {
    let mut newest = VecDeque::<AbortHandle>::with_capacity(SCRAPERS_MAX);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(200)).await;
            continue;
        };
        if newest.len() == SCRAPERS_MAX {
            newest.pop_front().inspect(AbortHandle::abort);
        }
        let one = one(stream, Arc::clone(shows));
        newest.push_back(tokio::spawn(tokio::time::timeout(PATIENCE, one)).abort_handle());
    }
}
// ANCHOR_END: accept

/// Serves one scraper.
async fn one(stream: TcpStream, shows: Shows) {
    let service =
        service_fn(|request: Request<Incoming>| std::future::ready(Ok::<_, Infallible>(respond(&request, &shows))));
    let mut one = http1::Builder::new();
    one.timer(TokioTimer::new()).keep_alive(false).max_buf_size(HEAD_BYTES_MAX);
    // A scraper that is gone, or does not speak HTTP, is not an error of ours.
    let _ = one.serve_connection(TokioIo::new(stream), service).await;
}

fn plain(status: StatusCode, text: String) -> Response<String> {
    let mut response = Response::new(text);
    *response.status_mut() = status;
    response
}

fn respond(request: &Request<Incoming>, shows: &Shows) -> Response<String> {
    if request.uri().path() != "/metrics" {
        return plain(StatusCode::NOT_FOUND, "The metrics are at /metrics.\n".into());
    }
    if request.method() != Method::GET {
        let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, String::new());
        response.headers_mut().insert(ALLOW, hyper::header::HeaderValue::from_static("GET"));
        return response;
    }
    let accepts = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let Some(registry) = shows() else { return plain(StatusCode::SERVICE_UNAVAILABLE, String::new()) };
    let mut text = String::new();
    // Writing into a string does not fail.
    let kind = if accepts.contains("application/openmetrics-text") {
        let _ = text::encode(&mut text, &registry);
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    } else {
        let _ = prometheus_text::encode(&mut text, &registry);
        "text/plain; version=0.0.4; charset=utf-8"
    };
    let mut response = plain(StatusCode::OK, text);
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    response
}
