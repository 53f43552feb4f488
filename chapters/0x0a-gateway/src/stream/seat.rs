//! Who a connection acts for, and that it is one of the connections which that account may have.

use market::AccountId;

use crate::limits::held::Held;
use crate::problem::Problem;
use crate::reply::Session;
use crate::venue::Venue;

/// A session, counted as long as this value lasts.
pub(super) struct Seat {
    /// Who it is.
    pub session: Session,
    _held: Option<Held<AccountId>>,
}

impl Seat {
    /// Takes one for whoever this is; nobody needs none, and the operator is not counted.
    ///
    /// # Errors
    /// That the account has as many connections as it may have.
    pub(super) fn take(venue: &Venue, session: Option<Session>) -> Result<Option<Seat>, Problem> {
        let Some(session) = session else { return Ok(None) };
        let held = match session {
            Session::Account(account) => Some(venue.door.limits.stream(account)?),
            Session::Operator => None,
        };
        Ok(Some(Seat { session, _held: held }))
    }
}
