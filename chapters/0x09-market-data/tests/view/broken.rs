//! Readers with one mistake each. The contract has to detect it.

use market::Sequence;
use market_data::{Applied, BookView, Depth, Freshness, Message, Need, Refused, Version};

use crate::contract::{Reader, view};

/// Which mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mistake {
    /// It claims to be fresh whenever the feed last said so, regardless of what is missing.
    Lies,
    /// It applies changes to any book, because they are absolute.
    IgnoresTheChain,
    /// It accepts any whole book as the newest.
    TakesOldEpochs,
    /// It ignores changes to 0 shares.
    KeepsWhatIsGone,
    /// It does not report gaps.
    HidesGaps,
    /// It reports a trade every time it arrives.
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
    /// The book of the reader that ignores changes to 0.
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
                // Skip the checks that would have noticed the broken chain.
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
