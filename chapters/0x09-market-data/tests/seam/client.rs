//! A remote reader: it only has what messages brought, over a connection that loses, duplicates and delays them.

use std::collections::VecDeque;

use market::MarketId;
use market_data::message::MESSAGE_BYTES_MAX;
use market_data::reader::{Reader, next_trade};
use market_data::shown::Shown;
use market_data::{Applied, BookView, Cursor, Freshness, Heard, Message, Missed, PublicTrade, Refused, TradeCursor};

use crate::fault::Fault;
use crate::truth::Truth;

/// One reader of one market, and the server's state for it.
pub struct Client {
    pub market: MarketId,
    /// At the server.
    pub cursor: Cursor,
    pub way: VecDeque<Message>,
    view: BookView,
    pub seen: Vec<PublicTrade>,
    pub gaps: Vec<Missed>,
}

impl Client {
    pub fn new(market: MarketId) -> Client {
        let (cursor, view) = (Cursor::default(), BookView::new(market));
        Client { market, cursor, way: VecDeque::new(), view, seen: Vec::new(), gaps: Vec::new() }
    }

    /// The server sends what is new, at most `trades_max` trades of it.
    pub fn serve(&mut self, shown: &Shown, reader: &mut Reader, trades_max: usize, fault: Fault) {
        if let Some(update) = reader.book(shown, &mut self.cursor) {
            self.way.push_back(Message::Book(fault.spoil(*update)));
        }
        let mut since = self.cursor.trades.next;
        // One at a time, or as many as there are.
        let heard: Vec<Heard> = match trades_max {
            0..4 => (0..trades_max).map_while(|_| next_trade(shown, &mut self.cursor.trades)).collect(),
            _ => reader.trades(shown, &mut self.cursor.trades).to_vec(),
        };
        for heard in heard {
            self.way.push_back(Message::heard(since, heard));
            since = heard.next();
        }
    }

    /// It reports what it has, as after a lost connection.
    pub fn ask(&mut self) {
        self.way.clear();
        self.cursor.book = self.view.version();
        self.cursor.trades = TradeCursor { next: self.view.next_trade(), ..TradeCursor::default() };
    }

    /// A message arrives.
    pub fn arrive(&mut self, message: &Message, truth: &Truth, fault: Fault) -> Result<(), String> {
        let applied = match fault {
            Fault::None => self.view.read(message.encode(&mut [0; MESSAGE_BYTES_MAX])),
            // A faulty feed may say things that no message can encode.
            _ => self.view.apply(message),
        };
        match applied {
            Ok(Applied::Book) => {
                let summary = self.view.summary().ok_or("it took a book but has none")?;
                return truth.check(self.market, self.view.depth(), summary);
            }
            Ok(Applied::Trade(trade)) => self.seen.push(trade),
            Ok(Applied::Missed(missed)) if fault != Fault::GapNotAnnounced => self.gaps.push(missed),
            Ok(Applied::Missed(_) | Applied::Known) => {}
            Err(Refused::OldEpoch { .. } | Refused::Hole { .. } | Refused::TradesLost { .. }) => self.ask(),
            Err(refused) => return Err(refused.to_string()),
        }
        Ok(())
    }

    /// Every trade was seen once, or lies in an announced gap.
    pub fn check_trades(&self, truth: &Truth) -> Result<(), String> {
        let mut seen = self.seen.iter().peekable();
        for trade in truth.trades.get(&self.market).map_or(&[][..], Vec::as_slice) {
            let was_missed = self.gaps.iter().any(|gap| (gap.from..gap.to).contains(&trade.id));
            let was_seen = seen.next_if(|seen| *seen == trade).is_some();
            if was_seen == was_missed && (was_seen || trade.id < self.view.next_trade()) {
                return Err(format!("seen {was_seen}, announced as missed {was_missed}: {trade:?}"));
            }
        }
        seen.next().map_or(Ok(()), |trade| Err(format!("there was no such trade there: {trade:?}")))
    }

    /// It has everything.
    pub fn check_end(&self, truth: &Truth) -> Result<(), String> {
        let summary = self.view.summary().ok_or_else(|| format!("market {}: it has no book", self.market))?;
        if self.view.freshness() != Freshness::Fresh {
            return Err(format!("market {}: it is not fresh at the end", self.market));
        }
        truth.check_latest(self.market, self.view.depth(), summary)?;
        let last = truth.trades.get(&self.market).and_then(|trades| trades.last());
        if last.is_some_and(|last| self.view.next_trade() < last.id.next()) {
            return Err(format!("market {}: the last trade did not arrive", self.market));
        }
        self.check_trades(truth)
    }
}
