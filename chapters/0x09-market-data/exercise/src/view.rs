//! A reader's book: it applies messages and reports how current the book is.
//!
//! Messages may arrive late, twice, out of order, or not at all. Two numbers are enough to stay correct: the version of
//! the book, and the greatest version that any message has named. The book is fresh when both are equal and the feed
//! said with that version that it is following the engine. Otherwise the view reports since when the book is stale, and
//! [`BookView::need`] says what to ask for. Trades work the same way: one position up to which all trades were seen,
//! and one up to which some are known to exist.
//!
//! A rejected message changes neither depth nor trades. The view does not detect silence: the owner of the connection
//! calls [`BookView::disconnected`] when it breaks or stays silent for too long.

use market::{MarketId, Sequence};

use crate::depth::Depth;
use crate::message::{Message, TradeUpdate, Unreadable};
use crate::trade::{Missed, PublicTrade, TradeId};
use crate::update::{BookUpdate, Summary, Version};

/// A reader's copy of one market's book, and its place among the market's trades.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookView {
    market: MarketId,
    depth: Depth,
    summary: Option<Summary>,
    /// Which book this is; none if changes may no longer be applied to it.
    version: Version,
    /// The greatest version that any message has named.
    heard: Version,
    /// All trades before this place were seen or announced as missed.
    next_trade: TradeId,
    /// All trades that a message has named are before this place.
    trades_heard: TradeId,
}

/// How current the book is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Freshness {
    /// It is the newest version that any message has named.
    Fresh,
    /// It was correct after this command; what came later is not known. 0 if there has been no book yet.
    Stale {
        /// The command.
        since: Sequence,
    },
}

/// What a view is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Need {
    /// What has changed in the book since this version; for version none, the whole book.
    pub book: Option<Version>,
    /// The trades from this place on.
    pub trades: Option<TradeId>,
}

impl Need {
    /// Nothing is missing.
    pub const NOTHING: Need = Need { book: None, trades: None };
}

/// What a message led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Applied {
    /// The book has changed.
    Book,
    /// This trade has happened.
    Trade(PublicTrade),
    /// These trades will not be seen.
    Missed(Missed),
    /// Nothing: it was already known.
    Known,
}

/// Why a message was not applied.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// It is not a message.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// It is about another market.
    #[error("the message is about market {found}, but this is the book of market {expected}")]
    Market {
        /// Its market.
        found: MarketId,
        /// The view's.
        expected: MarketId,
    },
    /// It is from an earlier run of the feed.
    #[error(
        "the message is of epoch {found}, which ended before {known} began; it arrived late and contains nothing new"
    )]
    OldEpoch {
        /// Its epoch.
        found: u64,
        /// The latest that is known.
        known: u64,
    },
    /// Messages before it are missing.
    #[error(
        "the message may be applied to {from}, but the book here is {have}: messages were lost on the way; ask for \
         what has changed since then"
    )]
    Hole {
        /// The version to which it may be applied.
        from: Version,
        /// The version of the book here.
        have: Version,
    },
    /// With this message applied, the book does not match what the message says.
    #[error(
        "with this message the best prices would not be the ones it names, so an earlier message was wrong; ask for the \
         whole book"
    )]
    WrongBook,
    /// Trades before it are missing.
    #[error("the trades from {have} up to {from} were lost on the way; ask for them")]
    TradesLost {
        /// The first that is missing.
        have: TradeId,
        /// The first that is not.
        from: TradeId,
    },
}

impl BookView {
    /// A view of a market that has received nothing yet.
    pub fn new(market: MarketId) -> BookView {
        BookView {
            market,
            depth: Depth::default(),
            summary: None,
            version: Version::NONE,
            heard: Version::NONE,
            next_trade: TradeId::default(),
            trades_heard: TradeId::default(),
        }
    }

    /// Applies an encoded message, binary or JSON.
    ///
    /// # Errors
    /// The reason it was not applied. The book is unchanged, and [`BookView::need`] says what to do.
    pub fn read(&mut self, bytes: &[u8]) -> Result<Applied, Refused> {
        self.take(&Message::read(bytes)?)
    }

    /// Applies a message that was never encoded.
    ///
    /// # Errors
    /// The reason it was not applied. The book is unchanged, and [`BookView::need`] says what to do.
    pub fn apply(&mut self, message: &Message) -> Result<Applied, Refused> {
        message.check()?;
        self.take(message)
    }

    fn take(&mut self, message: &Message) -> Result<Applied, Refused> {
        if message.market() != self.market {
            return Err(Refused::Market { found: message.market(), expected: self.market });
        }
        match message {
            Message::Book(update) => self.book(update),
            Message::Trade(update) => self.trade(update),
            Message::Missed(missed) => self.missed(*missed),
        }
    }

    fn book(&mut self, _update: &BookUpdate) -> Result<Applied, Refused> {
        todo!("step 1: books")
    }

    fn trade(&mut self, _update: &TradeUpdate) -> Result<Applied, Refused> {
        todo!("step 3: trades")
    }

    fn missed(&mut self, _missed: Missed) -> Result<Applied, Refused> {
        todo!("step 3: trades")
    }

    /// The connection is lost: the view learns nothing more, and the next connection may be to a feed of any epoch. The
    /// book stays for display until a whole one arrives; the position among the trades stays too.
    pub fn disconnected(&mut self) {
        todo!("step 2: freshness")
    }

    /// How current the book is.
    pub fn freshness(&self) -> Freshness {
        todo!("step 2: freshness")
    }

    /// What to ask for. Nothing if nothing is missing, even if the feed itself is behind.
    pub fn need(&self) -> Need {
        todo!("step 2: freshness")
    }

    /// The market.
    pub fn market(&self) -> MarketId {
        self.market
    }

    /// What stands at each price, as of [`BookView::version`].
    pub fn depth(&self) -> &Depth {
        &self.depth
    }

    /// What else the last book said. `None` if there has been no book yet.
    pub fn summary(&self) -> Option<&Summary> {
        self.summary.as_ref()
    }

    /// Which book this is; [`Version::NONE`] if a whole one is needed.
    pub fn version(&self) -> Version {
        self.version
    }

    /// All trades before this place were seen, or announced as missed.
    pub fn next_trade(&self) -> TradeId {
        self.next_trade
    }
}
