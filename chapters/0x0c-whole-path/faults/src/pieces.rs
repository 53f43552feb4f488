//! An answer leaves through a buffer in two pieces, head and body, and its socket has no `TCP_NODELAY`.
//!
//! So the system holds the second piece back until the client has acknowledged the first. A client that has nothing to send does
//! that some 40 ms later.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::HeaderMap;
use axum::response::Response;
use futures_util::stream;
use gateway::front::Front;
use gateway::layer::Layer;
use gateway::watch::{Follow, Passed, Watch};
use market::{Sequence, Ticket};
use tokio::net::TcpStream;
use whole_path::layer::WholePath;

/// Around what watches the connections already.
pub struct Pieces(pub Arc<WholePath>);

impl Layer for Pieces {}

impl Front for Pieces {
    fn socket(&self, socket: &TcpStream) {
        let _ = socket.set_nodelay(false);
    }

    fn watch(self: Arc<Self>) -> Option<Arc<dyn Watch>> {
        Some(Arc::new(Watching(Arc::clone(&self.0).watch()?)))
    }
}

struct Watching(Arc<dyn Watch>);

impl Watch for Watching {
    fn read(&self) {
        self.0.read();
    }

    fn written(&self) {
        self.0.written();
    }

    fn begin(self: Arc<Self>, headers: Option<&HeaderMap>) -> Arc<dyn Follow> {
        Arc::new(Following(Arc::clone(&self.0).begin(headers)))
    }

    fn told(&self, shard: u16, sequence: Sequence) {
        self.0.told(shard, sequence);
    }
}

struct Following(Arc<dyn Follow>);

impl Follow for Following {
    fn passed(&self, passed: Passed) {
        self.0.passed(passed);
    }

    fn handed_back(&self, ticket: Ticket) {
        self.0.handed_back(ticket);
    }

    fn respond(&self, response: &mut Response) {
        self.0.respond(response);
        let body = std::mem::take(response.body_mut());
        let later = async {
            // The head is written meanwhile.
            tokio::task::yield_now().await;
            to_bytes(body, usize::MAX).await
        };
        *response.body_mut() = Body::from_stream(stream::once(later));
    }
}
