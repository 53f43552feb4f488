//! What clients see of a layer: addresses over HTTP, messages over WebSocket, modules of the page.
//!
//! It stands above the venue, and a [`Layer`] below it, so that no module uses what uses it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use axum::routing::MethodRouter;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::layer::{Layer, Layers};
use crate::problem::Problem;
use crate::reply::Session;
use crate::venue::Venue;
use crate::watch::{Watch, Watcher};

/// All layers of a venue with what clients see of them, the innermost first.
pub type Fronts = Arc<[Arc<dyn Front>]>;

/// Addresses, and what answers there.
pub type Routes = Vec<(&'static str, MethodRouter<Arc<Venue>>)>;

/// What clients see of a layer.
pub trait Front: Layer {
    /// Addresses that this layer answers. One that a layer below answers too is then this layer's alone.
    fn routes(self: Arc<Self>) -> Routes {
        Vec::new()
    }

    /// Changes the description of all requests, which is that of the layers below.
    fn describe(&self, _openapi: &mut Value) {}

    /// This layer's part of one connection over WebSocket.
    fn part(self: Arc<Self>) -> Option<Box<dyn Part>> {
        None
    }

    /// A client's socket was accepted. A layer may set what the system does with it.
    fn socket(&self, _socket: &TcpStream) {}

    /// Watches one connection. The first layer that does is the only one.
    fn watch(self: Arc<Self>) -> Option<Arc<dyn Watch>> {
        None
    }

    /// The venue is open, and the runtime of its connections runs. A layer may start tasks of its own here.
    fn serving(self: Arc<Self>, _venue: &Arc<Venue>) {}

    /// Modules of the page, by their addresses below `/`.
    fn page(&self) -> &'static [PageFile] {
        &[]
    }
}

/// A file of the page.
#[derive(Clone, Copy)]
pub struct PageFile {
    /// Its address.
    pub path: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// What is in it.
    pub content: &'static str,
    /// Whether it is a module that exports `extend`: a function that takes the class of the page's account and returns
    /// one that does more.
    pub extends: bool,
}

/// Waits until a part has something to send.
pub type Ready<'p> = Pin<Box<dyn Future<Output = ()> + Send + 'p>>;

/// A layer's part of one connection over WebSocket.
pub trait Part: Send {
    /// Does what a message asks for, if its `do` is one of this layer's words.
    fn obey(&mut self, venue: &Venue, session: Option<Session>, message: &Value) -> Option<Result<Value, Problem>>;

    /// Whether the connection's own notices are to be left out, because this part sends better ones.
    fn replaces_notices(&self) -> bool {
        false
    }

    /// Waits until there may be something to send. At each sign of life [`take`](Part::take) is called all the same.
    fn ready(&mut self) -> Ready<'_>;

    /// Adds what is to be sent now, and no more than a client takes in a moment.
    ///
    /// # Errors
    /// Why the connection has to end. What was added is sent before it does.
    fn take(&mut self, venue: &Venue, watcher: &Watcher, messages: &mut Vec<Utf8Bytes>) -> Result<(), Problem>;
}

/// A watcher for a new connection, if a layer has one.
pub fn watcher(fronts: &Fronts) -> Watcher {
    Watcher(fronts.iter().find_map(|front| Arc::clone(front).watch()))
}

/// The same layers, as the venue knows them.
pub fn layers(fronts: &[Arc<dyn Front>]) -> Layers {
    fronts.iter().map(|front| Arc::clone(front) as Arc<dyn Layer>).collect()
}
