//! What a reader of a book takes: which prices have changed since its cursor, and what stands there now.
//!
//! Amounts are absolute, never differences: whoever takes an update twice, or skips ten, ends with the right book. An
//! update says from which version it leads to which, so that a reader knows at once whether it may apply it.

use std::fmt;

use market::{MarketId, Outcome, Price, Quantity, Sequence, UnixMs};

use crate::depth::{Depth, Prices};
use crate::trade::TradeCursor;

/// A version of one market's book. Versions of one epoch are counted from 1, and a later epoch is greater. Whether an update
/// may be applied to a book can only be known within one epoch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Version {
    /// Which life of the feed it is from: a number below 2^53, never 0. A feed that restarts has a greater one, so it can't
    /// give one version to two books, and nobody takes an old book for a new one.
    pub epoch: u64,
    /// How often the book had been published in this epoch.
    pub counter: u64,
}

impl Version {
    /// That of a reader who has nothing yet.
    pub const NONE: Version = Version { epoch: 0, counter: 0 };
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Version::NONE => f.write_str("no version"),
            Version { epoch, counter } => write!(f, "version {counter} of epoch {epoch}"),
        }
    }
}

/// The place of one reader in one market: all that is kept for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cursor {
    /// Which book it has.
    pub book: Version,
    /// Which trade it has not yet seen.
    pub trades: TradeCursor,
}

const _: () = assert!(size_of::<Cursor>() <= 48, "with an address of the market, 64 bytes a reader and watched market");

/// The trade that came last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastTrade {
    /// Its price in YES cents.
    pub price: Price,
    /// How many shares.
    pub quantity: Quantity,
    /// The time of the command that led to it.
    pub time: UnixMs,
}

/// How many shares were traded. A feed that began with a snapshot does not know what came before it, so it says where it
/// began to count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Volume {
    /// Shares of all trades since.
    pub shares: u64,
    /// The first command whose trades are counted.
    pub since: Sequence,
}

/// Whether a market trades.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It does.
    Open,
    /// It was resolved. Which side won is not known to a feed that began after that.
    Resolved(Option<Outcome>),
}

/// What is said about a market beside the depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The command of the market's shard behind which this is the book. It holds until [`Summary::is_fresh`] says no.
    pub sequence: Sequence,
    /// The highest bid.
    pub best_bid: Option<Price>,
    /// The lowest ask.
    pub best_ask: Option<Price>,
    /// The last trade among those that [`Summary::volume`] counts.
    pub last_trade: Option<LastTrade>,
    /// What was traded.
    pub volume: Volume,
    /// How many pairs of YES and NO there are.
    pub open_interest: u64,
    /// Whether it trades.
    pub status: Status,
    /// Whether the feed follows the engine. If not, this was the book behind [`Summary::sequence`], and what came after it
    /// is not yet known.
    pub is_fresh: bool,
}

/// What leads from one version of a book to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookUpdate {
    /// Which market.
    pub market: MarketId,
    /// To which version it may be applied: [`Version::NONE`] says to any, for it holds the whole book.
    pub from: Version,
    /// The version that it leads to.
    pub to: Version,
    /// Which prices it tells; all of them in a whole book.
    pub prices: Prices,
    /// What stands at these prices now, and 0 at all others.
    pub depth: Depth,
    /// Everything else.
    pub summary: Summary,
}

impl BookUpdate {
    /// Whether it holds the whole book.
    pub fn is_whole(&self) -> bool {
        self.from == Version::NONE
    }
}
