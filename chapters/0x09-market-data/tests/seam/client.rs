//! A reader far away: it has what messages brought, over a way that loses, doubles and delays them.

use std::collections::VecDeque;

use market::MarketId;
use market_data::reader::{Reader, next_trade};
use market_data::shown::Shown;
use market_data::{BookUpdate, Cursor, Depth, Heard, Missed, PublicTrade, Summary, TradeCursor, TradeId, Version};

use crate::fault::Fault;
use crate::truth::Truth;

/// What is sent to a reader.
#[derive(Clone)]
pub enum Message {
    Book(Box<BookUpdate>),
    /// What comes behind everything before `after`.
    Trade(TradeId, Heard),
}

/// One reader of one market, and what is kept for it.
pub struct Client {
    pub market: MarketId,
    /// At the server.
    pub cursor: Cursor,
    pub way: VecDeque<Message>,
    version: Version,
    depth: Depth,
    pub summary: Option<Summary>,
    /// A message did not fit to what it has.
    is_broken: bool,
    next: TradeId,
    pub seen: Vec<PublicTrade>,
    pub gaps: Vec<Missed>,
}

impl Client {
    pub fn new(market: MarketId) -> Client {
        Client {
            market,
            cursor: Cursor::default(),
            way: VecDeque::new(),
            version: Version::NONE,
            depth: Depth::default(),
            summary: None,
            is_broken: false,
            next: TradeId::default(),
            seen: Vec::new(),
            gaps: Vec::new(),
        }
    }

    pub fn is_fresh(&self) -> bool {
        !self.is_broken && self.summary.is_some_and(|summary| summary.is_fresh)
    }

    /// The server says what is new, at most `trades_max` trades of it.
    pub fn serve(&mut self, shown: &Shown, reader: &mut Reader, trades_max: usize, fault: Fault) {
        if let Some(update) = reader.book(shown, &mut self.cursor) {
            self.way.push_back(Message::Book(Box::new(fault.spoil(*update))));
        }
        let mut after = self.cursor.trades.next;
        // One by one, or as many as there are.
        let heard = match trades_max {
            0..4 => (0..trades_max).map_while(|_| next_trade(shown, &mut self.cursor.trades)).collect(),
            _ => reader.trades(shown, &mut self.cursor.trades).to_vec(),
        };
        for heard in heard {
            self.way.push_back(Message::Trade(after, heard));
            after = match heard {
                Heard::Trade(trade) => trade.id.next(),
                Heard::Missed(missed) => missed.to,
            };
        }
    }

    /// It says what it has, as after a lost connection.
    pub fn ask(&mut self) {
        self.way.clear();
        self.cursor.book = self.version;
        self.cursor.trades = TradeCursor { next: self.next, ..TradeCursor::default() };
        self.is_broken = false;
    }

    /// A message arrives.
    pub fn arrive(&mut self, message: &Message, truth: &Truth, fault: Fault) -> Result<(), String> {
        match message {
            Message::Book(update) => self.apply(update, truth),
            Message::Trade(after, heard) if *after == self.next => self.hear(heard, fault),
            // Doubled, or sent before it asked.
            Message::Trade(after, _) if *after < self.next => Ok(()),
            Message::Trade(..) => {
                self.ask();
                Ok(())
            }
        }
    }

    fn apply(&mut self, update: &BookUpdate, truth: &Truth) -> Result<(), String> {
        let Version { epoch, counter } = update.to;
        if epoch == self.version.epoch && counter <= self.version.counter {
            return Ok(());
        }
        if !update.is_whole() && update.from != self.version {
            self.is_broken = true;
            self.ask();
            return Ok(());
        }
        update.prices.iter().for_each(|price| self.depth.set(price, update.depth.at(price)));
        (self.version, self.summary) = (update.to, Some(update.summary));
        truth.check(self.market, &self.depth, &update.summary)
    }

    fn hear(&mut self, heard: &Heard, fault: Fault) -> Result<(), String> {
        match *heard {
            Heard::Trade(trade) => {
                self.seen.push(trade);
                self.next = trade.id.next();
            }
            Heard::Missed(missed) => {
                if missed.from < self.next || missed.to <= missed.from {
                    return Err(format!("a gap that can't be, behind {:?}: {missed:?}", self.next));
                }
                if fault != Fault::GapNotAnnounced {
                    self.gaps.push(missed);
                }
                self.next = missed.to;
            }
        }
        Ok(())
    }

    /// Every trade was seen once, or lies in a gap that was announced.
    pub fn check_trades(&self, truth: &Truth) -> Result<(), String> {
        let mut seen = self.seen.iter().peekable();
        for trade in truth.trades.get(&self.market).map_or(&[][..], Vec::as_slice) {
            let was_missed = self.gaps.iter().any(|gap| (gap.from..gap.to).contains(&trade.id));
            let was_seen = seen.next_if(|seen| *seen == trade).is_some();
            if was_seen == was_missed && (was_seen || trade.id < self.next) {
                return Err(format!("seen {was_seen}, announced as missed {was_missed}: {trade:?}"));
            }
        }
        seen.next().map_or(Ok(()), |trade| Err(format!("there was no such trade there: {trade:?}")))
    }

    /// It has everything.
    pub fn check_end(&self, truth: &Truth) -> Result<(), String> {
        let summary = self.summary.ok_or_else(|| format!("market {}: it has no book", self.market))?;
        if !self.is_fresh() {
            return Err(format!("market {}: it is not fresh in the end", self.market));
        }
        truth.check_latest(self.market, &self.depth, &summary)?;
        let last = truth.trades.get(&self.market).and_then(|trades| trades.last());
        if last.is_some_and(|last| self.next < last.id.next()) {
            return Err(format!("market {}: the last trade did not come", self.market));
        }
        self.check_trades(truth)
    }
}
