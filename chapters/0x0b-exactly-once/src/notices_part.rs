//! Notices over WebSocket: `{"id":7,"do":"notices","after":"…"}`, and then each notice with its cursor.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use gateway::front::{Part, Ready};
use gateway::problem::{Problem, Why};
use gateway::reply::Session;
use gateway::venue::Venue;
use gateway::watch::Watcher;
use serde_json::{Value, json};

use crate::notices::feed::{Feed, Told};
use crate::notices::reader::Notices;
use crate::notices::tell::wrong;

/// One connection's notices.
pub struct NoticesPart {
    notices: Arc<Notices>,
    feed: Option<Feed>,
}

impl NoticesPart {
    /// No notices are asked for yet.
    pub fn new(notices: &Arc<Notices>) -> NoticesPart {
        NoticesPart { notices: Arc::clone(notices), feed: None }
    }

    fn begin(&mut self, session: Option<Session>, message: &Value) -> Result<Value, Problem> {
        let Some(Session::Account(account)) = session else {
            return Err(Problem::because(Why::Unauthenticated, "Log in first, with the key of an account."));
        };
        let after = match &message["after"] {
            Value::Null => None,
            Value::String(after) => Some(after.as_str()),
            _ => return Err(Problem::because(Why::BadRequest, "The field after is a cursor, in quotation marks.")),
        };
        let cursor = self.notices.cursor(after).map_err(wrong)?;
        let done = json!({ "cursor": cursor.to_string() });
        self.feed = Some(Feed::new(&self.notices, account, cursor));
        Ok(done)
    }
}

impl Part for NoticesPart {
    fn obey(&mut self, _: &Venue, session: Option<Session>, message: &Value) -> Option<Result<Value, Problem>> {
        (message["do"] == "notices").then(|| self.begin(session, message))
    }

    fn replaces_notices(&self) -> bool {
        self.feed.is_some()
    }

    fn ready(&mut self) -> Ready<'_> {
        match &mut self.feed {
            Some(feed) => Box::pin(feed.ready()),
            None => Box::pin(std::future::pending()),
        }
    }

    fn take(&mut self, _: &Venue, watcher: &Watcher, messages: &mut Vec<Utf8Bytes>) -> Result<(), Problem> {
        let Some(feed) = &mut self.feed else { return Ok(()) };
        feed.take(|told| match told {
            Told::Notice { text, shard, sequence, .. } => {
                watcher.told(shard, sequence);
                messages.push(text.into());
            }
            Told::Gone(first) => {
                messages.push(json!({ "kind": "gone", "cursor": first }).to_string().into());
            }
            Told::Come(_) => {}
        })
    }
}
