//! Time, as the log has it, and the clock that it comes from.
//!
//! Nothing that decides about money reads either. The program that opens an engine supplies the
//! clock ([`Options`](crate::Options)), so tests and simulations control it.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Sequence;

/// Milliseconds since the beginning of 1970, UTC. 0 is unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct UnixMs(pub u64);

impl UnixMs {
    /// No time is known, as in a log of version 1.
    pub const UNKNOWN: UnixMs = UnixMs(0);
}

impl fmt::Display for UnixMs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a command receives when it is logged: its number, and the time of its frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Stamp {
    /// The command's place in the log.
    pub sequence: Sequence,
    /// The time of its frame. Within a log it never decreases.
    pub time: UnixMs,
}

impl Stamp {
    /// The stamp of the command `count` further on in the same frame.
    pub fn plus(self, count: u64) -> Stamp {
        Stamp { sequence: self.sequence.plus(count), ..self }
    }
}

/// Where the time comes from.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> UnixMs + Send + Sync>);

impl Clock {
    /// The machine's clock.
    pub fn system() -> Clock {
        // A clock that is set before 1970 knows nothing.
        let since = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock::new(move || UnixMs(since().as_millis() as u64))
    }

    /// A clock that returns what `now` returns.
    pub fn new(now: impl Fn() -> UnixMs + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(now))
    }

    /// The time.
    pub fn now(&self) -> UnixMs {
        (self.0)()
    }
}
