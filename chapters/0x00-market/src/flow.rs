//! Flows: the streams of commands that engines are measured and compared with.
//!
//! A flow is generated from a name, a length and a seed, and is the same bytes on every machine, so
//! two people who measure "`venue`, a million, seed 7" measure the same work. A longer flow of the
//! same seed starts with the shorter one. Nothing here matches orders: a flow knows what it sent, but
//! not the results.
//!
//! | flow | what it is |
//! |---|---|
//! | `classic` | one market, orders only, all accepted, about 48 trades per 100 orders |
//! | `venue` | 64 markets of unequal popularity, 10,000 accounts, cancels, mistakes, resolutions |
//! | `burst` | election night: `venue` with nine tenths of the flow in one market |
//!
//! Cost: 24 bytes a command and a few random draws, so a flow of 100 million takes 2.4 GB and seconds.

mod classic;
mod mistakes;
mod orders;
mod popularity;
mod random;
mod slot;
mod venue;

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::Command;
use crate::log::encode_command;

/// The default seed of a flow.
pub const DEFAULT_SEED: u64 = 99;

/// The default length of a flow.
pub const DEFAULT_ORDERS: usize = 100_000;

/// The share of all commands of `venue` and `burst` that are rejected, least and most, in per cent.
pub const VENUE_REJECTED_PERCENT: (f64, f64) = (2.0, 8.0);

/// A stream of commands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    /// Which one it is.
    pub name: FlowName,
    /// The seed it was generated from.
    pub seed: u64,
    /// The commands that come first, for markets, cash and shares. They are applied but not
    /// measured.
    pub setup: Vec<Command>,
    /// The commands that are measured.
    pub body: Vec<Command>,
}

impl Flow {
    /// The SHA-256 of all commands as they are encoded in the log, in hexadecimal.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for command in self.setup.iter().chain(&self.body) {
            hash.update(encode_command(command));
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Generates the flow with this name, length (of its body, in commands) and seed.
///
/// Every order of `classic` is accepted, up to 200 million of them; beyond that accounts may run out
/// of money or shares.
pub fn generate(name: FlowName, orders: usize, seed: u64) -> Flow {
    let (mut setup, mut body) = match name {
        FlowName::Classic => (classic::setup(), classic::body(orders, seed)),
        FlowName::Venue => venue::generate(&popularity::zipf(), orders, seed),
        FlowName::Burst => venue::generate(&popularity::election_night(), orders, seed),
    };
    // Requests are numbered in the order in which they are sent.
    for (number, command) in (1..).zip(setup.iter_mut().chain(&mut body)) {
        *command = command.with_request(number);
    }
    Flow { name, seed, setup, body }
}

/// The flows that exist.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FlowName {
    /// One market, orders only, all accepted.
    Classic,
    /// Many markets, everything that happens at a venue.
    Venue,
    /// The same with nine tenths of it in one market.
    Burst,
}

impl FlowName {
    /// Every flow.
    pub const ALL: [FlowName; 3] = [FlowName::Classic, FlowName::Venue, FlowName::Burst];

    /// Its name on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            FlowName::Classic => "classic",
            FlowName::Venue => "venue",
            FlowName::Burst => "burst",
        }
    }
}

impl fmt::Display for FlowName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for FlowName {
    type Err = UnknownFlow;

    fn from_str(name: &str) -> Result<FlowName, UnknownFlow> {
        FlowName::ALL.into_iter().find(|flow| flow.as_str() == name).ok_or_else(|| UnknownFlow(name.into()))
    }
}

/// No flow has this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no flow {0:?}; the flows are classic, venue and burst")]
pub struct UnknownFlow(pub String);
