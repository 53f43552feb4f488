//! What a limit says.

use std::time::Duration;

/// Why somebody has to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Excess {
    /// Too many a second. After so long there is room again.
    TooFast(Duration),
    /// Too many under way.
    TooManyInFlight,
    /// Too many connections in all.
    TooManyConnections,
    /// Too many connections of this address.
    TooManyOfAddress,
    /// Too many WebSocket connections of this account.
    TooManyOfAccount,
}
