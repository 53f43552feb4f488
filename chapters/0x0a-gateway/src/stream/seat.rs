//! The session of a connection, and its slot among the connections which the account may have.

use market::AccountId;

use super::end::{Bye, End};
use crate::keys::KeyHash;
use crate::limits::held::Held;
use crate::problem::{Problem, Why};
use crate::reply::Session;
use crate::venue::Venue;

/// A session, counted as long as this value lasts.
pub(super) struct Seat {
    /// The session.
    pub session: Session,
    /// What is kept of the key that the connection has logged in with.
    pub key: KeyHash,
    _held: Option<Held<AccountId>>,
}

impl Seat {
    /// Takes a slot for this session; the operator is not counted.
    ///
    /// # Errors
    /// If the account has as many connections as it may have.
    pub(super) fn take(venue: &Venue, session: Session, key: KeyHash) -> Result<Seat, Problem> {
        let held = match session {
            Session::Account(account) => Some(venue.door.limits.stream(account)?),
            Session::Operator => None,
        };
        Ok(Seat { session, key, _held: held })
    }

    /// Logs in with a key, or with the one that has replaced it.
    ///
    /// # Errors
    /// If no account has the key, or the connection has logged in as another.
    pub(super) fn log_in(seat: &mut Option<Seat>, venue: &Venue, key: KeyHash) -> Result<Session, Problem> {
        let session = venue.names.session(key);
        let session = session.ok_or_else(|| Problem::because(Why::Unauthenticated, "No account has this key."))?;
        match seat {
            Some(seat) if seat.session != session => {
                return Err(Problem::because(Why::Forbidden, "This connection has logged in with another key."));
            }
            Some(seat) => seat.key = key,
            None => *seat = Some(Seat::take(venue, session, key)?),
        }
        Ok(session)
    }

    /// Ends the connection if another key has replaced its own: the owner may have lost that one to a thief.
    pub(super) fn check_key(&self, venue: &Venue) -> Result<(), End> {
        if venue.names.session(self.key) == Some(self.session) {
            return Ok(());
        }
        let what = "Another key has replaced the key of this connection: log in with that one.";
        Err(End::Bye(Bye::new(1008, "unauthenticated", what)))
    }
}
