//! What the venue reports about a connection.

use std::sync::Arc;

use axum::http::HeaderMap;
use gateway::watch::{Follow, Watch};
use market::Sequence;

use crate::connection::Connection;
use crate::trace::Trace;

/// The watcher of a connection.
pub struct Watcher(pub Arc<Connection>);

impl Watch for Watcher {
    fn read(&self) {
        self.0.read();
    }

    fn written(&self) {
        self.0.written();
    }

    fn begin(self: Arc<Self>, headers: Option<&HeaderMap>) -> Arc<dyn Follow> {
        Arc::new(Trace::begin(Arc::clone(&self.0), headers))
    }

    fn told(&self, shard: u16, sequence: Sequence) {
        self.0.told(shard, sequence);
    }
}
