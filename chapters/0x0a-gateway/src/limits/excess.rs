//! The results of exceeding a limit.

use std::time::Duration;

/// Which limit was exceeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Excess {
    /// Too many per second. There is room again after this time.
    TooFast(Duration),
    /// Too many in flight.
    TooManyInFlight,
    /// Too many connections in all.
    TooManyConnections,
    /// Too many connections from this address.
    TooManyOfAddress,
    /// Too many WebSocket connections of this account.
    TooManyOfAccount,
}
