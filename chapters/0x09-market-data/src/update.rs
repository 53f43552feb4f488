//! What a reader of a book gets: which prices have changed since its cursor, and the shares there now.
//!
//! Amounts are absolute, never differences: a reader that applies an update twice, or skips ten, ends with the right
//! book. An update names the version it starts from and the version it leads to, so a reader knows at once whether it
//! may apply it.

use std::fmt;

use market::{MarketId, Outcome, Price, Quantity, Sequence, UnixMs};

use crate::depth::{Depth, Prices};
use crate::trade::TradeCursor;

/// A version of one market's book. The versions of an epoch count from 1, and a later epoch is greater. Only within one
/// epoch can a reader decide whether an update applies to a book.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Version {
    /// The run of the feed that published it: a number below 2^53, never 0. A feed that restarts gets a greater one, so
    /// it never gives two books the same version, and a reader never takes an old book for a new one.
    pub epoch: u64,
    /// How often the book has been published in this epoch.
    pub counter: u64,
}

impl Version {
    /// The version of a reader that has nothing yet.
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

/// The position of one reader in one market: the only state kept for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cursor {
    /// The version it has.
    pub book: Version,
    /// The next trade it has not seen.
    pub trades: TradeCursor,
}

const _: () = assert!(size_of::<Cursor>() <= 48, "with an address of the market, 64 bytes a reader and watched market");

/// The latest trade.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastTrade {
    /// Its price in YES cents.
    pub price: Price,
    /// How many shares.
    pub quantity: Quantity,
    /// The time of the command that led to it.
    pub time: UnixMs,
}

/// How many shares were traded. A feed that started from a snapshot does not know what came before, so it says where it
/// started counting.
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
    /// It was resolved. A feed that started later does not know which side won.
    Resolved(Option<Outcome>),
}

/// What an update says about a market besides the depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The book is that of the market's shard after this command. It is current as long as [`Summary::is_fresh`] is
    /// set.
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
    /// Whether the feed is following the engine. If not, this was the book after [`Summary::sequence`], and what came
    /// later is not yet known.
    pub is_fresh: bool,
}

/// The difference between two versions of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookUpdate {
    /// Which market.
    pub market: MarketId,
    /// The version to which it may be applied: [`Version::NONE`] means any, because it holds the whole book.
    pub from: Version,
    /// The version that it leads to.
    pub to: Version,
    /// The prices in it; all of them in a whole book.
    pub prices: Prices,
    /// The shares at these prices now, and 0 at all others.
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
