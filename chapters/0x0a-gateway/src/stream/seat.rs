//! The session of a connection, and its slot among the connections which the account may have.

use market::AccountId;

use crate::limits::held::Held;
use crate::problem::Problem;
use crate::reply::Session;
use crate::venue::Venue;

/// A session, counted as long as this value lasts.
pub(super) struct Seat {
    /// The session.
    pub session: Session,
    _held: Option<Held<AccountId>>,
}

impl Seat {
    /// Takes a slot for this session; a connection without a session needs none, and the operator is not counted.
    ///
    /// # Errors
    /// If the account has as many connections as it may have.
    pub(super) fn take(venue: &Venue, session: Option<Session>) -> Result<Option<Seat>, Problem> {
        let Some(session) = session else { return Ok(None) };
        let held = match session {
            Session::Account(account) => Some(venue.door.limits.stream(account)?),
            Session::Operator => None,
        };
        Ok(Some(Seat { session, _held: held }))
    }
}
