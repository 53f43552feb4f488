//! What every reader has to guarantee, whatever the network and the feed do. One seed is one run.

use contract::streams::Random;
use market::Sequence;
use market_data::json::to_json;
use market_data::message::MESSAGE_BYTES_MAX;
use market_data::{Applied, BookView, Depth, Freshness, Message, Missed, Need, PublicTrade, Refused, TradeId, Version};

use crate::chain::{Feed, MARKET, Place, Truth};

/// A reader of one market.
pub trait Reader {
    fn read(&mut self, bytes: &[u8]) -> Result<Applied, Refused>;
    fn depth(&self) -> Depth;
    fn sequence(&self) -> Option<Sequence>;
    fn is_fresh(&self) -> bool;
    fn need(&self) -> Need;
}

impl Reader for BookView {
    fn read(&mut self, bytes: &[u8]) -> Result<Applied, Refused> {
        BookView::read(self, bytes)
    }

    fn depth(&self) -> Depth {
        *BookView::depth(self)
    }

    fn sequence(&self) -> Option<Sequence> {
        self.summary().map(|summary| summary.sequence)
    }

    fn is_fresh(&self) -> bool {
        self.freshness() == Freshness::Fresh
    }

    fn need(&self) -> Need {
        BookView::need(self)
    }
}

/// A message in transit, and the original.
#[derive(Clone)]
struct Flying {
    bytes: Vec<u8>,
    is_intact: bool,
    message: Message,
}

/// A market, its feed, a server, an unreliable network, and a reader.
struct World<R> {
    random: Random,
    truth: Truth,
    feed: Feed,
    place: Place,
    flying: Vec<Flying>,
    reader: R,
    /// The greatest version that has reached the reader intact, its command, and whether the feed was following the
    /// market at that time.
    newest: (Version, Sequence, bool),
    seen: Vec<PublicTrade>,
    missed: Vec<Missed>,
}

/// How many things happen in a run.
const STEPS: u64 = 150;

/// Takes a reader through the run of this seed; returns what it did wrong.
pub fn live<R: Reader>(seed: u64, reader: R) -> Result<(), String> {
    let mut random = Random::new(seed);
    let feed = Feed::new(1 + random.below(1_000));
    let truth = Truth::new();
    let (flying, seen, missed) = (Vec::new(), Vec::new(), Vec::new());
    let (place, newest) = (Place::default(), (Version::NONE, Sequence(0), false));
    let mut world = World { random, truth, feed, place, flying, reader, newest, seen, missed };
    for step in 0..STEPS {
        world.step().and_then(|()| world.check()).map_err(|wrong| format!("seed {seed}, step {step}: {wrong}"))?;
    }
    world.calm().map_err(|wrong| format!("seed {seed}, after the storm: {wrong}"))
}

impl<R: Reader> World<R> {
    fn step(&mut self) -> Result<(), String> {
        match self.random.below(40) {
            0..=9 => self.truth.command(&mut self.random),
            10..=15 => self.feed.follow(&self.truth),
            16..=19 => self.send_book(),
            20..=23 => self.send_trade(),
            24 => self.feed.restart(&self.truth, &mut self.random),
            25 => self.feed.fall_behind(&self.truth),
            26 | 27 => self.feed.catch_up(&self.truth),
            28 => self.feed.forget_trades(&self.truth, &mut self.random),
            29 => self.disturb(),
            30 | 31 => self.answer(),
            _ => return self.deliver_any(),
        }
        Ok(())
    }

    fn send_book(&mut self) {
        let message = self.feed.book(&self.truth, &mut self.place);
        self.send(message);
    }

    fn send_trade(&mut self) {
        let message = self.feed.trade(&self.truth, &mut self.place);
        self.send(message);
    }

    fn send(&mut self, message: Option<Message>) {
        let Some(message) = message else { return };
        let mut bytes = Vec::new();
        if self.random.one_in(3) {
            to_json(&message, &mut bytes);
        } else {
            bytes.extend_from_slice(message.encode(&mut [0; MESSAGE_BYTES_MAX]));
        }
        self.flying.push(Flying { bytes, is_intact: true, message });
    }

    /// The server learns what the reader needs, and continues from there.
    fn answer(&mut self) {
        let need = self.reader.need();
        self.place.book = need.book.unwrap_or(self.place.book);
        self.place.trades = need.trades.unwrap_or(self.place.trades);
    }

