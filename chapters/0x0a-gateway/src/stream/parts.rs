//! What layers add to a connection.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use axum::extract::ws::Utf8Bytes;
use serde_json::Value;

use super::end::{Bye, End};
use crate::front::{Fronts, Part};
use crate::problem::Problem;
use crate::reply::Session;
use crate::venue::Venue;
use crate::watch::Watcher;

/// The parts of all layers.
pub(super) struct Parts(Vec<Box<dyn Part>>);

impl Parts {
    /// New parts for a connection.
    pub(super) fn new(fronts: &Fronts) -> Parts {
        Parts(fronts.iter().filter_map(|front| Arc::clone(front).part()).collect())
    }

    /// Does what a message asks for that is none of this chapter's, if it is one of a layer's.
    pub(super) fn obey(
        &mut self,
        venue: &Venue,
        session: Option<Session>,
        said: &str,
    ) -> Option<Result<Value, Problem>> {
        let message: Value = if self.0.is_empty() { return None } else { serde_json::from_str(said).ok()? };
        self.0.iter_mut().find_map(|part| part.obey(venue, session, &message))
    }

    /// Whether one of them sends better notices than the connection itself.
    pub(super) fn replace_notices(&self) -> bool {
        self.0.iter().any(|part| part.replaces_notices())
    }

    /// Waits until one of them may have something to send; for ever where there are none.
    pub(super) async fn ready(&mut self) {
        let mut ready: Vec<_> = self.0.iter_mut().map(|part| part.ready()).collect();
        poll_fn(|context| match ready.iter_mut().any(|ready| ready.as_mut().poll(context).is_ready()) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }

    /// What they send now, and whether the connection ends after that: a layer's last message may be what its client
    /// needs to go on.
    pub(super) fn take(&mut self, venue: &Venue, watcher: &Watcher) -> (Vec<Utf8Bytes>, Result<(), End>) {
        let mut messages = Vec::new();
        let mut take = |part: &mut Box<dyn Part>| part.take(venue, watcher, &mut messages);
        let taken = self.0.iter_mut().try_for_each(&mut take);
        (messages, taken.map_err(|problem| End::Bye(Bye::of_problem(&problem))))
    }
}
