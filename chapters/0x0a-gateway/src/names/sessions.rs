//! Which key opens which session. A session has one key, and a key opens one session: the one that got it last.

use std::collections::HashMap;

use crate::keys::KeyHash;
use crate::reply::Session;

/// The keys of all sessions.
#[derive(Default)]
pub struct Sessions {
    sessions: HashMap<KeyHash, Session>,
    keys: HashMap<Session, KeyHash>,
}

impl Sessions {
    /// The session that this key opens.
    pub fn with_key(&self, key: KeyHash) -> Option<Session> {
        self.sessions.get(&key).copied()
    }

    /// The key of this session.
    pub fn key_of(&self, session: Session) -> Option<KeyHash> {
        self.keys.get(&session).copied()
    }

    /// Makes this key the only one of this session.
    pub fn set(&mut self, key: KeyHash, session: Session) {
        if let Some(old) = self.keys.remove(&session) {
            self.sessions.remove(&old);
        }
        if let Some(other) = self.sessions.insert(key, session) {
            self.keys.remove(&other);
        }
        self.keys.insert(session, key);
    }
}
