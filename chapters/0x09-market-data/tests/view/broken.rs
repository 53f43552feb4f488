//! Readers with one mistake each. The contract has to find it.

use market::Sequence;
use market_data::{Applied, BookView, Depth, Freshness, Message, Need, Refused, Version};

use crate::contract::{Reader, view};

/// Which mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mistake {
    /// It says that it is fresh whenever the feed said so last, and never mind what is missing.
    Lies,
    /// It applies changes to any book, for they are absolute.
    IgnoresTheChain,
    /// It takes any whole book for the newest.
    TakesOldEpochs,
    /// It forgets that 0 shares are a change too.
    KeepsWhatIsGone,
    /// It does not mention gaps.
    HidesGaps,
    /// It tells a trade as often as it comes.
    TellsTwice,
    /// It never asks for anything.
    NeverAsks,
}

pub const MISTAKES: [Mistake; 7] = [
    Mistake::Lies,
    Mistake::IgnoresTheChain,
    Mistake::TakesOldEpochs,
    Mistake::KeepsWhatIsGone,
    Mistake::HidesGaps,
    Mistake::TellsTwice,
    Mistake::NeverAsks,
];

pub struct Broken {
    mistake: Mistake,
    view: BookView,
    /// The book of one that keeps what is gone.
    kept: Depth,
}

impl Broken {
    pub fn new(mistake: Mistake) -> Broken {
        Broken { mistake, view: view(), kept: Depth::default() }
    }
}

impl Reader for Broken {
    fn read(&mut self, bytes: &[u8]) -> Result<Applied, Refused> {
        let mut message = Message::read(bytes)?;
        if let Message::Book(update) = &mut message {
            if self.mistake == Mistake::IgnoresTheChain && update.to > self.view.version() {
                update.from = Version { epoch: update.to.epoch, ..self.view.version() };
                // What a chain would have noticed here is not looked at either.
                let is_later = (1..update.to.counter).contains(&update.from.counter);
                let mut depth = *self.view.depth();
                update.prices.iter().for_each(|price| depth.set(price, update.depth.at(price)));
                if update.from == Version::NONE || !is_later || self.view.version().epoch != update.to.epoch {
                    update.from = Version::NONE;
                    (update.prices, update.depth) = (market_data::Prices::ALL, depth);
                    (update.summary.best_bid, update.summary.best_ask) = depth.best();
                }
            }
            if self.mistake == Mistake::TakesOldEpochs && update.is_whole() {
                self.view.disconnected();
            }
        }
        let applied = self.view.apply(&message);
        if let (Ok(Applied::Book), Message::Book(update)) = (&applied, &message) {
            let there = update.prices.iter().filter(|&price| update.depth.at(price) != 0);
            there.for_each(|price| self.kept.set(price, update.depth.at(price)));
        }
        match (self.mistake, applied, message) {
            (Mistake::HidesGaps, Ok(Applied::Missed(_)), _) => Ok(Applied::Known),
            (Mistake::TellsTwice, Ok(Applied::Known), Message::Trade(update)) => Ok(Applied::Trade(update.trade)),
            (_, applied, _) => applied,
        }
    }

    fn depth(&self) -> Depth {
        if self.mistake == Mistake::KeepsWhatIsGone { self.kept } else { *self.view.depth() }
    }

    fn sequence(&self) -> Option<Sequence> {
        self.view.sequence()
    }

    fn is_fresh(&self) -> bool {
        match self.mistake {
            Mistake::Lies => self.view.summary().is_some_and(|summary| summary.is_fresh),
            _ => self.view.freshness() == Freshness::Fresh,
        }
    }

    fn need(&self) -> Need {
        if self.mistake == Mistake::NeverAsks { Need::NOTHING } else { self.view.need() }
    }
}
