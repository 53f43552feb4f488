//! A reader's book: it takes messages, and says how good its book is.
//!
//! Messages may come late, twice, in another order, or not at all. Two numbers are enough to be right all the same: the
//! version that the book has, and the greatest version that was ever heard of. The book is fresh when both are equal, and
//! the feed said with that version that it follows the engine. In all other cases the view says since when it is stale,
//! and [`BookView::need`] says what to ask for. The same with trades: the place up to which all were seen, and the place
//! up to which some are known to exist.
//!
//! A message that is refused changes neither depth nor trades. Silence is not noticed here: whoever owns the connection
//! calls [`BookView::disconnected`] when it breaks, or is silent for too long.

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
    /// Which book this is; none where it must not be gone on with.
    version: Version,
    /// The greatest version that a message has named.
    heard: Version,
    /// All trades before this place were seen or announced as missed.
    next_trade: TradeId,
    /// All trades that a message has named are before this place.
    trades_heard: TradeId,
}

/// How good the book is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Freshness {
    /// It is the newest that anybody has told.
    Fresh,
    /// It was right behind this command, and what came later is not known. 0 where there has been no book at all.
    Stale {
        /// The command.
        since: Sequence,
    },
}

/// What a view has to be told to be whole again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Need {
    /// What has changed in the book since this version; since none, the whole book.
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
    /// The book is another one now.
    Book,
    /// This trade has happened.
    Trade(PublicTrade),
    /// These trades will not be seen.
    Missed(Missed),
    /// Nothing: it was known already.
    Known,
}

/// Why a message was not applied.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// It is none.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// It is about another market.
    #[error("the message is about market {found}, and this is the book of market {expected}")]
    Market {
        /// Its market.
        found: MarketId,
        /// The view's.
        expected: MarketId,
    },
    /// It is from a life of the feed that is over.
    #[error("the message is of epoch {found}, which ended before {known} began; it came late and says nothing new")]
    OldEpoch {
        /// Its epoch.
        found: u64,
        /// The latest that is known.
        known: u64,
    },
    /// Messages before it are missing.
    #[error(
        "the message may be applied to {from}, and the book here is {have}: something was lost on the way; ask for what has \
         changed since then"
    )]
    Hole {
        /// To which version it may be applied.
        from: Version,
        /// That of the book.
        have: Version,
    },
    /// With it the book would not be what the message says that it is.
    #[error(
        "with this message the best prices would not be those that it names, so an earlier one was wrong; ask for the \
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
    /// A view of a market that has not heard anything yet.
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

    /// Takes a message as it came, binary or JSON.
    ///
    /// # Errors
    /// Why it was not applied. Then the book is as it was, and [`BookView::need`] says what to do.
    pub fn read(&mut self, bytes: &[u8]) -> Result<Applied, Refused> {
        self.take(&Message::read(bytes)?)
    }

    /// Takes a message that never was bytes.
    ///
    /// # Errors
    /// Why it was not applied. Then the book is as it was, and [`BookView::need`] says what to do.
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

    /// The connection is gone: nothing is known of what happens now, and the next one may be to a feed of any epoch. The
    /// book stays, as something to show, until a whole one comes; the place among the trades stays too.
    pub fn disconnected(&mut self) {
        todo!("step 2: freshness")
    }

    /// How good the book is.
    pub fn freshness(&self) -> Freshness {
        todo!("step 2: freshness")
    }

    /// What to ask for. While nothing is missing there is nothing to ask for, even if the feed itself is behind.
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

    /// What else was said with it. `None` where there has been no book at all.
    pub fn summary(&self) -> Option<&Summary> {
        self.summary.as_ref()
    }

    /// Which book this is; [`Version::NONE`] where a whole one is needed.
    pub fn version(&self) -> Version {
        self.version
    }

    /// All trades before this place were seen, or announced as missed.
    pub fn next_trade(&self) -> TradeId {
        self.next_trade
    }
}