    /// A message is lost, duplicated, truncated, or has a bit flipped.
    fn disturb(&mut self) {
        if self.flying.is_empty() {
            return;
        }
        let which = self.random.below(self.flying.len() as u64) as usize;
        let flying = &mut self.flying[which];
        let length = flying.bytes.len() as u64;
        match self.random.below(4) {
            0 => drop(self.flying.swap_remove(which)),
            1 => {
                let twin = flying.clone();
                self.flying.push(twin);
            }
            2 => {
                flying.bytes.truncate(self.random.below(length) as usize);
                flying.is_intact = false;
            }
            _ => {
                let at = self.random.below(length) as usize;
                // Don't change the case of a letter or an escape: JSON has several spellings for the same value.
                flying.bytes[at] ^= 1 << self.random.below(3);
                flying.is_intact = false;
            }
        }
    }

    /// One of the messages in transit arrives, in any order.
    fn deliver_any(&mut self) -> Result<(), String> {
        if self.flying.is_empty() {
            return Ok(());
        }
        let which = self.random.below(self.flying.len() as u64) as usize;
        let flying = self.flying.swap_remove(which);
        self.deliver(flying)
    }

    fn deliver(&mut self, flying: Flying) -> Result<(), String> {
        let state = |reader: &R| (reader.depth(), reader.sequence(), reader.is_fresh(), reader.need());
        let before = state(&self.reader);
        let applied = self.reader.read(&flying.bytes);
        if !flying.is_intact {
            let after = state(&self.reader);
            return match applied {
                Err(_) if before == after => Ok(()),
                other => Err(format!("a damaged message was not rejected, or changed something: {other:?}")),
            };
        }
        if let Message::Book(update) = &flying.message
            && update.to > self.newest.0
        {
            self.newest = (update.to, update.summary.sequence, update.summary.is_fresh);
        }
        match applied {
            Ok(Applied::Trade(trade)) => self.seen.push(trade),
            Ok(Applied::Missed(missed)) => self.missed.push(missed),
            _ => {}
        }
        Ok(())
    }

    /// What holds at every moment.
    fn check(&self) -> Result<(), String> {
        if let Some(sequence) = self.reader.sequence() {
            let is_right = self.truth.books.get(sequence.0 as usize) == Some(&self.reader.depth());
            is_right.then_some(()).ok_or(format!("the book is not that after command {sequence}"))?;
        }
        // Only a reader with the newest version that has reached it may be fresh.
        let may_be_fresh = self.newest.2 && self.reader.sequence() == Some(self.newest.1);
        if self.reader.is_fresh() && !may_be_fresh {
            return Err(format!("it claims to be fresh, but version {:?} has reached it", self.newest));
        }
        self.check_trades()
    }

    fn check_trades(&self) -> Result<(), String> {
        let in_order = self.seen.windows(2).all(|pair| pair[0].id < pair[1].id);
        in_order.then_some(()).ok_or("a trade was reported twice, or out of order")?;
        let are_true = self.seen.iter().all(|trade| self.truth.trades.contains(trade));
        are_true.then_some(()).ok_or("a trade was reported that never happened")?;
        let told = self.seen.last().map_or(TradeId::default(), |trade| trade.id.next());
        let announced = self.missed.last().map_or(TradeId::default(), |missed| missed.to);
        let end = told.max(announced);
        for trade in self.truth.trades.iter().filter(|trade| trade.id < end) {
            let times = self.seen.iter().filter(|seen| seen.id == trade.id).count()
                + self.missed.iter().filter(|gap| gap.from <= trade.id && trade.id < gap.to).count();
            if times != 1 {
                return Err(format!("trade {:?} was reported or announced as missed {times} times", trade.id));
            }
        }
        Ok(())
    }

    /// Then all goes well for a while: nothing is lost, and the server answers the reader. The reader has to recover.
    fn calm(mut self) -> Result<(), String> {
        self.feed.catch_up(&self.truth);
        for _ in 0..4 {
            self.answer();
            self.send_book();
            while let Some(message) = self.feed.trade(&self.truth, &mut self.place) {
                self.send(Some(message));
            }
            for flying in std::mem::take(&mut self.flying) {
                self.deliver(flying)?;
                self.check()?;
            }
        }
        let is_there = self.reader.is_fresh() && self.reader.sequence() == Some(self.truth.last());
        is_there.then_some(()).ok_or("it has not recovered the newest book")?;
        (self.reader.need() == Need::NOTHING).then_some(()).ok_or("it still asks for something".into())
    }
}

/// A new view of the market.
pub fn view() -> BookView {
    BookView::new(MARKET)
}
