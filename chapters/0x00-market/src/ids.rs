//! Ids: each is its own type, so that an account can't be passed for a market.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $integer:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $name(pub $integer);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A market. The client that opens it chooses its id: any `u32`.
    MarketId, u32
}

id! {
    /// An account, any `u32`. It exists in a market from its first deposit there.
    AccountId, u32
}

id! {
    /// An order's place among its market's [`Place`](crate::Place) commands, counted from 1.
    ///
    /// Rejected ones count too: a client that counts what it sends knows its order's id before the
    /// engine has seen it, and no engine needs to look for duplicates.
    OrderId, u64
}

id! {
    /// A command's place in the log, counted from 1.
    Sequence, u64
}

id! {
    /// A log's identity: a random number given when the log is created, so that no two logs have the same. A copy
    /// of the file has the same identity. 0 means none: logs of version 1 have none.
    LogId, u64
}

impl LogId {
    /// The identity of a log of version 1.
    pub const NONE: LogId = LogId(0);

    /// A new identity, from the randomness with which the standard library seeds its hash tables.
    pub fn random() -> LogId {
        let random = || RandomState::new().hash_one("a log's identity");
        LogId(std::iter::repeat_with(random).find(|&id| id != 0).unwrap_or(1))
    }
}

impl Sequence {
    /// The first command of a log.
    pub const FIRST: Sequence = Sequence(1);

    /// The sequence `count` commands further on.
    pub fn plus(self, count: u64) -> Sequence {
        Sequence(self.0 + count)
    }
}
